#!/usr/bin/env bash
# CMake as others use it: a project that has ours as a subfolder, dependencies in a prefix without cmocka, presets,
# find_package(mujoco).  Configured only; with `build` as the third argument also compiled and run.
#   test_matrix.sh SOURCE_DIR BUILD_DIR [build]
set -eu
unset -f cmake ninja cc make 2>/dev/null || true  # programs, whatever functions the environment has
source=$1 build=$2 compiles=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# libraries and headers in a prefix, and nothing else to be found: no cmocka
mkdir -p "$work/prefix/lib" "$work/prefix/include" "$work/bin"
for name in spng qhull_r ccd; do
  library=$(sed -n "s/^CF_$(echo ${name%_r} | tr a-z A-Z):FILEPATH=//p" "$build/CMakeCache.txt")
  ln -s "$library" "$work/prefix/lib/lib$name.so"
done
for name in SPNG:spng.h QHULL:libqhull_r CCD:ccd; do
  folder=$(sed -n "s/^CF_${name%:*}_INCLUDE:PATH=//p" "$build/CMakeCache.txt")
  ln -s "$folder/${name#*:}" "$work/prefix/include/${name#*:}"
done
for tool in cmake ninja cc gcc ld ar ranlib nm strip objdump objcopy as python3 sh bash git sed env uname; do
  at=$(command -v $tool) && ln -s "$(realpath "$at")" "$work/bin/$tool"
done
sealed=(-G Ninja -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$(command -v cc)"
        -DPython3_EXECUTABLE="$(python3 -c 'import sys; print(sys.executable)')")
seal() { env -u CMAKE_C_COMPILER_LAUNCHER PATH="$work/bin" cmake "$@"; }

seal -S "$source" -B "$work/plain" "${sealed[@]}" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
grep -q '^CF_TESTS:BOOL=OFF' "$work/plain/CMakeCache.txt"
grep -q "^CF_SPNG:FILEPATH=$work/prefix" "$work/plain/CMakeCache.txt"
grep -q -- "-isystem $work/prefix/include" "$work/plain/compile_commands.json"
(cd "$source" && seal --preset release -B "$work/preset" "${sealed[@]:2}" >"$work/log" 2>&1) || { cat "$work/log"; exit 1; }
grep -q '^CF_TESTS:BOOL=OFF' "$work/preset/CMakeCache.txt"
# the other presets, with what this machine has
presets=$(sed -n 's/.*{"name": "\([a-z]*\)", "inherits".*/\1/p' "$source/CMakePresets.json")
test "$(echo $presets)" = "release debug asan tsan fuzz"
for preset in $presets; do
  if [ "$preset" != fuzz ] || command -v clang >/dev/null; then
    (cd "$source" && cmake --preset "$preset" -B "$work/$preset" >"$work/log" 2>&1) || { cat "$work/log"; exit 1; }
  fi
done
grep -q '^CF_SANITIZE:.*=address,undefined' "$work/asan/CMakeCache.txt"

# a project around ours: both libraries by their names, no tests, no tools, nothing installed
mkdir "$work/around"
cp "$source/tests/install/outside.c" "$work/around/"
cat >"$work/around/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.22)
project(around C)
include(FetchContent)
FetchContent_Declare(engine SOURCE_DIR "$source")
FetchContent_MakeAvailable(engine)
add_executable(shared outside.c)
target_link_libraries(shared PRIVATE mujoco::mujoco)
add_executable(static outside.c)
target_link_libraries(static PRIVATE cortenforge::static)
CMAKE
cmake -S "$work/around" -B "$work/around/b" -G Ninja -DCF_LTO=OFF -DCMAKE_BUILD_TYPE=Debug >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
grep -q '^CF_TOOLS:BOOL=OFF' "$work/around/b/CMakeCache.txt"
! grep -q 'cli/main.c\|tests/unit' "$work/around/b/build.ninja"
if [ "$compiles" = build ]; then
  cmake --build "$work/around/b" -j "$(nproc)" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; exit 1; }
  "$work/around/b/shared"
  "$work/around/b/static"
fi

# find_package(mujoco), asked for, from a tree that was installed without root
cmake -S "$source" -B "$work/asked" -G Ninja -DCF_TESTS=OFF -DCF_MUJOCO_PACKAGE=ON -DCF_TOOLS=OFF -DCF_BENCH=OFF -DCF_LTO=OFF >/dev/null
grep -q 'mujoco-config.cmake' "$work/asked/cmake_install.cmake"
! grep -q 'mujoco-config.cmake' "$work/plain/cmake_install.cmake"
cmake --install "$build" --prefix "$work/tree" >/dev/null
config=$(find "$work/tree" -name cortenforge-config.cmake)
mkdir "${config%/cortenforge/*}/mujoco"
cp "$work"/asked/generated/mujoco-config*.cmake "${config%/cortenforge/*}/mujoco/"
mkdir "$work/user"
cp "$source/tests/install/outside.c" "$work/user/"
cat >"$work/user/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(mujoco 3.5 REQUIRED)
add_executable(user outside.c)
target_link_libraries(user PRIVATE mujoco::mujoco)
add_executable(lone outside.c)
target_link_libraries(lone PRIVATE cortenforge::static)
CMAKE
cmake -S "$work/user" -B "$work/user/b" -G Ninja -DCMAKE_PREFIX_PATH="$work/tree" >/dev/null
cmake --build "$work/user/b" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/user/b/user"
"$work/user/b/lone"

# programs ask for a series of the library
readelf -d "$work/user/b/user" | grep -q 'NEEDED.*libcortenforge\.so\.[0-9]'
! readelf -d "$work/user/b/lone" | grep -q 'NEEDED.*libcortenforge'
echo "CMake: prefix dependencies, no cmocka, preset, subproject, find_package(mujoco), static, soname"
