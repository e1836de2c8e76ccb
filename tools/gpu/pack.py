#!/usr/bin/env python3
"""pack.py OUTPUT SOURCES ARCHITECTURE FILE...: kernels for several architectures in one file; architecture 0 is PTX; 1000 is added for
the fast tier.

The file: "CFKERNEL", number of images, the number of their sources (sources.py hash), then per image architecture, offset and size (little-endian int64), then the
images, PTX ended by a zero.  src/worlds/batch/cudadriver.c reads it.
"""
import struct
import sys


def main():
    output, sources, rest = sys.argv[1], int(sys.argv[2], 16), sys.argv[3:]
    images = []
    for architecture, path in zip(rest[::2], rest[1::2]):
        with open(path, 'rb') as f:
            images.append((int(architecture), f.read() + (b'\0' if int(architecture) % 1000 == 0 else b'')))
    at = 24 + 24 * len(images)
    head, body = b'CFKERNEL' + struct.pack('<qQ', len(images), sources), b''
    for architecture, image in images:
        head += struct.pack('<qqq', architecture, at + len(body), len(image))
        body += image + b'\0' * (-len(image) % 64)
    with open(output, 'wb') as f:
        f.write(head + body)
    print(f'{output}: {len(head + body)} bytes,', ', '.join((f'sm_{a % 1000}' if a % 1000 else 'PTX') + ' fast' * (a >= 1000) for a, _ in images))


if __name__ == '__main__':
    main()
