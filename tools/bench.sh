#!/usr/bin/env bash
# Speed against MuJoCo 3.5.0 in one run, as ratios (above 1: faster).
#   bench.sh [FILE|FOLDER...] [OPTIONS]   steps: `cortenforge race` with these arguments; models and tests/data by default
#   bench.sh load [FILE|FOLDER...]        loading instead of steps (bench/load.c)
set -u
cd "$(dirname "$0")/.." || exit 1
mode=steps
if [ "${1:-}" = load ]; then
  mode=load
  shift
fi
case ${1:---} in
  --*) set -- models tests/data "$@" ;;
esac
if [ $mode = steps ]; then
  exec build/cortenforge race --csv build/race.csv "$@"
fi

# the models that compare finds there and that both libraries accept; its first line says where the reference is
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build/cortenforge compare "$@" --kind model --steps 0 --csv "$work/models.csv" >/dev/null 2>"$work/err"
reference=$(sed -n 's/^reference: \(.*\) (found by .*/\1/p' "$work/err")
if [ -z "$reference" ]; then
  cat "$work/err" >&2
  exit 3
fi
cc -O2 -std=c11 -Iinclude bench/load.c -o build/bench_load -ldl || exit 1
awk -F, 'NR > 1 && $2 == "ok" { print $NF }' "$work/models.csv" |
  xargs -d '\n' build/bench_load "$reference" "$PWD/build/libmujoco.so.3.5.0"
