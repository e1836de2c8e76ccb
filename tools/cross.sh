#!/usr/bin/env bash
# cross.sh TARGET [NINJA_TARGET ...]: library, command line, headers and CMake package for another system.
#
# TARGET is one of those below; the result lies under build/cross/TARGET.  The compiler is PyPI's ziglang, the libraries
# are built from their sources (tools/dependencies.sh).  With NINJA_TARGETs only those are built and nothing is installed.
# Exit 77 with the reason where compiler or sources cannot be had.
set -u
cd "$(dirname "$0")/.." || exit 1
targets="x86_64-linux-gnu.2.28 aarch64-linux-gnu.2.28 x86_64-linux-musl aarch64-linux-musl riscv64-linux-musl
  riscv64-linux-gnu.2.31 x86-linux-musl x86_64-macos.11.0 aarch64-macos.11.0 x86_64-windows-gnu"
target=${1:-}
[[ " $(echo $targets) " == *" $target "* ]] || { echo "usage: cross.sh TARGET [NINJA_TARGET ...]; targets: $(echo $targets)" >&2; exit 2; }
shift

bash tools/setup.sh cross || exit 77
zig=$(ls -d "$PWD"/build/cross/venv/lib/python3*/site-packages/ziglang/zig 2>/dev/null) || { echo "cross: no ziglang under build/cross/venv"; exit 77; }
bash tools/dependencies.sh build/deps || exit

# wrappers: CMake wants single programs
tools=$PWD/build/cross/tools/$target
mkdir -p "$tools"
wrap() {
  printf '#!/bin/sh\nexport ZIG_GLOBAL_CACHE_DIR=%q ZIG_LOCAL_CACHE_DIR=%q\nexec %s "$@"\n' \
    "$PWD/build/cross/cache" "$PWD/build/cross/cache" "$2" >"$tools/$1"
  chmod +x "$tools/$1"
}
wrap cc "\"$zig\" cc -target $target"
wrap ar "\"$zig\" ar"
wrap ranlib "\"$zig\" ranlib"

# what runs programs of the target here, if anything
run=
case $target in
  x86_64-linux-musl | x86-linux-musl | x86_64-linux-gnu*) ;;
  aarch64-linux*) run=qemu-aarch64-static ;;
  riscv64-linux*) run=qemu-riscv64-static ;;
  x86_64-windows*) run=wine ;;
esac
if [ -n "$run" ]; then command -v "${run%% *}" >/dev/null || run=; fi

folder=build/cross/build-$target
cmake -S . -B "$folder" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/zig.cmake" -DCF_TARGET="$target" -DCF_ZIG="$tools" \
  -DCF_RUN="$run" -DCF_DEPENDENCIES="$PWD/build/deps" -DCMAKE_BUILD_TYPE=Release -DCF_LTO=OFF \
  -DCF_BENCH=OFF -DCF_PYTHON=OFF -DCF_TESTS=ON ${CF_CROSS_OPTIONS:-} >"$folder.log" 2>&1 || { tail -20 "$folder.log" >&2; exit 1; }
if [ $# -gt 0 ]; then
  ninja -C "$folder" ${CF_JOBS:+-j$CF_JOBS} "$@"
  exit
fi
# plugins take their functions from the program that loads them, which Windows does not offer
plugins=cf_plugins
[[ $target == *windows* ]] && plugins=
ninja -C "$folder" ${CF_JOBS:+-j$CF_JOBS} cortenforge cf_mujoco cf_static cf_cli $plugins >>"$folder.log" 2>&1 || { tail -40 "$folder.log" >&2; exit 1; }
rm -rf "build/cross/$target"
cmake --install "$folder" --prefix "$PWD/build/cross/$target" >>"$folder.log" 2>&1 || { tail -20 "$folder.log" >&2; exit 1; }
echo "built: build/cross/$target"
