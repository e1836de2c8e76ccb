#!/usr/bin/env python3
"""What device code is made of.

  sources.py list             the source files, one per line (src/worlds/device/sources.txt)
  sources.py hash [FILE]      a number that stands for the text of all that kernels are made of; into a C file for the
                              library, which takes kernels with its own number only
  sources.py inputs           the files that it is made of
  sources.py headers FOLDER   copy the public headers there with a short record of solver iterations: a device keeps
                              none of mjData.solver, which is 160 of the 163 kB of the struct
"""
import glob
import hashlib
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'tools'))

import rooms  # noqa: E402


def files():
    found = []
    with open(os.path.join(ROOT, 'src/worlds/device/sources.txt'), encoding='utf8') as f:
        rows = [row.strip() for row in f if row.strip() and not row.startswith('#')]
    for row in rows:
        if row.startswith('-'):
            found.remove(row[1:])
        elif row.endswith('.c'):
            found.append(row)
        else:
            found += sorted(os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, row, '*.c')))
    return found


def headers(folder):
    os.makedirs(os.path.join(folder, 'mujoco'), exist_ok=True)
    for path in sorted(glob.glob(os.path.join(ROOT, 'include/mujoco/*.h'))):
        with open(path, encoding='utf8') as f:
            text = f.read()
        if path.endswith('mjmodel.h'):
            text, n = re.subn(r'(#define mjNSOLVER +)200', r'\g<1>1', text)
            assert n == 1, 'mjNSOLVER is not where it was'
        target = os.path.join(folder, 'mujoco', os.path.basename(path))
        if not os.path.exists(target) or open(target, encoding='utf8').read() != text:
            with open(target, 'w', encoding='utf8') as f:
                f.write(text)


def inputs():
    sources = files() + ['src/worlds/device/kernels.c', 'src/worlds/device/bytes.c']
    homes = rooms.rooms()
    used = sorted({rooms.room(path) for path in sources} | {'team'})
    found = set(sources)
    for room in used:
        for ending in ('h', 'def'):
            found.update(glob.glob(os.path.join(ROOT, homes[room], '**', '*.' + ending), recursive=True))
    for pattern in ('src/worlds/team/*.c', 'include/mujoco/*.h', 'tools/gpu/build.sh', 'tools/gpu/team.sh', 'tools/gpu/*.py'):
        found.update(glob.glob(os.path.join(ROOT, pattern)))
    return sorted({os.path.relpath(os.path.join(ROOT, path), ROOT) for path in found})


def number():
    total = hashlib.sha256()
    for path in inputs():
        with open(os.path.join(ROOT, path), 'rb') as f:
            total.update(path.encode() + b'\0' + hashlib.sha256(f.read()).digest())
    return total.hexdigest()[:16]


def write_number(path):
    text = ('// generated: what kernels for GPUs are made of, as a number (tools/gpu/sources.py)\n#include "batch/kernelsources.h"\n\n'
            f'const uint64_t cfi_kernelSources = 0x{number()};\n')
    with open(path, 'w', encoding='utf8') as f:
        f.write(text)


if __name__ == '__main__':
    if sys.argv[1:] == ['list']:
        print('\n'.join(files()))
    elif sys.argv[1:] == ['inputs']:
        print('\n'.join(inputs()))
    elif sys.argv[1:] == ['hash']:
        print(number())
    elif len(sys.argv) == 3 and sys.argv[1] == 'hash':
        write_number(sys.argv[2])
    elif len(sys.argv) == 3 and sys.argv[1] == 'headers':
        headers(sys.argv[2])
    else:
        sys.exit(__doc__)
