#!/usr/bin/env python3
"""memcalls.py IN.ll OUT.ll: long copies and fills become calls of our word-wise functions.

LLVM lowers memcpy, memmove and memset of unknown or large size to loops over bytes on this target.
"""
import re
import sys

SMALL = 128  # bytes that the back end copies by words itself
OURS = {'memcpy': 'cfi_deviceCopy', 'memmove': 'cfi_deviceMove', 'memset': 'cfi_deviceFill'}


def replace(match):
    kind, arguments = match.group(1), match.group(2)
    part = [a.strip() for a in arguments.split(',')]
    size = part[2].split()[-1]
    if size.isdigit() and int(size) <= SMALL:
        return match.group(0)

    def pointer(text):
        return 'ptr ' + text.split()[-1]
    if kind == 'memset':
        value = part[1].split()[-1]
        if not re.fullmatch(r'-?\d+', value):
            return match.group(0)
        second = f'i32 {value}'
    else:
        second = pointer(part[1])
    return f'call void @{OURS[kind]}({pointer(part[0])}, {second}, {part[2].split()[0]} {size})'


def main():
    with open(sys.argv[1], encoding='utf8') as f:
        text = f.read()
    text = re.sub(r'(?:tail )?call void @llvm\.(memcpy|memmove|memset)\.[\w.]*\(((?:[^()]|\([^()]*\))*)\)', replace, text)
    with open(sys.argv[2], 'w', encoding='utf8') as f:
        f.write(text)


if __name__ == '__main__':
    main()
