#!/usr/bin/env python3
"""Say how much of the C API is implemented.

  coverage.py [--list] LIBRARY.so

Functions that nobody has written are weak symbols of the library (tools/gen_missing.py), the others are strong ones.
--list names the missing functions under the sections of mujoco.h. The exit status is 1 if a function or a global
variable is not exported at all.
"""
import subprocess
import sys

import tables


def symbols(library):
    """Exported symbols: name and the letter nm gives it."""
    text = subprocess.run(['nm', '-D', '--defined-only', library], check=True, capture_output=True, text=True).stdout
    return {name.split('@')[0]: kind for _, kind, name in (line.split() for line in text.splitlines())}


def main():
    arguments = [a for a in sys.argv[1:] if a != '--list']
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    found = symbols(arguments[0])
    functions = tables.functions()
    variables = [r.name for r in tables.rows('globals.def') if r.kind != 'CF_NOTE']
    lost = [name for name in [f.name for f in functions] + variables if name not in found]
    missing = [f for f in functions if found.get(f.name, 'W') in 'Ww']

    if '--list' in sys.argv:
        section = None
        for f in missing:
            if f.section != section:
                section = f.section
                print(f'{section}:')
            print(f'  {f.name}')
    print(f'{len(functions) - len(missing)} of {len(functions)} functions implemented, '
          f'{len(variables) - len([v for v in variables if v in lost])} of {len(variables)} globals exported')
    for name in lost:
        print(f'not exported: {name}')
    return 1 if lost else 0


if __name__ == '__main__':
    sys.exit(main())
