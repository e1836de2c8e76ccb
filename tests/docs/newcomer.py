#!/usr/bin/env python3
"""Do what the pages say, as somebody would who reads them for the first time: run every command and program verbatim, in a copy of
the project, and compare what they print.

  newcomer.py [--build FOLDER] [--python PROGRAM] [--root FOLDER] [--update] [PAGE ...]

Of a page this takes, in order:
  ```console   lines that begin with `$ ` are commands, the others are what they print
  ```sh        every line is a command (comments aside); a block without a language right after it is what the last one prints
  ```c, ```xml after a line that says "Save as `NAME`": the file
  ```python    runs as one program with what stands before it on the page
What is printed is compared line by line; `...` stands for any text, alone on a line for any lines.

--build   a build of this source tree, which the copy gets as build/: commands that install, build or test are left out and counted
--root    the root of a bare system to work in (chroot): every command runs, `make run` and its installation of packages too
--update  write what is printed into the pages, where it does not match
The last line counts: commands, programs, comparisons, and what was left out with the reason.
"""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = ['README.md', 'docs/tour.md', 'docs/python.md', 'docs/python-migrating.md']
LIMIT = 1800  # seconds a page

# commands that need a system of their own, or hours, and why they are left out: always, or with --build
ALWAYS = [(r'^make (test|soak|bench|mutants|gpu|wheel)\b', 'runs by itself'), (r'^git clone', 'no network'),
          (r'(?<![$A-Z_])[A-Z]{4,}(\.\.\.|/)|FILE\b|FOLDER\b', 'a placeholder')]
BUILT = [(r'^(apt-get|make (run|python|install|build)\b|make$)', 'installs or builds'), (r'pkg-config', 'needs an installed tree'),
         (r'build/pyenv', 'needs build/pyenv')]
MARK = '=====newcomer====='


class Item:
    def __init__(self, kind, text, line):
        self.kind, self.text, self.line, self.expected, self.span = kind, text, line, None, None


def items_of(text):
    """Commands, files and programs of a page, in order."""
    items, save_as, last = [], None, None
    lines = text.split('\n')
    k = 0
    while k < len(lines):
        named = re.search(r'[Ss]ave as `([^`]+)`', lines[k])
        save_as = named.group(1) if named else save_as
        fence = re.match(r'^```(\w*)$', lines[k])
        if not fence:
            last = None if lines[k].strip() and not named else last
            k += 1
            continue
        end = next(n for n in range(k + 1, len(lines)) if lines[n].startswith('```'))
        body, lang = lines[k + 1:end], fence.group(1)
        if lang == 'console':
            for n, line in enumerate(body):
                if line.startswith('$ '):
                    items.append(Item('command', line[2:], k + 2 + n))
                    items[-1].expected, items[-1].span = [], [k + 2 + n, k + 2 + n]
                elif items:
                    items[-1].expected.append(line)
                    items[-1].span[1] = k + 2 + n
        elif lang == 'sh':
            for n, line in enumerate(body):
                if line.strip() and not line.startswith('#'):
                    items.append(Item('command', line, k + 2 + n))
            last = items[-1] if items else None
        elif lang == '' and last is not None:
            last.expected, last.span = body, None
        elif lang in ('c', 'xml') and save_as:
            items.append(Item('file', '\n'.join(body) + '\n', k + 1))
            items[-1].name, save_as = save_as, None
        elif lang == 'python':
            items.append(Item('python', '\n'.join(body) + '\n', k + 1))
        k = end + 1
    return items


def reason(item, is_built):
    """Why a command is left out, None if it runs."""
    for pattern, why in ALWAYS + (BUILT if is_built else []):
        if item.kind == 'command' and re.search(pattern, re.sub(r'\s#.*', '', item.text)):
            return why
    return None


def matches(expected, printed):
    """Whether lines are what a page says; `...` stands for anything."""
    pattern = ''
    for line in expected:
        pattern += r'(?:.*\n)*?' if line.strip() == '...' else '.*?'.join(map(re.escape, line.rstrip().split('...'))) + r'[ \t]*\n'
    return re.fullmatch(pattern, ''.join(line + '\n' for line in printed)) is not None


def script_of(items, python):
    """One shell program for a page: marks between what the items print."""
    parts, program = [], ''
    for number, item in enumerate(items):
        parts.append(f"printf '\\n%s %d %d\\n' {MARK} {number - 1} $?")
        if item.kind == 'command':
            parts.append(re.sub(r'\s+# .*$', '', item.text))
        elif item.kind == 'file':
            parts.append(f"cat >{item.name} <<'END_OF_FILE'\n{item.text}END_OF_FILE")
        else:
            program += item.text + '\n'
            parts.append(f"{python} -W error - <<'END_OF_FILE'\n{program}END_OF_FILE")
    parts.append(f"printf '\\n%s %d %d\\n' {MARK} {len(items) - 1} $?")
    return '\n'.join(parts) + '\n'


