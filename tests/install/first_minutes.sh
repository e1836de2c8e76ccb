#!/usr/bin/env bash
# The first minutes in a clone: targets of make, what setup says without root, the humanoid that waves, the quiet build.
#   first_minutes.sh SOURCE_DIR CORTENFORGE
set -eu
unset -f cmake ninja cc make 2>/dev/null || true  # programs, whatever functions the environment has
source=$1 cortenforge=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source"

# make alone builds; every target that help names exists, and every phony one has something to do
make -n | grep -q 'tools/build.sh build'
make -s help >"$work/help"
for target in $(grep -oE '\bmake [a-z-]+' "$work/help" | cut -d' ' -f2 | sort -u); do
  make -n "$target" >"$work/log" 2>&1 || { echo "make $target:"; cat "$work/log"; exit 1; }
  grep -q . "$work/log"
  ! grep -q 'Nothing to be done' "$work/log" || { echo "make $target does nothing"; exit 1; }
done
for target in build clean uninstall asan fuzz; do
  grep -q "make $target" "$work/help" || { echo "help lacks $target"; exit 1; }
done
make -n conform | grep -q 'setup.sh conform'

# without root and without the right to sudo: the line to run, and nothing is installed
mkdir "$work/bin"
for tool in bash dirname ls grep cat mkdir sed awk; do
  ln -s "$(command -v $tool)" "$work/bin/$tool"
done
printf '#!/bin/sh\necho 1000\n' >"$work/bin/id"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/sudo"
printf '#!/bin/sh\ntouch %s/installed\n' "$work" >"$work/bin/apt-get"
chmod +x "$work"/bin/id "$work"/bin/sudo "$work"/bin/apt-get
if PATH=$work/bin bash tools/setup.sh build >"$work/log" 2>&1; then
  echo "setup says that all is well without a compiler"
  exit 1
fi
grep -q '^  sudo apt-get install --no-install-recommends libc6-dev .*gcc.*cmake.*ninja-build' "$work/log"
test ! -e "$work/installed"

# the humanoid stands for ten seconds and raises a hand; other models say that they cannot
"$cortenforge" run --ctrl wave --time 10 --record "$work/wave.csv" --plot qpos,qpos:elbow_right --plot-file "$work/wave.svg" --quiet >/dev/null
python3 - "$work/wave.csv" <<'PYTHON'
import csv
import sys

with open(sys.argv[1], encoding='utf8') as f:
    rows = list(csv.DictReader(f))
height = [float(r['qpos.2']) for r in rows]
elbow = [float(r[k]) for r in rows[500:] for k in r if 'elbow_right' in k]
assert min(height) > 1.25, f'it falls: {min(height)}'
assert max(elbow) - min(elbow) > 0.5, f'it does not wave: {min(elbow)} to {max(elbow)}'
PYTHON
status=0
"$cortenforge" run models/stack.xml --ctrl wave --time 1 2>"$work/log" || status=$?
test "$status" = 2
grep -q 'only the embedded humanoid' "$work/log"
status=0
"$cortenforge" render models/stack.xml --ctrl nonsense --out "$work/a.png" 2>"$work/log" || status=$?
test "$status" = 2
grep -q 'wave' "$work/log"

# a build that fails says why in few lines, and names the log
mkdir "$work/project" "$work/project/tools"
cp tools/build.sh "$work/project/tools/"
cat >"$work/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(broken C)
add_executable(broken broken.c)
CMAKE
echo 'int main(void) { return nothing; }' >"$work/project/broken.c"
if bash "$work/project/tools/build.sh" b >"$work/log" 2>&1; then
  echo "a build that fails is reported as good"
  exit 1
fi
grep -q 'nothing.* undeclared' "$work/log"
grep -q 'b/build.log' "$work/log"
test "$(wc -l <"$work/log")" -lt 60
echo "make, setup without root, the humanoid and the quiet build: as they should be"
