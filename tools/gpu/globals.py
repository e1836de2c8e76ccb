#!/usr/bin/env python3
"""globals.py IN.ll OUT.ll: pointers that are read from constant memory point to global memory.

The plan of the fast tier lies in constant memory and its arrays in global memory, which C cannot say; with it the
arrays are read by loads of that memory instead of generic ones.
"""
import re
import sys

LOAD = re.compile(r"^(\s*)(%\S+) = load (volatile )?ptr, ptr addrspace\(4\) (.*)$")


def main():
    count = 0
    with open(sys.argv[1], encoding='utf8') as f, open(sys.argv[2], 'w', encoding='utf8') as out:
        for line in f:
            found = LOAD.match(line.rstrip('\n'))
            if found:
                space, name, volatile, rest = found.groups()
                far = f'%cf.global.{count}'
                count += 1
                out.write(f'{space}{far} = load {volatile or ""}ptr addrspace(1), ptr addrspace(4) {rest}\n')
                out.write(f'{space}{name} = addrspacecast ptr addrspace(1) {far} to ptr\n')
            else:
                out.write(line)
    print(f'{count} pointers are known to be global')


if __name__ == '__main__':
    main()
