#!/usr/bin/env python3
"""How many assertions stand in each room of src, and whether a library has them.

  asserts.py                      table; exit code 1 below 10 per 1,000 lines overall or 4 in a room
  asserts.py --library FILE on    exit code 1 unless the library was built with assertions (off: without)
"""
import os
import re
import sys

import rooms

OVERALL, ROOM = 10, 4  # asserts per 1,000 lines
ASSERT = re.compile(r'^\s*CF_ASSERT(?:_\w+)?\(', re.M)


def count(room):
    """lines and assertions of the C files below a folder"""
    lines = asserts = 0
    for folder, _, files in os.walk(os.path.join(rooms.ROOT, room)):
        for file in files:
            if file.endswith(('.c', '.h')):
                with open(os.path.join(folder, file)) as f:
                    text = f.read()
                lines += text.count('\n')
                asserts += len(ASSERT.findall(text))
    return lines, asserts


def table():
    total, low = [0, 0], []
    for room, folder in sorted(rooms.rooms().items()):
        lines, asserts = count(folder)
        rate = 1000 * asserts / max(lines, 1)
        # a room of a few lines needs none
        low += [room] if rate < ROOM and lines >= 100 else []
        total = [total[0] + lines, total[1] + asserts]
        print(f'{room:12} {lines:7} lines {asserts:5} asserts {rate:6.1f} per 1,000')
    rate = 1000 * total[1] / total[0]
    print(f'{"src":12} {total[0]:7} lines {total[1]:5} asserts {rate:6.1f} per 1,000')
    for room in low:
        print(f'{room}: fewer than {ROOM} per 1,000 lines')
    if rate < OVERALL:
        print(f'fewer than {OVERALL} per 1,000 lines overall')
    return bool(low) or rate < OVERALL


def library(path, state):
    """the message of a failing assertion is in the library, or it is not"""
    with open(path, 'rb') as f:
        has = b': assertion failed: ' in f.read()
    print(f'{os.path.basename(path)}: assertions {"on" if has else "off"}, wanted {state}')
    return has != (state == 'on')


if __name__ == '__main__':
    sys.exit(library(*sys.argv[2:4]) if sys.argv[1:2] == ['--library'] else table())
