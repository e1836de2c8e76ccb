#!/usr/bin/env bash
# doctor and adopt on a fresh virtual environment with the reference's Python package in it.
#   test_adopt.sh CORTENFORGE BUILD
# The packages are those beside MUJOCO_REFERENCE_LIB, so that nothing is downloaded; without them skipped.
set -u
cf=$1
reference=${MUJOCO_REFERENCE_LIB:-}
skip() {
  echo "adopt: $1"
  [ "${CI:-}" = true ] && exit 1
  exit 77
}
[ -f "$reference" ] || skip "needs the reference, MUJOCO_REFERENCE_LIB"
packages=$(cd "$(dirname "$reference")/.." && pwd)
[ -f "$packages/mujoco/__init__.py" ] && [ -d "$packages/numpy" ] || skip "the reference is not inside a Python environment"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv" 2>/dev/null || skip "no virtual environment can be made"
site=$(echo "$work"/venv/lib/python3*/site-packages)
[ "$(basename "$(dirname "$site")")" = "$(basename "$(dirname "$packages")")" ] || skip "the reference belongs to another Python"
for entry in "$packages"/*; do
  case $(basename "$entry") in
    mujoco | mujoco-*) cp -r "$entry" "$site/" ;;
    *) ln -s "$entry" "$site/" ;;
  esac
done

failed=0
check() {
  if ! "${@:2}"; then
    echo "FAILED $1"
    cat "$work/out"
    failed=1
  fi
}
run() { "$cf" "$@" >"$work/out" 2>&1; }
says() { grep -Eq -- "$1" "$work/out"; }
library=$site/mujoco/libmujoco.so.3.5.0
before=$(cksum <"$library")

run doctor "$work/venv"
check "doctor finds the package" says "mujoco 3.5.0 in $site/mujoco"
check "doctor sees MuJoCo's library" says "its library is MuJoCo's"
check "doctor names what draws" says "^pictures  "
check "doctor names what makes windows" says "^windows  .*GLFW 3"
check "adopt succeeds" run adopt "$work/venv"
check "adopt simulates" says "smoke test: a pendulum after 500 steps"
check "the library has changed" test "$before" != "$(cksum <"$library")"
check "everybody may read it" test -n "$(find "$library" -perm -444)"
check "the original is kept" test "$before" = "$(cksum <"$library.original")"
# an adopted library is not the reference; its original is
pendulum='<mujoco model="p"><worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>'
echo "$pendulum" >"$work/p.xml"
for command in compare race; do
  options=$([ $command = race ] && echo --pairs=1)
  run $command "$work/p.xml" --reference "$library" $options
  check "$command takes the original beside an adopted library" says 'reference: .*\.original'
  cp "$library" "$work/libmujoco.so.3.5.0"
  run $command "$work/p.xml" --reference "$work/libmujoco.so.3.5.0" $options
  check "$command without it fails" test $? -eq 3
  check "$command does not compare us with ourselves" says 'is CortenForge itself'
  MUJOCO_REFERENCE_LIB=$work/libmujoco.so.3.5.0 run $command "$work/p.xml" $options
  check "$command looks at the variable, too" says 'MUJOCO_REFERENCE_LIB\) is CortenForge itself'
done

run doctor --json "$work/venv"
check "doctor sees our library" says '"package_adopted": 1'
check "adopting again succeeds" run adopt "$work/venv"
check "the original is still the original" test "$before" = "$(cksum <"$library.original")"
check "undo succeeds" run adopt --undo "$work/venv"
check "the library is what it was" test "$before" = "$(cksum <"$library")"
check "undo leaves nothing behind" test ! -e "$library.original"
check "a second undo does nothing" run adopt --undo "$work/venv"

run doctor --json "$work/venv"
check "doctor sees that it is gone" says '"package_adopted": 0'

# without an environment nothing is touched
env -u VIRTUAL_ENV PATH="$work/venv/bin:$PATH" "$cf" adopt >"$work/out" 2>&1
check "no active environment is refused" test $? -eq 2
check "and the way out is named" says '--system'
check "and nothing has changed" test "$before" = "$(cksum <"$library")"
check "--system takes the Python that is found" env -u VIRTUAL_ENV PATH="$work/venv/bin:$PATH" "$cf" adopt --system --undo
check "VIRTUAL_ENV is enough" env VIRTUAL_ENV="$work/venv" "$cf" adopt --undo

# an installed tree has what it takes
cmake --install "$2" --prefix "$work/tree" >/dev/null
"$work/tree/bin/cortenforge" doctor "$work/venv" >"$work/out" 2>&1
check "an installed doctor finds what stands in" says "^library +$work/tree/lib"
"$work/tree/bin/cortenforge" adopt "$work/venv" >"$work/out" 2>&1
check "an installed tree can adopt" test $? -eq 0
check "and undo" "$work/tree/bin/cortenforge" adopt --undo "$work/venv"
rm "$work"/tree/lib*/cortenforge/libmujoco.so.3.5.0 "$work"/tree/lib/*/cortenforge/libmujoco.so.3.5.0 2>/dev/null
"$work/tree/bin/cortenforge" doctor "$work/venv" >"$work/out" 2>&1
check "doctor promises nothing that is not there" says "ours is not here"

# what does not simulate is taken out again
mkdir "$work/broken"
echo 'raise ImportError("no numbers today")' >"$work/broken/numpy.py"
PYTHONPATH=$work/broken run adopt "$work/venv"
check "an environment that cannot simulate is told" test $? -eq 4
check "and gets its library back" test "$before" = "$(cksum <"$library")"
check "and nothing else" test ! -e "$library.original"
run adopt --library "$site/mujoco/libmujoco.so.3.5.0" "$work/venv"
check "a library that is not ours is refused" test $? -eq 3
check "without touching anything" test "$before" = "$(cksum <"$library")"

# another version is refused and left alone
mv "$site"/mujoco-3.5.0.dist-info "$site/mujoco-3.4.0.dist-info"
sed -i 's/^Version: 3.5.0/Version: 3.4.0/' "$site/mujoco-3.4.0.dist-info/METADATA"
run doctor "$work/venv"
check "doctor does not suggest to adopt another version" says 'stands in for mujoco 3\.5\.0 alone'
run adopt "$work/venv"
check "another version is refused" test $? -eq 1
check "and named" says "has mujoco 3.4.0"
check "and untouched" test "$before" = "$(cksum <"$library")"
run adopt "$work/nowhere"
check "no environment is an error" test $? -eq 3
[ $failed -eq 0 ] && echo "adopt: fresh environment, put in, taken out, refused"
exit $failed
