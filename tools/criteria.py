#!/usr/bin/env python3
"""Which test shows which acceptance criterion of the source documents, and did it run.

  criteria.py [--table] [--log LOG ...] [--documents FOLDER]

Exit code 1 and a list when a criterion has no test.  With --log (ctest's LastTest.log) also when its test did not run,
was skipped or failed; with --documents, or CF_SHARED_DIR/seeds where that exists, also when the documents number other
criteria than those written here.

A criterion is named by document and section: 000/AC7, 002/24.2, 003/38.T10, 003/40.4.  A test carries its criterion in
its name, read by the prefixes below (AC18_..., R25_1_2_3_..., T10_T21_ballLimit__..., F4_fluid__..., C42B_3_...,
C42A_iv_6_...); what no name carries stands in tests/criteria.txt.
"""
import argparse
import glob
import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
TESTS = os.path.join(ROOT, 'tests')

# how many criteria the sections of the documents number; those of 004 are numbered in tests/criteria.txt
SECTIONS = [('000/AC', 37), ('001/AC', 21),
            ('002/23.', 4), ('002/24.', 4), ('002/25.', 4), ('002/26.', 5), ('002/27.', 6),
            ('003/38.', 21), ('003/38.T', 22), ('003/39.T', 18), ('003/40.', 11), ('003/41.', 12), ('003/42.', 3),
            ('003/42A-i.', 6), ('003/42A-ii.', 4), ('003/42A-iii.', 4), ('003/42A-iv.', 7), ('003/42A-v.', 5),
            ('003/42B.', 8), ('003/42C.', 5), ('003/42D.', 5), ('003/42E.', 5), ('003/42F.', 6)]
OURS = [('004/1.', 6), ('004/2.', 2), ('004/3.', 6), ('004/4.', 10), ('004/5.', 4), ('004/6.', 6), ('004/7.', 2), ('004/8.', 4)]
WANTED = [f'{section}{k}' for section, count in SECTIONS + OURS for k in range(1, count + 1)]


def labels(path, name):
    """criteria that the name of a test carries"""
    found = [f'000/{n}' for n in re.findall(r'(?:^|_)(AC\d+)(?=_)', name)]
    section = {'test_ball_limit.c': '003/38.', 'test_wrap.c': '003/39.'}.get(os.path.basename(path))
    if section:
        found += [section + n for n in re.findall(r'(?:^|_)(T\d+)(?=b?_)', name)]
    item = re.match(r'F(\d+)_fluid__', name)
    found += [f'003/40.{item[1]}'] if item else []
    item = re.match(r'R(\d+)((?:_\d+)+)(_to_(\d+))?_', name)
    if item:
        numbers = [int(n) for n in item[2].strip('_').split('_')]
        numbers += range(numbers[-1] + 1, int(item[4]) + 1) if item[4] else []
        found += [f'002/{item[1]}.{n}' for n in numbers]
    for part, roman, numbers in re.findall(r'(?:^|_)C42([A-F]?)(?:_([iv]+))?((?:_\d+)+)(?=_)', name):
        section = f'003/42{part}' + (f'-{roman}' if roman else '')
        found += [f'{section}.{n}' for n in numbers.strip('_').split('_')]
    return found


def read_tests():
    """{label: [test, ...]} from the names, and all names"""
    found, names = {}, set()
    for path in sorted(glob.glob(os.path.join(TESTS, '**', '*.c'), recursive=True)):
        with open(path, encoding='utf8') as f:
            for name in re.findall(r'^CF_(?:LONG_)?TEST\((\w+)\)', f.read(), re.M):
                names.add(name)
                for label in labels(path, name):
                    found.setdefault(label, []).append(name)
    return found, names


