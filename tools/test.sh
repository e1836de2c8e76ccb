#!/usr/bin/env bash
# Everything from nothing to green: build, unit, property and conformance tests, the same under
# ASan+UBSan, and a minute of fuzzing.  Each part prints one line; the closing line counts the tests.
set -u
cd "$(dirname "$0")/.." || exit 1
bash tools/setup.sh test
jobs=$(nproc 2>/dev/null || echo 2)
log=build/test-logs
mkdir -p $log
failed=0

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
[ -n "${MUJOCO_REFERENCE_LIB:-}" ] || echo "SKIP: no reference library; conformance tests will skip"
[ -n "${CF_SHARED_DIR:-}" ] || echo "SKIP: no shared models; corpus tests will skip"

# part NAME COMMAND...: run, keep the log, remember a failure
part() {
  local name=$1 start=$SECONDS
  shift
  if "$@" >$log/"$name".log 2>&1; then
    echo "ok      $name ($((SECONDS - start)) s)"
  else
    echo "FAILED  $name ($((SECONDS - start)) s), log $log/$name.log"
    tail -n 60 $log/"$name".log
    failed=1
  fi
}

configure() {
  cmake -S . -B "$1" -G Ninja "${@:2}" && cmake --build "$1" -j "$jobs"
}

part build configure build -DCMAKE_BUILD_TYPE=Release -DCF_TESTS=ON
part tests ctest -j "$jobs" --test-dir build --output-on-failure
cp build/Testing/Temporary/LastTest.log $log/single.log 2>/dev/null
part build-asan configure build/asan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCF_TESTS=ON -DCF_SANITIZE=address,undefined
# the reference is not built for sanitizers: it leaks, and writes into arenas that ours has poisoned
part tests-asan env -u MUJOCO_REFERENCE_LIB ctest -j "$jobs" --test-dir build/asan --output-on-failure -L quick
part build-fuzz configure build/fuzz -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang -DCF_FUZZ=ON -DCF_SANITIZE=address,undefined -DCF_TESTS=OFF
part fuzz bash tests/fuzz/run.sh build/fuzz
grep -h executions $log/fuzz.log
part coverage python3 tools/coverage.py build/libcortenforge.so
tail -n 1 $log/coverage.log

# count: one line per ctest program, and the single tests inside (cmocka prints "[       OK ] name")
ctest --test-dir build -N 2>/dev/null | tail -n 1
grep -hE '^[0-9]+% tests passed' $log/tests.log $log/tests-asan.log
if [ -f $log/single.log ]; then
  ok=$(grep -c '^\[       OK \]' $log/single.log)
  bad=$(grep -c '^\[  FAILED  \] [a-zA-Z_]*__' $log/single.log)
  skipped=$(grep -c '^\[  SKIPPED \] [a-zA-Z_]*__' $log/single.log)
  echo "single tests in the release build:"
  echo "$ok passed, $bad failed, $skipped skipped"
fi
exit $failed
