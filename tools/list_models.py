#!/usr/bin/env python3
"""Write docs/models.md: the models of models/ by folder, each with the comment that opens it.

  list_models.py            writes the page
  list_models.py --check    says whether the page is up to date, exit status 1 if not
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, 'docs', 'models.md')
HEAD = '''# Models

{count} models of our own, written for this project: MJCF (and three URDF files) of a few bodies each that together use every
element, attribute and keyword of the grammar (`tests/corpus/coverage.py` counts; ctest `corpus_coverage`).
Every one loads, runs and survives saving and reloading (ctest `corpus_rigid`, `corpus_soft`) and is compared with MuJoCo 3.5.0 by
`make conform`, but for those of `extensions/`, which say what MuJoCo's grammar does not have.

MuJoCo itself stops on a few of them under other options: tendon equalities with sleeping (`loops`, `equality/tendon_ties`) and
discrete inverse dynamics with RK4 (`options/inverse_check`). Models in `soft/` need flexes.

This page is written by `tools/list_models.py` from the comments that open the files.
'''


def comment_of(path):
    match = re.search(r'<!--\s*(.*?)\s*-->', open(path, encoding='utf-8').read(), re.S)
    if not match:
        sys.exit(f'{path}: no comment at the top')
    return ' '.join(match.group(1).split())


def page():
    folders, count = {}, 0
    for folder, _, names in sorted(os.walk(os.path.join(ROOT, 'models'))):
        for name in sorted(names):
            if name.endswith(('.xml', '.urdf')):
                path = os.path.join(folder, name)
                folders.setdefault(os.path.relpath(folder, ROOT), []).append((name, comment_of(path)))
                count += 1
    text = HEAD.format(count=count)
    for folder, rows in folders.items():
        text += f'\n## {folder}\n\n| file | shows |\n|---|---|\n'
        text += ''.join(f'| [{name}](../{folder}/{name}) | {comment} |\n' for name, comment in rows)
    return text


def main():
    text = page()
    if '--check' not in sys.argv:
        with open(PAGE, 'w', encoding='utf-8') as f:
            f.write(text)
        return 0
    if not os.path.exists(PAGE) or open(PAGE, encoding='utf-8').read() != text:
        print('docs/models.md is not up to date: run tools/list_models.py')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
