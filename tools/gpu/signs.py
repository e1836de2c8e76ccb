#!/usr/bin/env python3
"""signs.py IN.ll OUT.ll: true as a signed number is -1.

LLVM 19's back end for NVIDIA GPUs turns `sitofp i1` into +1 (it selects between 1 and 0), so that a limit that is
reached from above pushed the wrong way.  The same as a choice between -1 and 0 is right with every version.
"""
import re
import sys

CONVERSION = re.compile(r'= sitofp i1 (\S+) to (double|float)\b')


def main():
    with open(sys.argv[1], encoding='utf8') as f:
        text, count = CONVERSION.subn(r'= select i1 \1, \2 -1.0, \2 0.0', f.read())
    if re.search(r'sitofp (<\d+ x )?i1\b', text):
        sys.exit('gpu: signs.py does not know this form of sitofp i1')
    with open(sys.argv[2], 'w', encoding='utf8') as f:
        f.write(text)
    print(f'{count} signs are chosen')


if __name__ == '__main__':
    main()
