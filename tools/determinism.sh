#!/usr/bin/env bash
# Are results independent of compiler, optimization and processor?  Builds the scenes of tests/determinism, the library
# as one translation unit, and compares the hashes of all scenes with tests/data/determinism/golden.txt.
#
#   tools/determinism.sh [--update] [--steps N] [COMPILER:LEVEL ...]      default: gcc and clang at O0, O2, O3
#
# COMPILER arm64 is the cross compiler for 64-bit ARM, run with qemu-user; 77 where a compiler or its libraries are missing
# (1 with CI=true), after those that are there.  --update writes golden.txt from gcc -O3 first.  Exit code 0 if all agree, 1 if not; golden hashes that
# were recorded with another libm are not compared, and the first build stands in for them.
set -euo pipefail
cd "$(dirname "$0")/.."
golden=tests/data/determinism/golden.txt
steps=500
update=
builds=()
while [ $# -gt 0 ]; do
  case $1 in
    --update) update=1 ;;
    --steps) steps=$2; shift ;;
    *:*) builds+=("$1") ;;
    *) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
  shift
done
[ ${#builds[@]} -gt 0 ] || builds=(gcc:O3 gcc:O2 gcc:O0 clang:O3 clang:O2 clang:O0)

# what a cross build needs, or the reason why there is none
cannot() {
  echo "hashes: skipped, $1"
  [ "${CI:-}" = true ] && exit 1
  exit 77
}
root=$PWD/build/arm64-root
case " ${builds[*]} " in
  *" arm64:"*)
    command -v aarch64-linux-gnu-gcc >/dev/null || cannot "there is no aarch64-linux-gnu-gcc"
    command -v qemu-aarch64-static >/dev/null || cannot "there is no qemu-aarch64-static"
    why=$(bash tools/arm64_root.sh "$root") || cannot "$why"
    ;;
esac

# builds without a compiler are left out
present=() absent=
for build in "${builds[@]}"; do
  if [ "${build%%:*}" = arm64 ] || command -v "${build%%:*}" >/dev/null; then
    present+=("$build")
  else
    absent="$absent $build"
  fi
done
[ ${#present[@]} -gt 0 ] || cannot "there is no compiler for$absent"
builds=("${present[@]}")

# build one variant and write its hashes to standard output
hashes() {
  local compiler=${1%%:*} level=${1##*:} folder run=
  local options=(-DCMAKE_C_COMPILER="$compiler")
  folder=build/determinism/$compiler-$level
  if [ "$compiler" = arm64 ]; then
    options=(-DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64.cmake" -DCF_ROOT="$root")
    run="qemu-aarch64-static -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=$root/lib/aarch64-linux-gnu:$root/usr/lib/aarch64-linux-gnu"
  fi
  mkdir -p "$folder"
  cmake -S . -B "$folder" -G Ninja "${options[@]}" -DCMAKE_BUILD_TYPE=Release -DCF_LTO=OFF -DCF_BENCH=OFF \
    -DCMAKE_C_FLAGS_RELEASE="-$level -DNDEBUG" >"$folder/build.log" 2>&1 &&
    ninja -C "$folder" ${CF_JOBS:+-j$CF_JOBS} hash_unity >>"$folder/build.log" 2>&1 ||
    { tail -20 "$folder/build.log" >&2; return 1; }
  $run "$folder/tests/hash_unity" "$steps"
}

if [ -n "$update" ]; then
  mkdir -p "$(dirname $golden)"
  hashes gcc:O3 >$golden
fi

# the first line names the libm: state hashes are compared whatever it says, as long as golden.txt is of this machine
failed=0 expected=
if [ "$steps" = 500 ] && [ -f $golden ]; then
  expected=$(tail -n +2 $golden)
fi
for build in "${builds[@]}"; do
  found=$(hashes "$build")
  if [ -n "$expected" ] && [ "$build" = "${builds[0]}" ] && [ "${build%%:*}" != arm64 ] &&
    [ "$(head -1 $golden)" != "$(head -1 <<<"$found")" ]; then
    echo "golden.txt: recorded with another libm, not compared"
    expected=
  fi
  found=$(tail -n +2 <<<"$found")
  [ -n "$expected" ] || expected=$found
  if [ "$found" = "$expected" ]; then
    echo "$build: $(wc -l <<<"$found") scenes equal"
  else
    echo "$build: differs"
    failed=1
    diff <(echo "$expected") <(echo "$found") || true
  fi
done
[ $failed = 0 ] && [ -n "$absent" ] && cannot "there is no compiler for$absent"
[ $failed = 0 ] && echo "$(wc -l <<<"$expected") scenes, the same hashes from ${builds[*]}"
exit $failed
