#!/usr/bin/env bash
# frames.sh [BUILD] [MODEL] [SIZE]: instructions of a frame without a screen, MuJoCo against ours (callgrind, one thread).
#
# Draws the same states with either library and the same driver and counts instructions of mjv_updateScene, mjr_render and
# mjr_readPixels, those of the driver included, by where they were spent: the library itself, the driver and code that it made.
# MUJOCO_REFERENCE_LIB names the reference.  Times come from build/bench/frames; on a busy machine only counts are steady.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build} model=${2:-models/humanoid.xml} size=${3:-640x480}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -n "${MUJOCO_REFERENCE_LIB:-}" ] || { echo "frames: MUJOCO_REFERENCE_LIB is not set"; exit 77; }
command -v valgrind >/dev/null || { echo "frames: no valgrind"; exit 77; }
for side in theirs ours; do
  LP_NUM_THREADS=0 valgrind --tool=callgrind --collect-atstart=no --toggle-collect=drawFrame --callgrind-out-file="$work/$side" \
    "$build/bench/frames" -n 1 -s "$size" -o $side "$MUJOCO_REFERENCE_LIB" "$build/libmujoco.so.3.5.0" "$model" \
    >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
done
python3 - "$work" <<'PYTHON'
import re, sys, collections
total = {}
for side in ('theirs', 'ours'):
    names, cost, obj, is_call = {}, collections.Counter(), '', False
    for line in open(f'{sys.argv[1]}/{side}', errors='replace'):
        found = re.match(r'ob=\((\d+)\)(?: (.*))?', line)
        if found:
            names[found[1]] = found[2] or names.get(found[1], '?')
            obj = names[found[1]]
        elif (found := re.match(r'cob=\((\d+)\) (.*)', line)):
            names[found[1]] = found[2]
        elif line.startswith('calls='):
            is_call = True   # the next line is the cost of the call, not of this function
        elif re.match(r'[+*\-\d]', line):
            if not is_call:
                cost[obj] += int(line.split()[-1])
            is_call = False
    split = collections.Counter()
    for name, n in cost.items():
        split['library' if 'libmujoco' in name else 'made by the driver' if '???' in name or not name.strip() else 'driver and system'] += n
    total[side] = split
frames = 4   # three to warm up and one
for part in ('library', 'driver and system', 'made by the driver'):
    a, b = total['theirs'][part] / frames, total['ours'][part] / frames
    print(f'{part:20} MuJoCo {a:14,.0f}   ours {b:14,.0f}   ratio {a / b if b else float("nan"):.3f}')
a, b = (sum(total[s].values()) / frames for s in ('theirs', 'ours'))
print(f'{"instructions a frame":20} MuJoCo {a:14,.0f}   ours {b:14,.0f}   ratio {a / b:.3f}')
PYTHON
