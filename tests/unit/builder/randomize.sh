#!/usr/bin/env bash
# examples/randomize.c: every episode runs, both models of bending and of the actuator are drawn, the same seed gives the
# same text to the last bit, another seed another one.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" --episodes 12 --time 0.05 --svg "$work/a.svg" > "$work/a"
"$1" --episodes 12 --time 0.05 --svg "$work/b.svg" > "$work/b"
"$1" --episodes 12 --time 0.05 --seed 2 > "$work/c"
cmp "$work/a" "$work/b"
cmp "$work/a.svg" "$work/b.svg"
! cmp -s "$work/a" "$work/c"
for word in bridson cotangent dc_motor series_elastic '12 episodes, seed 1, hash [0-9a-f]{16}'; do
  grep -Eq "$word" "$work/a" || { echo "no '$word' in the output"; exit 1; }
done
[ "$(grep -c '<circle' "$work/a.svg")" = 12 ]
