#!/usr/bin/env python3
"""Every public header compiles on its own, as C11 and as C++17, with every compiler that is there.

  check_headers.py INCLUDE_FOLDER
"""
import glob
import os
import shutil
import subprocess
import sys

FLAGS = ['-fsyntax-only', '-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wundef', '-Werror']
COMPILERS = [('gcc', ['-std=c11', '-xc']), ('clang', ['-std=c11', '-xc']),
             ('g++', ['-std=c++17', '-xc++']), ('clang++', ['-std=c++17', '-xc++'])]


def main():
    folder = sys.argv[1]
    headers = [os.path.relpath(h, folder) for h in sorted(glob.glob(folder + '/mujoco/*.h')
                                                          + glob.glob(folder + '/cortenforge/*.h'))]
    failed = 0
    for compiler, language in COMPILERS:
        if not shutil.which(compiler):
            print(f'SKIP {compiler}: not installed')
            continue
        for header in headers:
            program = f'#include <{header}>\nint main(void) {{ return 0; }}\n'
            result = subprocess.run([compiler, *language, *FLAGS, '-I', folder, '-'], input=program, text=True,
                                    capture_output=True)
            if result.returncode:
                failed += 1
                print(f'{compiler} {header}:\n{result.stderr}')
        print(f'{compiler}: {len(headers)} headers')
    return 1 if failed or not headers else 0


if __name__ == '__main__':
    sys.exit(main())
