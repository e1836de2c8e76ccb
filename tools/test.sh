#!/usr/bin/env bash
# Everything from nothing to green: as many passes side by side as there are processors, the release build beside those
# that make a build of their own; each prints one line when it ends.
#
#   tools/test.sh [PASS ...]     only these passes (the release build always); see the list below
#
# A pass ends with 0, with 77 (skipped: its last line says why) or fails; logs are under build/test-logs.  With CI=true a
# missing reference and a missing cross compiler fail.  Closing lines: tests, criteria, the ledger of mutants, and
# "N passed, N failed, N skipped" over single tests and passes.  Longer runs: make soak.
set -u
cd "$(dirname "$0")/.." || exit 1
bash tools/setup.sh test
jobs=$(nproc 2>/dev/null || echo 2)
log=$PWD/build/test-logs
rm -rf "$log"
mkdir -p "$log"
begin=$SECONDS
if [ $# -eq 0 ]; then
  echo "everything takes about $((40 / jobs + 1)) minutes on $jobs processors, the first time; a line for each pass as it ends, logs under build/test-logs"
fi

# the reference and the shared models, where they can be had
if [ -z "${MUJOCO_REFERENCE_LIB:-}" ]; then
  for lib in build/refenv/lib/python3*/site-packages/mujoco/libmujoco.so.3.5.0; do
    [ -f "$lib" ] && export MUJOCO_REFERENCE_LIB="$PWD/$lib" MUJOCO_REFERENCE_INCLUDE="$PWD/${lib%/*}/include"
  done
fi
if [ -z "${CF_SHARED_DIR:-}" ] && [ -d ../shared/models ]; then
  CF_SHARED_DIR=$(cd ../shared && pwd)
  export CF_SHARED_DIR
fi
[ -n "${MUJOCO_REFERENCE_LIB:-}" ] || echo "there is no reference library: comparisons are skipped"
[ -n "${CF_SHARED_DIR:-}" ] || echo "there are no shared models: their comparisons are skipped"

# pass NAME FUNCTION ARGUMENT...: run, keep the log, print one line, leave the result in NAME.result
pass() {
  local name=$1 code times
  shift
  TIMEFORMAT='%0R s, %0U + %0S s of processor'
  times=$({ time "$@" >"$log/$name.log" 2>&1; echo $? >"$log/$name.result"; } 2>&1)
  code=$(cat "$log/$name.result")
  case $code in
    0) printf 'ok       %-16s %s; %s\n' "$name" "$times" "$(last "$name")" ;;
    77) printf 'skipped  %-16s %s\n' "$name" "$(last "$name")" ;;
    *)
      printf 'FAILED   %-16s %s, log %s\n' "$name" "$times" "build/test-logs/$name.log"
      tail -n 60 "$log/$name.log"
      ;;
  esac
  return "$code"
}

# what a pass says about itself: its last line
last() {
  tail -n 1 "$log/$1.log"
}

# libraries with sanitizers are large: lld takes less than half the processor time of ld
link=
command -v ld.lld >/dev/null 2>&1 && link="-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld"

# configure FOLDER OPTION...: configure and build with the processors that FOLDER may use
configure() {
  cmake -S . -B "$1" -G Ninja "${@:2}" && cmake --build "$1" -j "$width"
}

# suite FOLDER NAME OPTION...: run the tests of a build; the last line counts them
suite() {
  ctest -j "$width" --test-dir "$1" --output-on-failure "${@:3}" | tee "$log/$2.status"
  local code=${PIPESTATUS[0]}
  cp "$1/Testing/Temporary/LastTest.log" "$log/$2.tests"
  python3 tools/count_tests.py "$log/$2.tests"
  return $code
}

run_release() {
  configure build -DCMAKE_BUILD_TYPE=Release -DCF_TESTS=ON && ls -l build/libcortenforge.so
}

run_tests() {
  suite build tests -LE soak
}

# the reference is not built for sanitizers: it leaks, and writes into arenas that ours has poisoned
without_reference() (
  unset MUJOCO_REFERENCE_LIB
  CI=false "$@"
)

