#!/usr/bin/env python3
"""Headers of operating systems are included by src/base/platform* and cli/system* alone.

  check_platform.py [ROOT]

Names every other file of src, cli, plugin and python/core that includes one; exit code 1 then.
"""
import os
import re
import sys

FOLDERS = ('src', 'cli', 'plugin', 'python/core')
# the chooser of wheels is a module without the library, for Linux alone
ALLOWED = re.compile(r'(src/base/platform(_\w+)?|cli/system(_\w+)?|python/core/chooser)\.[ch]$')
# POSIX and Windows; what ISO C has is free, but its clocks and signals are not the same everywhere
SYSTEM = re.compile(r'^\s*#\s*include\s*<(?:(?:sys|mach|mach-o|linux|net|arpa|netinet)/[\w./-]+|'
                    r'(?:pthread|dlfcn|unistd|windows|dirent|fcntl|sched|link|glob|libgen|spawn|poll|semaphore|termios|'
                    r'pwd|strings|xlocale|io|direct|process|psapi|signal|locale|threads|malloc|alloca)\.h)>', re.M)


def intruders(root):
    """(file, line, header) of each include that does not belong there"""
    for folder in FOLDERS:
        for base, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(n for n in names if n.endswith(('.c', '.h', '.def'))):
                path = os.path.relpath(os.path.join(base, name), root)
                if ALLOWED.search(path.replace(os.sep, '/')):
                    continue
                with open(os.path.join(base, name), encoding='utf8') as f:
                    text = f.read()
                for found in SYSTEM.finditer(text):
                    yield path, text.count('\n', 0, found.start()) + 1, found.group(0).strip()


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
    found = list(intruders(root))
    for path, line, text in found:
        print(f'{path}:{line}: {text}: use base/platform.h')
    print(f'{len(found)} headers of operating systems outside of base/platform')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
