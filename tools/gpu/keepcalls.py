#!/usr/bin/env python3
"""keepcalls.py IN.ll OUT.ll: functions that are long before optimization stay functions.

LLVM inlines every function that is called once, whatever its size; whole stages become one function then, for which
ptxas takes minutes and finds no registers.  What the sources want inlined on a CPU is kept as well where it is long.
"""
import re
import sys

LONG = 200  # lines of unoptimized IR


def main():
    with open(sys.argv[1], encoding='utf8') as f:
        lines = f.read().split('\n')
    # groups of attributes that ask for inlining, and what remains of them
    wanted = {m[1]: m[2] for m in (re.match(r'attributes #(\d+) = \{ (.*\balwaysinline\b.*)\}$', line) for line in lines) if m}
    at, kept = None, 0
    for k, line in enumerate(lines):
        if line.startswith('define '):
            at = k
        elif line == '}' and at is not None:
            if k - at > LONG and '@cf_world(' not in lines[at]:
                lines[at] = re.sub(r' #(\d+)', lambda m: f' #9{m[1]}' if m[1] in wanted else m[0], lines[at])
                lines[at] = re.sub(r'( !\S.*)?\{$', r'noinline \1{', lines[at])
                kept += 'noinline' in lines[at]
            at = None
    for number, text in wanted.items():
        lines.append(f'attributes #9{number} = {{ {re.sub(r"alwaysinline ?", "", text)}}}')
    with open(sys.argv[2], 'w', encoding='utf8') as f:
        f.write('\n'.join(lines))
    print(f'{kept} functions are kept as calls')


if __name__ == '__main__':
    main()
