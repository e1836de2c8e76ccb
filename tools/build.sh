#!/usr/bin/env bash
# Configure and build without noise: a line for each tenth of the way, what the compiler says only if it fails.
#
#   tools/build.sh FOLDER [TARGET ...]     everything, or these targets of CMake; the whole log is FOLDER/build.log
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
folder=$1
shift
mkdir -p "$folder"
log=$folder/build.log
if ! cmake -S . -B "$folder" -G Ninja -DCF_TESTS=OFF -DCMAKE_BUILD_TYPE=Release >"$log" 2>&1; then
  grep -v '^-- ' "$log" >&2
  echo "build: CMake could not configure; the log is $log" >&2
  exit 1
fi
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
cmake --build "$folder" -j "$jobs" ${@:+--target "$@"} 2>&1 | tee -a "$log" | awk '
  match($0, /^\[[0-9]+\/[0-9]+\]/) {
    split(substr($0, 2, RLENGTH - 2), part, "/")
    tenth = int(10 * part[1] / part[2])
    if (part[2] > 20 && tenth > done) { done = tenth; printf "building %3d %%\n", 10 * tenth; fflush() }
  }'
code=$?
if [ "$code" != 0 ]; then
  grep -A 20 '^FAILED' "$log" | head -n 60 >&2
  echo "build: failed; the whole log is $log" >&2
fi
exit "$code"
