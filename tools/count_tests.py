#!/usr/bin/env python3
"""Count single tests in logs of ctest.

  count_tests.py NAME.tests          one line about a run of ctest: NAME.tests is its LastTest.log, NAME.status what it printed
  count_tests.py --close FOLDER N    the closing lines over all logs and results of tools/test.sh; N more failures;
                                     exit code 1 if anything failed

A program written with cmocka counts by its tests, any other entry of ctest as one.  A test that was skipped in one pass
and ran in another one counts as run.
"""
import glob
import os
import re
import sys


def read(path):
    """{test: 'passed', 'failed' or 'skipped'} from NAME.tests (LastTest.log) and NAME.status (what ctest printed)"""
    with open(path, encoding='utf8', errors='replace') as f:
        parts = re.split(r'^\d+/\d+ Testing: ', f.read(), flags=re.M)[1:]
    output = {part.split('\n', 1)[0].strip(): part for part in parts}
    with open(path[:-6] + '.status', encoding='utf8', errors='replace') as f:
        results = re.findall(r'^ *\d+/\d+ Test +#\d+: (\S+) \.*\s*(?:[\w ]*\*\*\*)?(Passed|Skipped|\w[\w :]*?) +[\d.]+ sec', f.read(), re.M)
    found = {}
    for name, result in results:
        singles = re.findall(r'^\[ *(OK|FAILED|SKIPPED) *\] (\w+)$', output.get(name, ''), re.M)
        for status, single in singles:
            key = f'{name}.{single}'
            if found.get(key) != 'failed':
                found[key] = {'OK': 'passed', 'FAILED': 'failed', 'SKIPPED': 'skipped'}[status]
        result = {'Passed': 'passed', 'Skipped': 'skipped'}.get(result, 'failed')
        is_told = any(found[f'{name}.{single}'] == 'failed' for _, single in singles)
        if not singles or (result == 'failed' and not is_told):  # a program of its own, a crash, a time limit
            found[name] = result
        for line in re.findall(r'^SKIP (.*)$', output.get(name, ''), re.M):
            found[f'{name}: {line}'] = 'skipped'
    return found


def count(found):
    return [sum(status == wanted for status in found.values()) for wanted in ('passed', 'failed', 'skipped')]


def close(folder, extra):
    """all passes: a test skipped in one and passed in another one was not skipped"""
    total, rank = {}, {'skipped': 0, 'passed': 1, 'failed': 2}
    for path in sorted(glob.glob(os.path.join(folder, '*.tests'))):
        for name, status in read(path).items():
            if rank[status] >= rank.get(total.get(name), -1):
                total[name] = status
    for path in sorted(glob.glob(os.path.join(folder, '*.result'))):
        with open(path, encoding='utf8') as f:
            code = f.read().strip()
        name = os.path.basename(path)[:-7]
        inside = [s for s in (read(path[:-7] + '.tests') if os.path.exists(path[:-7] + '.tests') else {}).values()]
        if code == '0' or 'failed' not in inside:
            total[f'pass {name}'] = {'0': 'passed', '77': 'skipped'}.get(code, 'failed')
    if extra:
        total['criteria or ledger'] = 'failed'
    for name, status in total.items():
        if status != 'passed':
            print(f'{status}: {name}')
    passed, failed, skipped = count(total)
    print(f'{passed} passed, {failed} failed, {skipped} skipped')
    return 1 if failed else 0


def main():
    if sys.argv[1] == '--close':
        return close(sys.argv[2], int(sys.argv[3]))
    passed, failed, skipped = count(read(sys.argv[1]))
    print(f'{passed} tests passed, {failed} failed, {skipped} skipped')
    return 0


if __name__ == '__main__':
    sys.exit(main())
