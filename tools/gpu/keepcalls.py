#!/usr/bin/env python3
"""keepcalls.py IN.ll OUT.ll: functions that are long before optimization stay functions.

LLVM inlines every function that is called once, whatever its size; whole stages become one function then, for which
ptxas takes minutes and finds no registers.  What the sources want inlined may be longer: such functions are often
written for a constant (a count of rows, a kind of contact) that they know only where they are inlined, and as calls
their vectors would lie in memory.  Beyond that length they are kept as well.
"""
import re
import sys

LONG = 280    # lines of unoptimized IR
LONGER = 500  # of what the sources call inline


def groups_with(word, lines):
    """numbers of the attribute groups that have a word, with their text"""
    found = (re.match(r'attributes #(\d+) = \{ (.*)\}$', line) for line in lines)
    return {m[1]: m[2] for m in found if m and re.search(rf'\b{word}\b', m[2])}


def keep(lines):
    """the lines with noinline at long functions, and how many those are"""
    always = groups_with('alwaysinline', lines)
    wanted = always.keys() | groups_with('inlinehint', lines).keys()
    lines, at, kept = list(lines), None, 0
    for k, line in enumerate(lines):
        if line.startswith('define '):
            at = k
        elif line == '}' and at is not None:
            group = re.search(r' #(\d+)', lines[at])
            most = LONGER if group and group[1] in wanted else LONG
            if k - at > most and '@cf_world(' not in lines[at]:
                lines[at] = re.sub(r' #(\d+)', lambda m: f' #9{m[1]}' if m[1] in always else m[0], lines[at])
                lines[at] = re.sub(r'( !\S.*)?\{$', r'noinline \1{', lines[at])
                kept += 'noinline' in lines[at]
            at = None
    # what remains of the wish where it was not granted
    lines += [f'attributes #9{number} = {{ {re.sub("alwaysinline ?", "", text)}}}' for number, text in always.items()]
    return lines, kept


def main():
    with open(sys.argv[1], encoding='utf8') as f:
        lines, kept = keep(f.read().split('\n'))
    with open(sys.argv[2], 'w', encoding='utf8') as f:
        f.write('\n'.join(lines))
    print(f'{kept} functions are kept as calls')


if __name__ == '__main__':
    main()
