#!/usr/bin/env python3
"""Struct layout, enumerators, numeric macros and X macros are those of MuJoCo 3.5.0.

  check_layout.py COMPILER SOURCE_FOLDER WORK_FOLDER

Compiles the program of tools/gen_layout.py against our headers and compares its output with the recorded one. Where
MUJOCO_REFERENCE_LIB names the reference library, the program is also compiled against the headers next to it.
"""
import difflib
import os
import subprocess
import sys


def output(compiler, include, work, name):
    """What the layout program prints with the headers in `include`."""
    program = os.path.join(work, name)
    subprocess.run([compiler, '-std=c11', '-I', include, os.path.join(work, 'layout.c'), '-o', program], check=True)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


def differences(title, ours, expected):
    lines = [d for d in difflib.unified_diff(expected, ours, lineterm='', n=0) if d[0] in '+-']
    print(f'{title}: {len(ours)} lines, {"identical" if not lines else "DIFFERENT"}')
    print('\n'.join(lines[:40]))
    return bool(lines)


def main():
    compiler, source, work = sys.argv[1:4]
    os.makedirs(work, exist_ok=True)
    subprocess.run([sys.executable, os.path.join(source, 'tools', 'gen_layout.py'), os.path.join(work, 'layout.c')],
                   check=True)
    ours = output(compiler, os.path.join(source, 'include'), work, 'layout_ours')
    with open(os.path.join(source, 'tests', 'data', 'layout_3.5.0.txt'), encoding='utf-8') as f:
        failed = differences('recorded layout', ours, f.read().splitlines())
    library = os.environ.get('MUJOCO_REFERENCE_LIB', '')
    reference = os.path.join(os.path.dirname(library), 'include')
    if library and os.path.exists(os.path.join(reference, 'mujoco', 'mujoco.h')):
        failed |= differences('reference headers', ours, output(compiler, reference, work, 'layout_reference'))
    else:
        print('reference headers: not found (MUJOCO_REFERENCE_LIB), skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
