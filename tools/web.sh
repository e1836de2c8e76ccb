#!/usr/bin/env bash
# web.sh: build/web/cortenforge.wasm, the engine for browsers and node, and build/web/cortenforge.html, the page that
# holds it.
#
# The compiler is PyPI's ziglang, the libraries are built from their sources (tools/dependencies.sh), packages of the page
# are those of web/package-lock.json.  Exit 77 with the reason where something cannot be had.
set -u
cd "$(dirname "$0")/.." || exit 1

bash tools/setup.sh web || exit 77
zig=$(ls -d "$PWD"/build/cross/venv/lib/python3*/site-packages/ziglang 2>/dev/null) || { echo "web: skipped, no ziglang under build/cross/venv"; exit 77; }
bash tools/dependencies.sh build/deps || exit

# CMake wants single programs.  Files are compiled by clang itself, which ccache understands; zig links with its own libc
tools=$PWD/build/web/tools
mkdir -p "$tools"
write() {
  printf '#!/bin/sh\nexport ZIG_GLOBAL_CACHE_DIR=%q ZIG_LOCAL_CACHE_DIR=%q\n%s\n' "$PWD/build/cross/cache" "$PWD/build/cross/cache" "$2" >"$tools/$1"
  chmod +x "$tools/$1"
}
libc="-isystem \"$zig/lib/include\" -isystem \"$zig/lib/libc/include/wasm-wasi-musl\" -isystem \"$zig/lib/libc/include/generic-musl\""
write clang "case \" \$* \" in
  *' -c '* | *' -E '* | *' --version '*) exec \"$zig/zig\" clang --target=wasm32-unknown-wasip1 -nostdinc $libc \"\$@\" ;;
  *) exec \"$zig/zig\" cc -target wasm32-wasi -O2 \"\$@\" ;;
esac"
write ar "exec \"$zig/zig\" ar \"\$@\""
write ranlib "exec \"$zig/zig\" ranlib \"\$@\""

folder=build/web/module
cmake -S web -B "$folder" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/wasm32.cmake" -DCF_ZIG="$tools" -DCF_DEPENDENCIES="$PWD/build/deps" \
  -DCMAKE_BUILD_TYPE=Release >build/web/module.log 2>&1 || { tail -20 build/web/module.log >&2; exit 1; }
ninja -C "$folder" ${CF_JOBS:+-j$CF_JOBS} >>build/web/module.log 2>&1 || { tail -60 build/web/module.log >&2; exit 1; }
cp "$folder/cortenforge.wasm" build/web/cortenforge.wasm
echo "built: build/web/cortenforge.wasm"
node web/build.mjs
