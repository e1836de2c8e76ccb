#!/usr/bin/env python3
"""The functions that rows of attributes name are there: readers and writers in src/modeling/mjcf, the rest in src/modeling/compile.

  check_attributes.py SOURCE_DIR
"""
import glob
import os
import re
import sys

ROOT = sys.argv[1]
sys.path.insert(0, os.path.join(ROOT, 'tools'))
import tables  # noqa: E402


def defined(folder):
    """Names of the functions that a folder defines."""
    out = set()
    for path in glob.glob(os.path.join(ROOT, 'src', 'modeling', folder, '*.c')):
        with open(path, encoding='utf-8') as f:
            out |= set(re.findall(r'^[a-zA-Z][\w *]*?\b(\w+)\([^;]*?\)\s*\{', f.read(), flags=re.M))
    return out


def main():
    homes = {'read': defined('mjcf'), 'save': defined('mjcf'), 'model': defined('compile'), 'back': defined('compile')}
    missing, named = [], 0
    for row in tables.rows('mjcf_attributes.def'):
        for column, known in homes.items():
            name = re.fullmatch(r'(?:BY|CALL)\((\w+)\)', getattr(row, column, ''))
            named += name is not None
            if name and name.group(1) not in known:
                missing.append(f'{row.group} {row.name}: {column} names {name.group(1)}')
    print('\n'.join(missing + [f'{named} functions named, {len(missing)} of them unknown']))
    return 1 if missing or named < 100 else 0


if __name__ == '__main__':
    sys.exit(main())
