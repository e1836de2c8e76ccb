#!/usr/bin/env python3
"""Show where a folder of src/ includes a header of a folder below it in the layer order.

  check_layers.py [--strict]    --strict: exit 1 if anything is found that is not listed as known
"""
import os
import re
import sys

ORDER = ['base', 'tables', 'math', 'model', 'kinematics', 'flex', 'dynamics', 'collision', 'constraint', 'solver', 'ray',
         'sensor', 'derivative', 'pipeline', 'finitediff', 'spec', 'mjcf', 'compile', 'vis', 'api']

# includes that look down on purpose, with the reason
KNOWN = {}


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'src')
    found = []
    for base, _, names in os.walk(root):
        for name in sorted(names):
            if not name.endswith(('.c', '.h')):
                continue
            path = os.path.relpath(os.path.join(base, name), root)
            folder = path.split(os.sep)[0]
            for number, line in enumerate(open(os.path.join(base, name), encoding='utf8'), 1):
                m = re.match(r'#include "(\w+)/([\w/.]+)"', line)
                if not m or m.group(1) not in ORDER or folder not in ORDER:
                    continue
                if ORDER.index(m.group(1)) > ORDER.index(folder) and (path, f'{m.group(1)}/{m.group(2)}') not in KNOWN:
                    found.append(f'{path}:{number}: includes {m.group(1)}/{m.group(2)}')
    for line in sorted(found):
        print(line)
    print(f'{len(found)} includes against the layer order')
    return 1 if found and '--strict' in sys.argv else 0


if __name__ == '__main__':
    sys.exit(main())
