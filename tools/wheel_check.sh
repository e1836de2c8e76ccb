#!/usr/bin/env bash
# wheel_check.sh WHEEL...: install each wheel in a fresh environment of every Python it is for, and run the package's tests.
#
# Pythons are those of PATH, of pyenv, and what CF_PYTHONS names (executables, separated by spaces), each version once.
# CF_WHEEL_TESTS are arguments of pytest; without it all tests run that need neither mypy nor a reference.  Prints a line
# for each version; exit code 1 if one failed.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
tests=${CF_WHEEL_TESTS:-$root/python/tests --ignore=$root/python/tests/test_types.py}

# "VERSION EXECUTABLE" of each interpreter from 3.11 on, VERSION with a t where it is free-threaded
pythons() {
  local folder
  {
    printf '%s\n' ${CF_PYTHONS:-}
    for folder in ${PATH//:/ } "$HOME"/.pyenv/versions/*/bin; do
      ls "$folder"/python3.1[1-9]* 2>/dev/null | grep -E '/python3\.1[1-9]t?$'
    done
  } | while read -r python; do
    "$python" -c 'import sys, sysconfig, venv
if sys.version_info >= (3, 11):
    print("%d.%d%s" % (*sys.version_info[:2], "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""), sys.executable)' 2>/dev/null
  done | sort -u -k1,1 -V
}

# whether a wheel's tag fits a version: abi3 for all with a GIL, cpXYt for that one
fits() {
  case $1 in
    *-abi3-*) [[ $2 != *t ]] ;;
    *-cp*t-*) [[ $1 == *-cp${2/./}-* ]] ;;
  esac
}

failed=0
list=$(pythons)
for wheel; do
  wheel=$(realpath "$wheel")
  [[ $wheel == *_"$(uname -m)".whl ]] || { echo "wheel_check: ${wheel##*/} is for another processor"; continue; }
  while read -r version python; do
    fits "${wheel##*/}" "$version" || continue
    folder=$root/build/wheeltest/$version
    rm -rf "$folder" && mkdir -p "$folder"
    if ! { "$python" -m venv "$folder" && "$folder/bin/pip" install -q --disable-pip-version-check pytest "$wheel"; } >"$folder/log" 2>&1; then
      echo "wheel_check: $version  NOT INSTALLED: $(tail -n 1 "$folder/log")"
      failed=1
      continue
    fi
    (cd "$folder" && bin/python -m pytest -q -p no:cacheprovider $tests) >"$folder/log" 2>&1 </dev/null || failed=1
    echo "wheel_check: $version  $(tail -n 1 "$folder/log")  (${wheel##*/}, log ${folder#"$root"/}/log)"
  done <<<"$list"
done
exit $failed
