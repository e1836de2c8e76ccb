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
CF_COUNT=1 CF_PYTHON_PATH=$build/python exec "$python" -m pytest -q -p no:cacheprovider -o console_output_style=classic \
  "${@:-python/tests}"
