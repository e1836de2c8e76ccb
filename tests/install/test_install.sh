#!/usr/bin/env bash
# Install into a temporary tree and build an outside program against it: by pkg-config, by CMake package, and static.
#   test_install.sh SOURCE_DIR BUILD_DIR
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/tree" >/dev/null

pc=$(find "$work/tree" -name cortenforge.pc)
export PKG_CONFIG_PATH=${pc%/*}
lib=$(pkg-config --variable=libdir cortenforge)
cc $(pkg-config --cflags cortenforge) "$source/tests/install/outside.c" $(pkg-config --libs cortenforge) -o "$work/by_pkgconfig"
LD_LIBRARY_PATH=$lib "$work/by_pkgconfig"

cmake -S "$source/tests/install" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/tree" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/outside"

cc $(pkg-config --cflags cortenforge) "$source/tests/install/outside.c" "$lib/libcortenforge.a" \
   -lqhull_r -lccd -lspng -lpthread -lm -ldl -o "$work/static"
"$work/static"
"$work/tree/bin/cortenforge" --version
"$work/tree/bin/cortenforge" run "$source/models/plugins/cable.xml" --time 0.01 --quiet --plot-file "$work/plot.svg" >/dev/null
test "$(find "$work/tree" -name 'cortenforge-*.1' | wc -l)" -ge 13
grep -q '^\.SH OPTIONS' "$(find "$work/tree" -name cortenforge-run.1)"
bash -c '. "$1" && COMP_WORDS=(cortenforge batch --backend "") COMP_CWORD=3 && _cortenforge && test "${COMPREPLY[*]}" = "cpu cuda"' - \
  "$work/tree/share/bash-completion/completions/cortenforge"
test -s "$work/tree/share/fish/vendor_completions.d/cortenforge.fish"
grep -q '^#compdef cortenforge' "$work/tree/share/zsh/site-functions/_cortenforge"
if command -v zsh >/dev/null; then zsh -n "$work/tree/share/zsh/site-functions/_cortenforge"; fi
if command -v fish >/dev/null; then
  test "$(fish -c '. "$argv[1]"; complete -C "cortenforge batch --backend c"' "$work/tree/share/fish/vendor_completions.d/cortenforge.fish" | tr '\n' ' ')" = "cpu cuda "
fi
echo "installed tree: pkg-config, CMake package, static library, command line, plugins, manual and completion work"
