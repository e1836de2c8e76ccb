# what knows the operating system
if(WIN32)
  set(CF_PLATFORM src/base/platform_windows.c)
elseif(CMAKE_SYSTEM_NAME STREQUAL "WASI")
  set(CF_PLATFORM src/base/platform_none.c)
else()
  set(CF_PLATFORM src/base/platform_posix.c)
endif()

list(APPEND CF_SOURCES
  src/base/arena.c
  src/base/base64.c
  src/base/buffer.c
  src/base/cache.c
  src/base/catalog.c
  src/base/error.c
  src/base/memory.c
  src/base/missing.c
  src/base/nearest.c
  src/base/pace.c
  src/base/path.c
  src/base/platform.c
  ${CF_PLATFORM}
  src/base/plugin.c
  src/base/provider.c
  src/base/registry.c
  src/base/resource.c
  src/base/sort.c
  src/base/threads.c
  src/base/version.c
  src/base/vfs.c
)
