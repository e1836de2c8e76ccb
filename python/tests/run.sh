#!/usr/bin/env bash
# Run the tests of the Python package on the extension in a build folder.
#
#   run.sh BUILD [ARGUMENT of pytest...]
set -u
build=$1
shift
python=${CF_PYENV:-build/pyenv}/bin/python
if ! "$python" -c 'import numpy, pytest' >/dev/null 2>&1; then
  echo "SKIP python: there is no environment with numpy and pytest (bash tools/setup.sh python)"
  [ "${CI:-}" = true ] && exit 1
  exit 77
fi
# an extension with the address sanitizer needs its runtime before anything else; Python itself keeps memory to the end
if ldd "$build"/python/cortenforge/_core.abi3.so 2>/dev/null | grep -q libasan; then
  export LD_PRELOAD=$(ldd "$build"/python/cortenforge/_core.abi3.so | awk '/libasan/ {print $3}')
  export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
fi
# the thread sanitizer: what is not instrumented (Python, NumPy) synchronizes through functions that it knows
if ldd "$build"/python/cortenforge/_core.abi3.so 2>/dev/null | grep -q libtsan; then
  export LD_PRELOAD=$(ldd "$build"/python/cortenforge/_core.abi3.so | awk '/libtsan/ {print $3}')
  export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=0:exitcode=66:second_deadlock_stack=1}"
fi
if [ $# -eq 0 ]; then
  for file in ${CF_PYTHON_ONLY:-}; do set -- "$@" "python/tests/$file"; done
fi
CF_COUNT=1 CF_PYTHON_PATH=$build/python exec "$python" -m pytest -q -p no:cacheprovider -o console_output_style=classic \
  "${@:-python/tests}"
