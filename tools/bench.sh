#!/usr/bin/env bash
# Speed against MuJoCo 3.5.0 in one run, as ratios (above 1: faster).  Needs the reference and the shared models.
#   bench.sh [TEXT]        steps; only models whose path contains TEXT
#   bench.sh load [TEXT]   loading instead of steps (bench/load.c)
set -u
cd "$(dirname "$0")/.." || exit 1
tool=${CF_SHARED_DIR:-../shared}/tools/reference.py
python=build/refenv/bin/python
[ -x $python ] || python=python3
if [ ! -f "$tool" ]; then
  echo "bench: no comparison tool at $tool; stage timings of the embedded humanoid instead"
  exec build/cortenforge bench
fi
if [ "${1:-}" = load ]; then
  ours=$PWD/build/libmujoco.so.3.5.0 program=$PWD/build/bench_load
  reference=$($python "$tool" where | cut -d' ' -f1)
  cc -O2 -std=c11 -Iinclude bench/load.c -o "$program" -ldl || exit 1
  cd "$(dirname "$tool")/../models" || exit 1

  # models of the manifest with neither flex nor plugin
  models=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
                    !($at["nflex"] + $at["nplugin"]) && $at["verdict"] == "ok" { print $at["path"] }' MANIFEST.csv |
    grep -F -- "${2:-}")
  # shellcheck disable=SC2086
  exec "$program" "$reference" "$ours" $models
fi
$python "$tool" race build/libmujoco.so.3.5.0 --exclude flex,plugin --only "${1:-}" | tee build/race.csv |
  awk -F, 'NR == 1 { printf "%-52s %7s %9s %9s\n", "model", "ratio", "ref us", "our us"; next }
           NF > 5 { printf "%-52s %7.3f %9.2f %9.2f\n", $1, $2, $5, $6; sum += log($2); n++; if (min == 0 || $2 < min) { min = $2; worst = $1 } }
           END { if (n) printf "geometric mean %.3f over %d models; slowest %.3f %s\n", exp(sum / n), n, min, worst }'
