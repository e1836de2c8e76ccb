#!/usr/bin/env python3
"""Links of the pages lead to files that a clone has, to headings that exist; pages for users keep to words that they know."""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# words of those who work on the project, with no meaning for others; paths that a clone does not have
INSIDE = re.compile(r'\.\./shared|§ ?\d|\bledger\b|\byardstick\b')
FOR_DEVELOPERS = re.compile(r'CONTRIBUTING.md|CHANGELOG.md|docs/(architecture|style).md|tests/')


def anchor(heading):
    """What a heading is called in links."""
    text = re.sub(r'[`*]|\[([^]]*)\]\([^)]*\)', lambda m: m.group(1) or '', heading.strip().lower())
    return re.sub(r'[^\w\- ]', '', text).replace(' ', '-')


def prose(text):
    return re.sub(r'^```.*?^```', '', text, flags=re.M | re.S)


def main():
    listed = subprocess.run(['git', '-C', ROOT, 'ls-files', '--cached', '--others', '--exclude-standard'], capture_output=True, text=True)
    if listed.returncode:
        print('skipped: not a clone')
        return 77
    files = set(listed.stdout.split('\n'))
    folders = {os.path.dirname(f) for f in files}
    pages = {f: open(os.path.join(ROOT, f), encoding='utf8').read() for f in files if f.endswith('.md')}
    headings = {f: {anchor(h) for h in re.findall(r'^#+ (.*)$', prose(text), re.M)} for f, text in pages.items()}
    bad = links = 0
    for page, text in sorted(pages.items()):
        for target in re.findall(r'\]\(([^)\s]+)\)', re.sub(r'`[^`\n]*`', '', prose(text))):
            if re.match(r'\w+:', target):
                continue
            path, _, part = target.partition('#')
            links += 1
            at = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if at not in files and at not in folders:
                bad += 1
                print(f'{page}: {target}: a clone has no such file')
            elif part and at in headings and part not in headings[at]:
                bad += 1
                print(f'{page}: {target}: the page has no such heading')
        for number, line in enumerate(text.split('\n'), 1):
            if not FOR_DEVELOPERS.match(page) and INSIDE.search(line):
                bad += 1
                print(f'{page}:{number}: a word that only developers know: {INSIDE.search(line).group()}')
    print(f'{links} links in {len(pages)} pages, {bad} complaints')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
