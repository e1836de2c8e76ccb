#!/usr/bin/env bash
# Are results independent of compiler and optimization?  Builds the scenes of tests/determinism with gcc and clang at -O0,
# -O2 and -O3 (plain, without sanitizers) and compares the hashes of all scenes with tests/data/determinism/golden.txt.
#
#   tools/determinism.sh [--update] [--steps N] [COMPILER:LEVEL ...]      default: gcc and clang at O0, O2, O3
#
# --update writes golden.txt from gcc -O3 first.  Exit code 0 if all agree, 1 if not; golden hashes that were recorded
# with another libm are not compared.
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
    *) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
  shift
done
[ ${#builds[@]} -gt 0 ] || builds=(gcc:O3 gcc:O2 gcc:O0 clang:O3 clang:O2 clang:O0)

# build one variant and write its hashes to standard output
hashes() {
  local compiler=${1%%:*} level=${1##*:} folder
  folder=build-determinism/$compiler-$level
  cmake -S . -B "$folder" -G Ninja -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS_RELEASE="-$level -DNDEBUG" > /dev/null
  ninja -C "$folder" ${CF_JOBS:+-j$CF_JOBS} hash_scenes > "$folder/build.log" 2>&1 || { tail -20 "$folder/build.log" >&2; return 1; }
  "$folder/tests/hash_scenes" "$steps"
}

if [ -n "$update" ]; then
  mkdir -p "$(dirname $golden)"
  hashes gcc:O3 > $golden
fi

# what the first build says is what the others are compared with; golden.txt only where libm is the same
failed=0 expected=
for build in "${builds[@]}"; do
  found=$(hashes "$build")
  if [ -z "$expected" ]; then
    expected=$found
    if [ "$steps" = 500 ] && [ -f $golden ]; then
      if [ "$(head -1 $golden)" != "$(head -1 <<< "$found")" ]; then
        echo "golden.txt: recorded with another libm, not compared"
      elif [ "$(cat $golden)" != "$found" ]; then
        echo "golden.txt: differs from $build"; failed=1
        diff $golden - <<< "$found" || true
      fi
    fi
  fi
  if [ "$found" = "$expected" ]; then
    echo "$build: $(($(wc -l <<< "$found") - 1)) scenes equal"
  else
    echo "$build: differs"; failed=1
    diff <(echo "$expected") <(echo "$found") || true
  fi
done
exit $failed
