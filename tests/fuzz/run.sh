#!/usr/bin/env bash
# Run every fuzz target, CF_FUZZ_JOBS (2) at a time; a finding fails and its input is kept.
#   run.sh BUILD_DIR
# A target ends after a fixed number of executions, CF_FUZZ_PERCENT (100) of about a minute's worth, or after
# CF_FUZZ_SECONDS (60).  The same CF_FUZZ_SEED (1) gives the same inputs in the same order on every machine; long runs
# take other seeds and counts, their results are in LEDGER.md.
set -u
build=$1 seconds=${CF_FUZZ_SECONDS:-60} seed=${CF_FUZZ_SEED:-1} percent=${CF_FUZZ_PERCENT:-100}
source=$(cd "$(dirname "$0")" && pwd)
found=$build/findings
mkdir -p "$found"

# executions of a target
runs_of() {
  case $1 in
    fuzz_extension) echo 60000 ;;
    fuzz_flex | fuzz_hfield) echo 70000 ;;
    fuzz_spec) echo 20000 ;;
    fuzz_skn) echo 120000 ;;
    fuzz_mjb | fuzz_mjcf) echo 150000 ;;
    fuzz_urdf) echo 400000 ;;
    *) echo 1000000 ;;
  esac
}

# one target: new inputs go to an empty folder of their own, the committed corpus is only read
fuzz_one() {
  local target=$1 name longest=4096
  name=$(basename "$target")
  [ "$name" = fuzz_mjb ] && longest=40000
  [ "$name" = fuzz_spec ] && longest=96
  rm -rf "$build/corpus/$name"
  mkdir -p "$build/corpus/$name"
  if "$target" -seed="$seed" -runs="$(($(runs_of "$name") * percent / 100))" -max_total_time="$seconds" -max_len=$longest -timeout=20 \
      -rss_limit_mb=2500 -print_final_stats=1 -verbosity=0 -artifact_prefix="$found/$name-" \
      "$build/corpus/$name" "$source/corpus/${name#fuzz_}" >"$build/$name.log" 2>&1; then
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log") executions, nothing found"
  else
    echo "$name: FOUND something, log $build/$name.log"
    tail -n 40 "$build/$name.log"
    return 1
  fi
}
export -f fuzz_one runs_of
export seconds seed percent source found build
targets=$(find "$build/fuzz" -maxdepth 1 -type f -executable | sort)
[ -n "$targets" ] || { echo "no fuzz targets in $build/fuzz"; exit 1; }
echo "$targets" | xargs -P "${CF_FUZZ_JOBS:-2}" -I{} bash -c 'fuzz_one {}' || exit 1
echo "$(echo "$targets" | wc -l) targets, $(cat "$build"/fuzz_*.log | awk '/number_of_executed_units/ { n += $2 } END { print n }') executions, nothing found"
