#!/usr/bin/env python3
"""Write the program that a page shows under `<!-- program: NAME -->` to a file.

  extract.py PAGE NAME OUT
"""
import re
import sys


def main():
    page, name, out = sys.argv[1:4]
    with open(page, encoding='utf8') as f:
        found = re.findall(r'^<!-- program: (\w+) -->\n```c\n(.*?)^```$', f.read(), re.M | re.S)
    text = dict(found).get(name)
    if text is None or len(found) != len(dict(found)):
        print(f'{page}: no program {name}, or one that is there twice')
        return 1
    with open(out, 'w', encoding='utf8') as f:
        f.write(text)
    return 0


if __name__ == '__main__':
    sys.exit(main())