def run(script, work, options):
    environment = dict(os.environ, HOME='/root' if options.root else work, LC_ALL='C.UTF-8', COLUMNS='100')
    environment.pop('PYTHONPATH', None)
    command = ['bash', '-c', f'cd {work}\n{script}']
    if options.root:
        inside = '/' + os.path.relpath(work, options.root)
        command = ['chroot', options.root, 'bash', '-c', f'cd {inside}\n{script}']
        passed = {k: v for k, v in os.environ.items() if k.startswith('PIP_') or k.lower().endswith('_proxy') or k.startswith('SSL_')}
        environment = {**passed, 'PATH': '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME': '/root', 'LC_ALL': 'C.UTF-8'}
    result = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            errors='replace', timeout=LIMIT * (6 if options.root else 1), check=False)
    return result.stdout


def outputs(text, count):
    """What each item printed, and its exit status."""
    found = {}
    begin = None
    for match in re.finditer(rf'\n{MARK} (-?\d+) (\d+)\n', text):
        if int(match.group(1)) >= 0:
            lines = text[begin:match.start()].split('\n')
            while lines and not lines[-1].strip():
                lines.pop()
            found[int(match.group(1))] = (lines, int(match.group(2)))
        begin = match.end()
    return [found.get(k, ([], None)) for k in range(count)]


def update(page, items):
    """Write what commands printed into the console blocks of a page."""
    lines = page.split('\n')
    for item in reversed(items):
        if item.span and not item.is_same:
            lines[item.span[0]:item.span[1]] = item.printed
    return '\n'.join(lines)


def copy_of(options):
    """A copy of the files that git tracks, with the build."""
    base = os.path.join(options.root, 'tmp') if options.root else None
    work = tempfile.mkdtemp(prefix='cortenforge.', dir=base)
    names = subprocess.run(['git', '-C', ROOT, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], capture_output=True, check=True)
    archive = subprocess.Popen(['tar', '-C', ROOT, '--null', '-T', '-', '-c'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    unpack = subprocess.Popen(['tar', '-C', work, '-x'], stdin=archive.stdout)
    archive.stdin.write(names.stdout)
    archive.stdin.close()
    if unpack.wait() or archive.wait():
        sys.exit('newcomer: cannot copy the project')
    if options.build:
        os.symlink(os.path.abspath(options.build), os.path.join(work, 'build'))
    return work


def read_page(name, work, options, tally):
    path = os.path.join(ROOT, name)
    with open(path, encoding='utf8') as f:
        page = f.read()
    items = []
    for item in items_of(page):
        why = reason(item, bool(options.build)) or ('no Python package' if item.kind == 'python' and not options.python else None)
        if why:
            tally['left out: ' + why] += 1
        else:
            items.append(item)
    found = outputs(run(script_of(items, options.python), work, options), len(items))
    for item, (printed, status) in zip(items, found):
        item.printed, item.is_same = printed, True
        tally[{'command': 'commands', 'file': 'files', 'python': 'programs'}[item.kind]] += 1
        place = f'{name}:{item.line}: {item.text.splitlines()[0]}'
        if status is None:
            tally['bad'] += 1
            print(f'{place}\n  did not run')
        elif item.expected is not None:
            tally['comparisons'] += 1
            item.is_same = matches(item.expected, printed)
            if not item.is_same and not options.update:
                tally['bad'] += 1
                print(f'{place}\n  the page says:\n' + '\n'.join('    ' + t for t in item.expected) + '\n  it prints:\n' +
                      '\n'.join('    ' + t for t in printed))
        elif status:
            tally['bad'] += 1
            print(f'{place}\n  ends with {status}:\n' + '\n'.join('    ' + t for t in printed[-20:]))
    if options.update:
        with open(path, 'w', encoding='utf8') as f:
            f.write(update(page, items))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build')
    parser.add_argument('--python', default='')
    parser.add_argument('--root')
    parser.add_argument('--update', action='store_true')
    parser.add_argument('--least', type=int, default=0, help='fail unless so many commands and programs ran')
    parser.add_argument('pages', nargs='*')
    options = parser.parse_args()
    tally = collections.Counter()
    for name in options.pages or PAGES:
        # a copy for each page, but one build in a bare root
        if options.root and 'work' in locals():
            read_page(name, work, options, tally)
            continue
        work = copy_of(options)
        try:
            read_page(name, work, options, tally)
        finally:
            if not options.root:
                shutil.rmtree(work)
    ran = tally['commands'] + tally['programs']
    print(', '.join(f'{count} {what}' for what, count in tally.items()))
    if tally['bad'] and not options.update:
        print('where the pages are wrong and not the program: newcomer.py --build build --update PAGE writes what is printed')
    if ran < options.least:
        print(f'newcomer: only {ran} commands and programs ran, expected {options.least}')
        return 1
    return 1 if tally['bad'] else 0


if __name__ == '__main__':
    sys.exit(main())
