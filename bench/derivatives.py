#!/usr/bin/env python3
"""Instructions of cf_transition and of mjd_transitionFD (centered), counted by callgrind.

  derivatives.py PROGRAM [MODEL.xml:STEPS]...    PROGRAM is build/bench/derivatives

Without models: those of docs/derivatives.md, from models/ and from $CF_SHARED_DIR/models/model.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OWN = ['humanoid.xml:0', 'humanoid.xml:300', 'car.xml:300']
SHARED = ['humanoid/humanoid.xml:0', 'humanoid/humanoid.xml:300', 'car/car.xml:0', 'car/car.xml:300',
          'tendon_arm/arm26.xml:0', 'tendon_arm/arm26.xml:100', 'humanoid/humanoid100.xml:150']


def count(program, model, steps, way, function):
    """instructions below a function, and what the program says"""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(['valgrind', '--tool=callgrind', f'--toggle-collect={function}',
                              f'--callgrind-out-file={folder}/out', program, model, steps, way],
                             capture_output=True, text=True)
    found = re.search(r'Collected : (\d+)', run.stderr)
    if run.returncode or not found:
        sys.exit(run.stderr)
    return int(found.group(1)), run.stdout.split()


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    shared = os.path.join(os.environ.get('CF_SHARED_DIR', ''), 'models', 'model')
    models = sys.argv[2:] or [f'{ROOT}/models/{m}' for m in OWN] + [
        f'{shared}/{m}' for m in SHARED if os.path.exists(f'{shared}/{m}'.rsplit(':', 1)[0])]
    print('| model | steps before | nv | rows | whole steps, instructions | cf_transition | ratio | columns closed, stage, step |')
    print('|---|---|---|---|---|---|---|---|')
    for model in models:
        path, steps = model.rsplit(':', 1)
        whole, _ = count(sys.argv[1], path, steps, 'whole', 'mjd_transitionFD')
        hybrid, said = count(sys.argv[1], path, steps, 'hybrid', 'cf_transitionColumns')
        s = dict(zip(said[::2], said[1::2]))
        print(f'| {os.path.relpath(path, shared if path.startswith(shared) else ROOT)} | {steps} | {s["nv"]} | {s["nefc"]} '
              f'| {whole:,} | {hybrid:,} | {hybrid / whole:.2f} | {s["closed"]}, {s["stage"]}, {s["step"]} |', flush=True)


if __name__ == '__main__':
    main()
