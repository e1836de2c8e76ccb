#!/usr/bin/env bash
# Speed against MuJoCo 3.5.0 in one run, as ratios (above 1: faster).  Needs the reference and the shared models.
#   bench.sh [TEXT]   only models whose path contains TEXT
set -u
cd "$(dirname "$0")/.." || exit 1
tool=${CF_SHARED_DIR:-../shared}/tools/reference.py
python=build/refenv/bin/python
[ -x $python ] || python=python3
if [ ! -f "$tool" ]; then
  echo "bench: no comparison tool at $tool; stage timings of the embedded humanoid instead"
  exec build/cortenforge bench
fi
$python "$tool" race build/libmujoco.so.3.5.0 --exclude flex,plugin --only "${1:-}" | tee build/race.csv |
  awk -F, 'NR == 1 { printf "%-52s %7s %9s %9s\n", "model", "ratio", "ref us", "our us"; next }
           NF > 5 { printf "%-52s %7.3f %9.2f %9.2f\n", $1, $2, $5, $6; sum += log($2); n++; if (min == 0 || $2 < min) { min = $2; worst = $1 } }
           END { if (n) printf "geometric mean %.3f over %d models; slowest %.3f %s\n", exp(sum / n), n, min, worst }'