# the library as one translation unit takes half the time to compile
run_asan() {
  configure build/asan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCF_SANITIZE=address,undefined -DCF_BENCH=OFF -DCF_UNITY=ON $link &&
    without_reference suite build/asan asan -L quick -LE static
}

# programs that start threads
run_tsan() {
  cmake -S . -B build/tsan -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCF_SANITIZE=thread -DCF_BENCH=OFF -DCF_UNITY=ON $link &&
    cmake --build build/tsan -j "$width" --target $threaded $(grep -q 'build cf_python:' build/tsan/build.ninja && echo cf_python) &&
    without_reference suite build/tsan tsan -R "^($(echo $threaded | tr ' ' '|')|python_threads)\$"
}
threaded="test_base_threads test_parallel test_batch test_batch_rollout test_solvers test_step test_crowd test_team_lean"

run_fuzz() {
  if ! echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | clang -fsanitize=fuzzer,address -x c - -o "$log/fuzzer"; then
    echo "fuzz: skipped, there is no clang with a fuzzer"
    [ "${CI:-}" = true ] && return 1
    return 77
  fi
  cmake -S . -B build/fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang -DCF_FUZZ=ON \
    -DCF_SANITIZE=address,undefined -DCF_TESTS=OFF -DCF_BENCH=OFF $link &&
    cmake --build build/fuzz -j "$width" --target fuzz_targets &&
    CF_FUZZ_PERCENT=${CF_FUZZ_PERCENT:-15} CF_FUZZ_JOBS=$width bash tests/fuzz/run.sh build/fuzz
}

run_yard_shared() {
  python3 tools/yardstick.py shared build --jobs "$width"
}

run_yard_own() {
  python3 tools/yardstick.py own build --jobs "$width"
}

run_hashes() {
  CF_JOBS=$width bash tools/determinism.sh gcc:O0 gcc:O2 clang:O0 clang:O3
}

run_arm64() {
  CF_JOBS=$width bash tools/determinism.sh arm64:O2
}

run_coverage() {
  python3 tools/coverage.py build/libcortenforge.so
}

# the module for browsers, where its compiler was installed (make web): bits in node, and the page in Chromium
run_web() {
  if [ ! -d build/cross/venv ] || [ ! -d build/web/npm ]; then
    echo "web: skipped, there is no compiler for it (make web installs one)"
    return 77
  fi
  CF_JOBS=$width bash tools/web.sh && bash tests/web/run.sh build
}

# what fails soonest and the longest first, so that all processors end together
passes="asan tests fuzz yard_shared hashes web tsan yard_own arm64 coverage"
[ $# -eq 0 ] || passes=$*

# passes that use what the release build has made; the others have builds of their own
after_release=" tests yard_shared web yard_own coverage "

# start_next ROOM: start the next pass that may start where fewer than ROOM run; 1 if none may
start_next() {
  local name
  [ "$(jobs -pr | wc -l)" -lt "$1" ] || return 1
  for name in $passes; do
    if [ -s "$log/release.result" ] || [[ $after_release != *" $name "* ]]; then
      passes=$(echo " $passes " | sed "s/ $name / /")
      pass "$name" "run_$name" &
      return 0
    fi
  done
  return 1
}

# a single pass has all processors, after the release build; of several, each has one and the build half of them
if [ "$(echo $passes | wc -w)" -le 1 ]; then
  width=$jobs
  pass release run_release || exit 1
else
  width=$(((jobs + 1) / 2))
  pass release run_release &
  width=1
fi
room=$((jobs - (jobs + 1) / 2 + 1))
while [ -n "${passes// /}" ]; do
  if [ -s "$log/release.result" ]; then
    [ "$(cat "$log/release.result")" = 0 ] || break
    room=$jobs
  fi
  start_next "$room" || wait -n
done
wait
[ "$(cat "$log/release.result")" = 0 ] || exit 1

# closing lines
failed=0
if [ -f "$log/tests.tests" ]; then
  python3 tools/criteria.py --log "$log/tests.tests" || failed=1
fi
python3 tools/mutate.py --check-ledger || failed=1
echo "$((SECONDS - begin)) s in all"
python3 tools/count_tests.py --close "$log" $failed
