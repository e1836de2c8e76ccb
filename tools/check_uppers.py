#!/usr/bin/env python3
"""Disassemble the library and show that it calls mathematical functions with clean registers.

  check_uppers.py LIBRARY

libm's functions may be compiled for SSE.  On many processors each of their instructions then waits for the upper halves of
AVX registers where these have been left in use: compilers put a vzeroupper before such calls.  gcc 12 leaves it out in a
function of which a part is split off because it is seldom run; such a function gets slower by a factor, and only there.
Exit status 1 where a call may come with upper halves in use, 77 where there is no objdump or the machine is not x86-64.
"""
import collections
import platform
import re
import shutil
import sys

from check_calls import blocks_of, disassemble

LIBM = {'acos', 'asin', 'atan', 'atan2', 'cos', 'exp', 'fmod', 'hypot', 'log', 'log10', 'pow', 'sin', 'sincos', 'tan', 'tanh'}


def libm_call(mnemonic, operands):
    """the function of libm that is called or jumped to, or None"""
    found = re.search(r'<(\w+)@plt', operands) if mnemonic.startswith('call') or mnemonic == 'jmp' else None
    return found[1] if found and found[1] in LIBM else None


def walk(rows, is_used):
    """(are upper halves in use after these instructions, calls of libm where they are)"""
    calls = []
    for _, mnemonic, operands in rows:
        if mnemonic.startswith('vzero'):
            is_used = False
        elif re.search(r'%[yz]mm', operands):
            is_used = True
        elif is_used and libm_call(mnemonic, operands):
            calls.append(libm_call(mnemonic, operands))
    return is_used, calls


def faults_of(body):
    """calls of libm in a function that some way leads to with upper halves in use"""
    next_of, owner = blocks_of(body)
    rows = collections.OrderedDict()
    for row in body:
        rows.setdefault(owner[row[0]], []).append(row)
    used, work = dict.fromkeys(rows, False), list(rows)
    while work:
        block = work.pop()
        if walk(rows[block], used[block])[0]:
            for target in next_of[block]:
                if target in used and not used[target]:
                    used[target] = True
                    work.append(target)
    return [name for block in rows for name in walk(rows[block], used[block])[1]]


def main():
    if platform.machine() not in ('x86_64', 'AMD64') or not shutil.which('objdump'):
        print('no objdump for x86-64: skipped')
        return 77
    ncall = nfault = 0
    for name, body in disassemble(sys.argv[1]).items():
        calls = sum(1 for _, mnemonic, operands in body if libm_call(mnemonic, operands))
        faults = faults_of(body) if calls else []
        for called in faults:
            print(f'{name} calls {called} with upper halves in use')
        ncall += calls
        nfault += len(faults)
    print(f'{ncall} calls of libm, {nfault} of them with upper halves in use')
    return 1 if nfault or not ncall else 0


if __name__ == '__main__':
    sys.exit(main())
