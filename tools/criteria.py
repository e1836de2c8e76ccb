#!/usr/bin/env python3
"""Which test shows which acceptance criterion of the source documents.

  criteria.py [--table]     exit code 1 and a list when a criterion has no test

A test carries the criterion in its name: AC18_..., R25_1_2_3_... (criteria 1 to 3 of item 25), T10_T21_ballLimit__...
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tests')
ITEMS = {23: 4, 24: 4, 25: 4, 26: 5, 27: 6}  # compiler, friction, priority, solmix, margin and gap
WANTED = ([f'AC{k}' for k in range(1, 38)] + [f'T{k}' for k in range(1, 23)]
          + [f'R{item}_{k}' for item, count in ITEMS.items() for k in range(1, count + 1)])


def labels(name):
    """criteria that a test name carries"""
    found = re.findall(r'(?:^|_)(AC\d+|T\d+)(?=_|b_)', name)
    item = re.match(r'R(\d+)((?:_\d+)+)(_to_(\d+))?_', name)
    if item:
        numbers = [int(n) for n in item[2].strip('_').split('_')]
        numbers += range(numbers[-1] + 1, int(item[4]) + 1) if item[4] else []
        found += [f'R{item[1]}_{n}' for n in numbers]
    return found


def main():
    tests = {}
    for folder, _, files in os.walk(ROOT):
        for file in sorted(f for f in files if f.endswith('.c')):
            path = os.path.join(folder, file)
            with open(path) as f:
                for name in re.findall(r'^CF_TEST\((\w+)\)', f.read(), re.M):
                    for label in labels(name):
                        tests.setdefault(label, []).append(f'{os.path.relpath(path, ROOT)}: {name}')
    missing = [label for label in WANTED if label not in tests]
    if '--table' in sys.argv[1:]:
        for label in WANTED:
            print(f'{label:6} ' + '; '.join(tests.get(label, ['MISSING'])))
    print(f'{len(WANTED) - len(missing)} of {len(WANTED)} criteria have a test'
          + (': missing ' + ', '.join(missing) if missing else ''))
    return 1 if missing else 0


if __name__ == '__main__':
    sys.exit(main())
