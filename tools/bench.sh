#!/usr/bin/env bash
# Speed against MuJoCo 3.5.0 in one run, as ratios (above 1: faster).
#   bench.sh [FILE|FOLDER...] [OPTIONS]   steps: `cortenforge race` with these arguments; models and tests/data by default
#   bench.sh load [FILE|FOLDER...]        loading instead of steps (bench/load.c)
#   bench.sh table                        one table of scenes of our own: one core, threads, lanes, loading (bench/table.c),
#                                         also as build/bench.csv; KEEP=1: as bench/results/MACHINE.csv, too; ROUNDS=5
set -u
cd "$(dirname "$0")/.." || exit 1
mode=steps
case ${1:-} in
  load | table) mode=$1; shift ;;
esac
case ${1:---} in
  --*) set -- models tests/data "$@" ;;
esac
if [ $mode = steps ]; then
  exec build/cortenforge race --csv build/race.csv "$@"
fi

# the models that compare finds there and that both libraries accept; its first line says where the reference is
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $mode = table ] && set -- models/humanoid.xml
build/cortenforge compare "$@" --kind model --steps 0 --csv "$work/models.csv" >/dev/null 2>"$work/err"
reference=$(sed -n 's/^reference: \(.*\) (found by .*/\1/p' "$work/err")
if [ -z "$reference" ]; then
  cat "$work/err" >&2
  exit 3
fi
if [ $mode = table ]; then
  build/bench/table -r "${ROUNDS:-5}" -o build/bench.csv "$reference" || exit 1
  if [ "${KEEP:-}" = 1 ]; then
    machine=${MACHINE:-$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1 | tr -cs 'A-Za-z0-9\n' '-' | sed 's/-*$//')-$(nproc)}
    mkdir -p bench/results
    header="# $(date -u +%F) $(git describe --always --dirty 2>/dev/null) $machine"  # before the file itself is changed
    { echo "$header"; cat build/bench.csv; } >"bench/results/$machine.csv"
    echo "kept as bench/results/$machine.csv"
  fi
  exit 0
fi
cc -O2 -std=c11 -Iinclude bench/load.c -o build/bench_load -ldl || exit 1
awk -F, 'NR > 1 && $2 == "ok" { print $NF }' "$work/models.csv" |
  xargs -d '\n' build/bench_load "$reference" "$PWD/build/libmujoco.so.3.5.0"
