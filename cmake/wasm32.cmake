# WebAssembly by the compiler of the ziglang package; CF_ZIG is the folder of the wrappers that tools/web.sh writes
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CF_ZIG)
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER ${CF_ZIG}/clang)
set(CMAKE_AR ${CF_ZIG}/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${CF_ZIG}/ranlib CACHE FILEPATH "")
# a program needs a start function: the compiler is tried without linking
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH ${CF_ZIG})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