def read_table(found, names):
    """add the rows of tests/criteria.txt; returns {label: reason} of what is not there yet, and what is wrong"""
    later, wrong = {}, []
    with open(os.path.join(TESTS, 'criteria.txt'), encoding='utf8') as f:
        rows = [line.split('#')[0].split(None, 2) for line in f]
    for row in filter(None, rows):
        label, sign, rest = row
        if label not in WANTED:
            wrong.append(f'criteria.txt names {label}, which no document has')
        elif sign == 'later':
            later[label] = rest.strip()
        elif sign == '=':
            found.setdefault(label, []).extend(found.get(rest.strip(), []))
        else:
            found.setdefault(label, []).extend(rest.split())
    wrong += [f'{label} is marked as later and has a test' for label in later if label in found]
    for label, tests in sorted(found.items()):
        wrong += [f'{label}: there is no test {name}' for name in tests if name not in names]
    return later, wrong


def read_log(paths):
    """{test: 'OK' or 'FAILED' or 'SKIPPED'}"""
    result = {}
    for path in paths:
        with open(path, encoding='utf8', errors='replace') as f:
            for status, name in re.findall(r'^\[ *(OK|FAILED|SKIPPED) *\] (\w+)$', f.read(), re.M):
                result[name] = status if status == 'FAILED' else result.get(name, status)
                result[name] = 'OK' if status == 'OK' and result[name] == 'SKIPPED' else result[name]
    return result


def count_documents(folder):
    """the sections and counts of the documents themselves"""
    found = {}
    for number in ('000', '001', '002', '003', '004'):
        text = open(glob.glob(os.path.join(folder, number + '_*.txt'))[0], encoding='utf8').read()
        for n in re.findall(r'^### AC(\d+)\b', text, re.M):
            found[f'{number}/AC'] = max(found.get(f'{number}/AC', 0), int(n))
        for head, body in re.findall(r'^### (\d+[\w-]*)\. (.*?)(?=^### |\Z)', text, re.M | re.S):
            for part in re.findall(r'^#### (?:Acceptance Criteria|Tests)\n(.*?)(?=^#### |\Z)', body, re.M | re.S):
                lettered = re.findall(r'^(?:##### |\*\*)T(\d+)\. ', part, re.M)
                key = f'{number}/{head}.' + ('T' if lettered else '')
                for n in lettered or re.findall(r'^(\d+)\. ', part, re.M):
                    found[key] = max(found.get(key, 0), int(n))
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--table', action='store_true')
    p.add_argument('--log', nargs='*', default=[])
    p.add_argument('--documents', default=os.path.join(os.environ.get('CF_SHARED_DIR', ''), 'seeds'))
    a = p.parse_args()
    found, names = read_tests()
    later, wrong = read_table(found, names)
    status = read_log(a.log)
    for label in WANTED:
        if label in later:
            continue
        if label not in found:
            wrong.append(f'{label} has no test')
        elif a.log:
            wrong += [f'{label}: {name} {status.get(name, "did not run").lower()}'
                      for name in found[label] if status.get(name) != 'OK']
    if os.path.isdir(a.documents):
        in_documents, here = count_documents(a.documents), dict(SECTIONS)
        wrong += [f'{s}*: {in_documents.get(s, 0)} in the documents, {here.get(s, 0)} in criteria.py'
                  for s in sorted({*in_documents, *here}) if in_documents.get(s) != here.get(s)]
    if a.table:
        for label in WANTED:
            print(f'{label:13} ' + ('later: ' + later[label] if label in later else '; '.join(found.get(label, ['MISSING']))))
    for line in wrong:
        print(line)
    for number in ('000', '001', '002', '003', '004'):
        mine = [label for label in WANTED if label.startswith(number)]
        due = [label for label in mine if label not in later]
        shown = [label for label in due if label in found and (not a.log or all(status.get(n) == 'OK' for n in found[label]))]
        print(f'criteria of document {number}: {len(shown)} of {len(due)} {"passed" if a.log else "have a test"}'
              + (f', {len(mine) - len(due)} not yet' if len(mine) > len(due) else ''))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
