#!/usr/bin/env bash
# The long versions of the tests of the Python package: 1,000,000 views, 200,000 fuzzed calls. BUILD as for run.sh;
# a build with the address sanitizer checks every access.
set -eu
cd "$(dirname "$0")/../.."
CF_VIEWS=1000000 CF_FUZZ_CALLS=900 CF_FUZZ_SEED=${CF_FUZZ_SEED:-$RANDOM} \
  exec bash python/tests/run.sh "$1" python/tests/test_memory.py python/tests/test_functions.py
