#!/usr/bin/env bash
# Run every fuzz target for a while, two at a time; a finding fails and its input is kept.
#   run.sh BUILD_DIR
# CF_FUZZ_SECONDS: how long each (20); binary models three times as long.  CF_FUZZ_SEED: the same number gives the same
# sequence of inputs (1); long runs take others, their results are in LEDGER.md.
set -u
build=$1 seconds=${CF_FUZZ_SECONDS:-20} seed=${CF_FUZZ_SEED:-1}
source=$(cd "$(dirname "$0")" && pwd)
found=$build/findings
mkdir -p "$found"
export ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1:detect_leaks=1}

# one target: new inputs go to a folder of their own, the committed corpus is only read
fuzz_one() {
  local target=$1 name limit=$seconds
  name=$(basename "$target")
  [ "$name" = fuzz_mjb ] && limit=$((3 * seconds))
  mkdir -p "$build/corpus/$name"
  if "$target" -seed="$seed" -max_total_time="$limit" -timeout=20 -rss_limit_mb=2500 -print_final_stats=1 -verbosity=0 \
      -artifact_prefix="$found/$name-" "$build/corpus/$name" "$source/corpus/${name#fuzz_}" >"$build/$name.log" 2>&1; then
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log") executions, nothing found"
  else
    echo "$name: FOUND something, log $build/$name.log"
    tail -n 40 "$build/$name.log"
    return 1
  fi
}
export -f fuzz_one
export seconds seed source found build
targets=$(find "$build/fuzz" -maxdepth 1 -type f -executable | sort)
[ -n "$targets" ] || { echo "no fuzz targets in $build/fuzz"; exit 1; }
echo "$targets" | xargs -P 2 -I{} bash -c 'fuzz_one {}'
