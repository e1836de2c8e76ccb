#!/usr/bin/env python3
"""Mutation testing: change one operator, constant, index or condition of src, build, and see whether a test notices.

  mutate.py --count N [--seed S] [--rooms a,b]   N mutants, spread over the rooms by their lines, at least 5 a room;
                                                 a run that was ended goes on where it was
  mutate.py --count N --keep                     the same on the copy of the sources as it is, however old
  mutate.py --count N --own                      only the tests of its room, hashes and yardstick: builds few programs; the
                                                 survivors meet the others with --replay
  mutate.py --count N --files TEXT,TEXT          only in files whose path has one of these texts in it
  mutate.py --replay CSV [--lines TEXT]          the survivors of an earlier run again (after new tests)
  mutate.py --list N [--seed S]                  print what would be changed, build nothing
  mutate.py --check-ledger                       is tests/mutants/LEDGER.md about the code as it is?
  mutate.py --stamp COMMIT [--rooms a,b]         rows of the ledger's table of rooms as of now

Works on a copy of the sources in build/mutants (the tree is never touched), without LTO, at -O1, with assertions on.
A mutant meets, until one of them fails: the tests of its room, the hashes of the scenes, the yardstick on a dozen models,
the tests of neighboring rooms and of whole steps and models, and with --all the slow tests of its room and every other quick test.  A mutant that does not compile or whose object code is
that of the original does not count; one that crashes, asserts or takes many times the processor time is killed.
"""
import argparse
import csv
import hashlib
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import rooms as rooms_of_src

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, 'build', 'mutants')
TREE, BUILD = os.path.join(WORK, 'tree'), os.path.join(WORK, 'build')
LEDGER = os.path.join(ROOT, 'tests', 'mutants', 'LEDGER.md')
MODELS = os.path.join(ROOT, 'tests', 'mutants', 'models.txt')

# every folder of src but tables: a change there rebuilds the whole library, and its rows are compared with MuJoCo's layout
# Lanes step what batch keeps: one room in two folders
HOMES = {room: [home] for room, home in rooms_of_src.rooms().items() if room != 'tables'}
HOMES['batch'] += HOMES.pop('lanes')
ROOMS = sorted(HOMES)
LEAST = 5            # mutants a room
WIDEST = 60          # a header that more files include than this is not changed
SLOW = 0.3           # seconds of a test that only its own room runs, unless --all is given
STALE = 0.25         # share of a room's lines that may change before its entry in the ledger is too old
NEIGHBORS = {        # folders of tests/unit whose tests are about a room as well
    'finitediff': ['derivative'], 'sensor': ['pipeline'], 'api': ['tables', 'base'], 'model': ['tables', 'robust'],
    'constraint': ['flags'], 'dynamics': ['flags'], 'pipeline': ['derivative', 'flags', 'robust'], 'spec': ['compile', 'mjcf'],
    'mjcf': ['spec', 'compile'], 'compile': ['mjcf'], 'collision': ['ray'], 'solver': ['constraint'], 'flex': ['dynamics', 'collision', 'ray'],
    'team': ['batch', 'device'], 'batch': ['team', 'device'], 'device': ['batch'], 'ui': ['render']}
ABOUT = {  # tests of other folders that are about a room
    'conform_flex': ['flex'], 'test_ui_reference': ['ui'], 'test_viewer': ['ui'], 'test_device': ['batch'],
    'test_device_team': ['batch', 'team']}
BESIDE = {'batch', 'builder', 'contactsolver', 'device', 'render', 'team', 'ui'}  # no step or model meets them unless asked to
GLOBAL = ['tests/conformance', 'tests/unit/pipeline', 'tests/unit/flags', 'tests/unit/compile']


# ---- sites ----

TOKEN = re.compile(r'''
  (?P<skip>//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*\#(?:\\\n|[^\n])*)
 |(?P<space>\s+)
 |(?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[uUlLfF]*)
 |(?P<name>[A-Za-z_]\w*)
 |(?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%<>=!&|^~?:;,.(){}\[\]])
 |(?P<other>.)''', re.X | re.S | re.M)

BINARY = {'+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'], '<': ['<=', '>'], '<=': ['<', '>'],
          '>': ['>=', '<'], '>=': ['>', '<'], '==': ['!='], '!=': ['=='], '&&': ['||'], '||': ['&&'], '&': ['|'],
          '|': ['&'], '^': ['|'], '<<': ['>>'], '>>': ['<<'], '+=': ['-='], '-=': ['+='], '*=': ['/='], '/=': ['*='],
          '|=': ['&='], '&=': ['|=']}
ASSERTS = {'CF_ASSERT', 'assert', '_Static_assert', 'static_assert'}
KEYWORDS = {'return', 'else', 'case', 'sizeof', 'goto', 'do', 'in'}


class Token:
    def __init__(self, kind, text, start, line):
        self.kind, self.text, self.start, self.end, self.line = kind, text, start, start + len(text), line


def tokens(text):
    """tokens that are code: no comments, strings, preprocessor lines or blanks"""
    found, line = [], 1
    for m in TOKEN.finditer(text):
        if m.lastgroup in ('number', 'name', 'op', 'other'):
            found.append(Token(m.lastgroup, m.group(), m.start(), line))
        line += m.group().count('\n')
    return found


def closing(code, k):
    """index of the bracket that closes the one at k"""
    pairs = {'(': ')', '[': ']', '{': '}'}
    opened, closed, depth = code[k].text, pairs[code[k].text], 0
    for i in range(k, len(code)):
        depth += (code[i].text == opened) - (code[i].text == closed)
        if depth == 0:
            return i
    return len(code) - 1


def declared(code, k):
    """is the bracket at k part of a declaration, as in `mjtNum axis[3], frame[9];`"""
    while k > 1 and code[k - 1].text == ']':  # x[2][3]
        depth, k = 1, k - 1
        while k > 0 and depth:
            k -= 1
            depth += (code[k].text == ']') - (code[k].text == '[')
    if k < 2 or code[k - 1].kind != 'name':
        return False
    before = code[k - 2]
    if before.kind == 'name':
        return before.text not in KEYWORDS
    if before.text == '*' and k > 2:
        return code[k - 2].start == code[k - 3].end  # `char* name[`, not `a * b[`
    if before.text != ',':
        return False
    start = k  # a list of declarations begins with two names
    while start > 0 and code[start - 1].text not in (';', '{', '}', '('):
        start -= 1
    first = [t for t in code[start:start + 5] if t.text not in ('const', 'static', 'unsigned')]
    return len(first) > 2 and first[0].kind == 'name' and (first[1].kind == 'name' or first[1].text == '*')


def skipped(code):
    """indices of code that is not changed: assertions, enumerations, sizes of declared arrays"""
    out = set()
    for k, t in enumerate(code):
        if t.text in ASSERTS and k + 1 < len(code) and code[k + 1].text == '(':
            out.update(range(k, closing(code, k + 1) + 1))
        elif t.text == 'enum' and any(u.text == '{' for u in code[k + 1:k + 3]):
            brace = k + 1 if code[k + 1].text == '{' else k + 2
            out.update(range(k, closing(code, brace) + 1))
        elif t.text == '[' and declared(code, k):
            out.update(range(k, closing(code, k) + 1))
    return out


def otherNumbers(text):
    """what a constant may become"""
    body = text.rstrip('uUlLfF') if not text.lower().startswith('0x') else text.rstrip('uUlL')
    tail = text[len(body):]
    if body.isdigit():
        value = int(body)
        return [f'{value + 1}{tail}'] + ([f'{value - 1}{tail}'] if value else [])
    if text.lower().startswith('0x'):
        return [f'{int(body, 16) ^ 1:#x}{tail}']
    value = float(body)
    if value == 0:
        return ['1.0' + tail]
    return [f'{value * (1.5 if value > 1e-3 else 1000):.17g}'.replace('e-0', 'e-') + tail]


def spaced(text, t):
    return text[t.start - 1:t.start].isspace() and text[t.end:t.end + 1].isspace()


def sitesOf(text):
    """[(line, start, end, replacement)] of all changes of a file"""
    code, found = tokens(text), []
    out = skipped(code)
    for k, t in enumerate(code):
        if k in out:
            continue
        add = lambda start, end, new: found.append((t.line, start, end, new))
        if t.kind == 'number':
            truth = t.text == '1' and k > 0 and code[k - 1].text == 'return'  # any other truth is the same
            for new in ['0'] if truth else otherNumbers(t.text):
                add(t.start, t.end, new)
        elif t.kind == 'op' and t.text in BINARY and spaced(text, t):
            for new in BINARY[t.text]:
                add(t.start, t.end, new)
        elif t.text in ('-', '!') and not spaced(text, t) and text[t.end:t.end + 1] not in ('', ' ', '\n', '\\'):
            add(t.start, t.end, '')
        elif t.text == '[' and k and (code[k - 1].kind == 'name' or code[k - 1].text in ')]'):
            end = closing(code, k)
            inner = text[t.end:code[end].start]
            if inner.strip() and not inner.strip().isdigit() and '\n' not in inner:
                for sign in '+-':
                    add(t.end, code[end].start, f'({inner}) {sign} 1')
        elif t.text in ('if', 'while') and k + 1 < len(code) and code[k + 1].text == '(':
            end = closing(code, k + 1)
            inner = text[code[k + 1].end:code[end].start]
            if '\n' not in inner:
                for new in [f'!({inner})'] + ([f'1 || ({inner})', f'0 && ({inner})'] if t.text == 'if' else []):
                    add(code[k + 1].end, code[end].start, new)
    return found


class Mutant:
    """one change: lines `was` and `now` of a file"""

    def __init__(self, room, path, line, was, now):
        self.room, self.path, self.line, self.was, self.now = room, path, line, was, now

    def apply(self, text):
        lines = text.split('\n')
        places = [i for i, line in enumerate(lines) if line == self.was]
        if not places:
            return None
        lines[min(places, key=lambda i: abs(i - self.line + 1))] = self.now
        return '\n'.join(lines)


def roomFiles(room, root=ROOT):
    found = []
    walks = (os.walk(os.path.join(root, home)) for home in HOMES.get(room, [f'src/{room}']))
    for base, _, names in itertools.chain(*walks):
        found += [os.path.relpath(os.path.join(base, n), root) for n in names if n.endswith(('.c', '.h', '.def'))]
    return sorted(found)


def read(path):
    with open(path, encoding='utf8') as f:
        return f.read()


def candidates(room, wide, root, files):
    """{(path, line): [mutants]} of a room, in files whose path has one of some texts in it"""
    found = {}
    for path in roomFiles(room, root):
        if path in wide or not any(text in path for text in files):
            continue
        text = read(os.path.join(root, path))
        for line, start, end, new in sitesOf(text):
            first = text.rfind('\n', 0, start) + 1
            last = text.find('\n', end)
            was = text[first:last]
            now = text[first:start] + new + text[end:last]
            if '\n' not in was:
                found.setdefault((path, line), []).append(Mutant(room, path, line, was, now))
    return found


def sourceOf(name):
    """The file of src that an include names."""
    room, _, rest = name.partition('/')
    home = rooms_of_src.rooms().get(room)
    return f'{home}/{rest}' if home else f'src/{name}'


def wideHeaders(root):
    """headers that more than WIDEST files include, through others too"""
    included = {}
    for room in (*HOMES, 'tables'):
        for path in roomFiles(room, root):
            names = re.findall(r'^\s*#include "([\w/.]+)"', read(os.path.join(root, path)), re.M)
            included[path] = {sourceOf(n) for n in names}
    count = {}
    for path in included:
        if path.endswith('.c'):
            seen, todo = set(), [path]
            while todo:
                for name in included.get(todo.pop(), ()):
                    if name not in seen:
                        seen.add(name)
                        todo.append(name)
            for name in seen:
                count[name] = count.get(name, 0) + 1
    return {name for name, n in count.items() if n > WIDEST}


def choose(count, seed, rooms, root, files):
    """mutants of all rooms, mixed; each room has LEAST, the others go by lines with code"""
    rng, wide = random.Random(seed), wideHeaders(root)
    pools = {room: candidates(room, wide, root, files) for room in rooms}
    pools = {room: pool for room, pool in pools.items() if pool}
    wanted = {room: min(LEAST, max(1, count // len(pools))) for room in pools}
    names, weights = list(pools), [len(pools[r]) for r in pools]
    while sum(wanted.values()) < count:
        wanted[rng.choices(names, weights)[0]] += 1
    chosen = []
    for room in names:
        lines = sorted(pools[room])
        rng.shuffle(lines)
        chosen += [rng.choice(pools[room][line]) for line in lines[:3 * wanted[room]]]
    return chosen, wanted, rng


# ---- building and running ----

def environment():
    env = dict(os.environ, CCACHE_READONLY='1')
    if not env.get('MUJOCO_REFERENCE_LIB'):
        site = [os.path.join(base, 'libmujoco.so.3.5.0') for base, _, names in os.walk(os.path.join(ROOT, 'build', 'refenv'))
                if 'libmujoco.so.3.5.0' in names]
        if site:
            env['MUJOCO_REFERENCE_LIB'] = site[0]
            env['MUJOCO_REFERENCE_INCLUDE'] = os.path.join(os.path.dirname(site[0]), 'include')
    shared = os.path.join(os.path.dirname(ROOT), 'shared')
    if not env.get('CF_SHARED_DIR') and os.path.isdir(os.path.join(shared, 'models')):
        env['CF_SHARED_DIR'] = shared
    return env


def copyTree():
    """tracked and new files into the copy, those that differ only"""
    listed = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT, capture_output=True, text=True,
                            check=True).stdout.split('\n')
    names = {n for n in listed if n and os.path.isfile(os.path.join(ROOT, n))}
    for base, _, files in os.walk(TREE):
        for n in files:
            if os.path.relpath(os.path.join(base, n), TREE) not in names:
                os.remove(os.path.join(base, n))
    for n in names:
        source, target = os.path.join(ROOT, n), os.path.join(TREE, n)
        with open(source, 'rb') as f:
            data = f.read()
        if os.path.exists(target):
            with open(target, 'rb') as f:
                if f.read() == data:
                    continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(source, target)
        shutil.copymode(source, target)


def ninja(targets, quiet=True):
    """build; the output where it fails"""
    out = subprocess.run(['ninja', '-C', BUILD, '-j', '2' if not quiet else '1', *targets], capture_output=True, text=True,
                         env=environment() if quiet else {k: v for k, v in environment().items() if k != 'CCACHE_READONLY'})
    return '' if out.returncode == 0 else out.stdout + out.stderr


def libraries():
    """targets: the library, and the device code on the CPU where that is built"""
    return ['cf_all', 'cf_twin'] if os.path.exists(os.path.join(BUILD, 'generated', 'device')) else ['cf_all']


def objectCode():
    """digest of everything that the sources become"""
    twin = os.path.join(BUILD, 'libcf_twin.so')
    return digest(os.path.join(BUILD, 'generated', 'all.o')) + (digest(twin) if os.path.exists(twin) else '')


def configure(keep):
    os.makedirs(TREE, exist_ok=True)
    if not keep:
        copyTree()
    command = ['cmake', '-S', TREE, '-B', BUILD, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Mutant', '-DCMAKE_C_FLAGS=-O1',
               '-DCF_LTO=OFF', '-DCF_TESTS=ON', '-DCF_BENCH=OFF']
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def build(tests):
    """the library and these tests"""
    trouble = ninja([*libraries(), *(t.target for t in tests if t.target)], quiet=False)
    if trouble:
        sys.exit('the unchanged sources do not build:\n' + trouble[-3000:])


class Test:
    def __init__(self, name, folder, command, env=()):
        self.name, self.folder, self.command, self.env = name, folder, command, dict(env)
        self.target = os.path.relpath(command[0], BUILD) if command[0].startswith(BUILD) else None
        self.seconds, self.expected = None, None  # processor time and (hashes, yardstick) output of the original


def ctests(folders):
    """quick test programs of the build, each with the folder that lists it, and the slow ones of some folders"""
    out = subprocess.run(['ctest', '--test-dir', BUILD, '--show-only=json-v1'], capture_output=True, text=True,
                         check=True).stdout
    listing = json.loads(out)
    programs = set(re.findall(r'^(tests/\w+): ', subprocess.run(['ninja', '-C', BUILD, '-t', 'targets', 'all'],
                                                               capture_output=True, text=True).stdout, re.M))
    graph, found = listing['backtraceGraph'], []
    for t in listing['tests']:
        node = graph['nodes'][t['backtrace']]
        files = []
        while node is not None:
            files.append(os.path.relpath(graph['files'][node['file']], TREE))
            node = graph['nodes'][node['parent']] if 'parent' in node else None
        folder = next((os.path.dirname(f) for f in files if f.endswith('/tests.cmake') and f != 'tests/tests.cmake'), 'tests')
        properties = {p['name']: p['value'] for p in t['properties']}
        is_quick = 'quick' in properties.get('LABELS', []) or (folder in folders and not t['name'].endswith('_slow'))
        program = os.path.join('tests', t['name'])  # of a test that is not built yet ctest does not tell the command
        command = t.get('command') or ([os.path.join(BUILD, program)] if program in programs else [])
        if is_quick and command and command[0].startswith(os.path.join(BUILD, 'tests')):
            env = [pair.split('=', 1) for pair in properties.get('ENVIRONMENT', [])]
            found.append(Test(t['name'], folder, command, env))
    return found


def yardstick():
    """the hashes of the scenes, and the models of tests/mutants/models.txt against the reference where that can be had"""
    found = [Test('hash_scenes', 'hashes', [os.path.join(BUILD, 'tests', 'hash_scenes')])]
    found[0].expected = ''
    env = environment()
    shared, library = env.get('CF_SHARED_DIR'), os.path.join(BUILD, 'libmujoco.so.3.5.0')
    if shared and env.get('MUJOCO_REFERENCE_LIB'):
        names = [n for n in read(MODELS).split('\n') if n and n[0] != '#']
        models = [os.path.join(shared, 'models', n) for n in names]
        conform = [os.path.join(shared, 'tools', 'reference.py'), 'conform', library, *filter(os.path.exists, models)]
        found.append(Test('yardstick', 'yardstick', ['python3', *conform]))
        found[1].target = 'libmujoco.so.3.5.0'
    return found


def run(test, limit):
    """(exit status, output, processor seconds); a negative status is a signal"""
    log = os.path.join(WORK, 'output.txt')

    def restrain():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with open(log, 'wb') as out:
        process = subprocess.Popen(test.command, cwd=TREE, env={**environment(), **test.env}, stdout=out,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, preexec_fn=restrain)
        end = time.time() + 20 * limit + 60
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.time() > end:
                os.killpg(process.pid, signal.SIGKILL)
                _, status, usage = os.wait4(process.pid, 0)
                break
            time.sleep(0.005)
    process.returncode = os.waitstatus_to_exitcode(status)
    with open(log, 'rb') as f:
        text = f.read(1 << 22).decode('utf8', 'replace')
    return process.returncode, text, usage.ru_utime + usage.ru_stime


def digest(path):
    with open(path, 'rb') as f:
        return hashlib.sha256(f.read()).hexdigest()


def baseline(tests):
    """run the original, where that was not done yet; tests that fail on it are left out"""
    good, start, path = [], time.time(), os.path.join(WORK, 'baseline.json')
    known = json.loads(read(path)) if os.path.exists(path) else {}
    for t in tests:
        key = f'{t.name} {digest(t.command[0] if t.command[0].startswith(BUILD) else os.path.join(BUILD, t.target))}'
        if key not in known:
            status, text, seconds = run(t, 100)
            known[key] = [status, text if t.expected is not None else '', seconds]
            if status:
                print(f'left out, fails on the original: {t.name}\n{text[-500:]}', flush=True)
        status, text, t.seconds = known[key]
        if status == 0:
            t.expected = text if t.expected is not None else None
            good.append(t)
    with open(path, 'w') as f:
        json.dump(known, f)
    print(f'{len(good)} tests pass on the original, {sum(t.seconds for t in good):.1f} s of processor time, '
          f'{time.time() - start:.0f} s', flush=True)
    return good


def stageOf(room, test):
    """when a mutant of the room meets a test: 0 tests of the room, 1 hashes and yardstick, 2 tests of neighbors, 3 of whole
    steps and models, 4 all others"""
    near = [base + r for r in NEIGHBORS.get(room, []) for base in ('tests/unit/', 'tests/')]
    if test.folder in (f'tests/unit/{room}', f'tests/{room}', f'tests/conformance/{room}') or room in ABOUT.get(test.name, []):
        return 0
    if test.folder in near or room in BESIDE:
        return 2 if test.folder in near else 4
    return 1 if test.folder in ('hashes', 'yardstick') else 3 if test.folder in GLOBAL else 4


def stages(room, tests, reach):
    """tests in the order in which a mutant meets them, quick ones first"""
    out = [[], [], [], [], []]
    for t in sorted(tests, key=lambda t: t.seconds):
        stage = stageOf(room, t)
        if t.seconds <= SLOW or stage in (0, 1):
            out[stage].append(t)
    return [stage for stage in out[:reach] if stage]


def complaint(status, text):
    """what stopped a mutant, in a few words"""
    failed = re.findall(r'^\[  FAILED  \] (\w+__\w+)', text, re.M)
    if failed:
        return failed[0]
    lost = re.findall(r'assertion failed: (.*)', text)
    if lost:
        return 'assertion ' + lost[0][:60]
    bad = re.findall(r'^FAIL (\S+):', text, re.M)
    if bad:
        return '/'.join(bad[0].split('/')[-2:])
    return f'signal {-status}' if status < 0 else f'exit {status}'


def judge(mutant, tests, objects, reach):
    """(verdict, killer): killed, survived, same (object code), broken (does not compile)"""
    path = os.path.join(TREE, mutant.path)
    original = read(path)
    changed = mutant.apply(original)
    if changed is None:
        return 'gone', 'the line is no longer there'
    try:
        with open(path, 'w', encoding='utf8') as f:
            f.write(changed)
        if ninja(libraries()):
            return 'broken', ''
        if objectCode() == objects:
            return 'same', ''
        for stage in stages(mutant.room, tests, reach):
            if ninja([t.target for t in stage if t.target]):
                return 'broken', ''
            for t in stage:
                status, text, _ = run(t, 10 * t.seconds + 2)
                if status != 0 or (t.expected is not None and text != t.expected):
                    return 'killed', f'{t.name}: {complaint(status, text) if status else "other hashes"}'
        return 'survived', ''
    finally:
        with open(path, 'w', encoding='utf8') as f:
            f.write(original)


COLUMNS = ['room', 'path', 'line', 'was', 'now', 'verdict', 'killer', 'seconds']


def campaign(mutants, wanted, report, reach, keep):
    """judge mutants by the first stages of tests until every room has as many that count as are wanted of it"""
    configure(keep)
    folders = {'tests/unit/' + m.room for m in mutants} if reach == 5 else ()
    rooms = {m.room for m in mutants}
    tests = [t for t in ctests(folders) + yardstick() if any(stageOf(r, t) < reach for r in rooms)]
    build(tests)
    tests = baseline(tests)
    objects = objectCode()
    counts, judged = {v: 0 for v in ('killed', 'survived', 'same', 'broken', 'gone')}, {}
    if wanted is not None and os.path.exists(report):
        with open(report, newline='') as f:
            judged = {(r['path'], int(r['line']), r['now']): r['verdict'] for r in csv.DictReader(f)}
    else:
        with open(report, 'w', newline='') as f:
            csv.writer(f).writerow(COLUMNS)
    for m in mutants:
        if wanted is not None and not wanted[m.room]:
            continue
        start, verdict = time.time(), judged.get((m.path, m.line, m.now))
        if not verdict:
            verdict, killer = judge(m, tests, objects, reach)
            row = [m.room, m.path, m.line, m.was, m.now, verdict, killer, f'{time.time() - start:.1f}']
            with open(report, 'a', newline='') as f:
                csv.writer(f).writerow(row)
            print(f'{verdict:8} {m.path}:{m.line}  {killer}', flush=True)
            if verdict == 'survived':
                print(f'         - {m.was.strip()}\n         + {m.now.strip()}', flush=True)
        counts[verdict] += 1
        if wanted is not None and verdict in ('killed', 'survived'):
            wanted[m.room] -= 1
    return counts


def mixed(chosen, rng):
    """in an order in which all rooms get their turn"""
    keyed = {}
    for m in chosen:
        keyed.setdefault(m.room, []).append(m)
    ranked = [((k + rng.random()) / len(pool), m) for pool in keyed.values() for k, m in enumerate(pool)]
    return [m for _, m in sorted(ranked, key=lambda pair: pair[0])]


def replayed(path, phrase):
    with open(path, newline='') as f:
        rows = [r for r in csv.DictReader(f) if r['verdict'] == 'survived']
    return [Mutant(r['room'], r['path'], int(r['line']), r['was'], r['now']) for r in rows if phrase in f'{r["path"]}:{r["line"]}']


# ---- the ledger ----

def roomState(room):
    """(hash, lines) of the sources of a room"""
    h, lines = hashlib.sha256(), 0
    for path in roomFiles(room):
        text = read(os.path.join(ROOT, path))
        h.update(f'src/{rooms_of_src.strip(path)}'.encode() + b'\0' + text.encode())
        lines += text.count('\n')
    return h.hexdigest()[:12], lines


def linesChanged(room, commit):
    """lines of the room that a commit did not have yet; None where the history does not reach so far"""
    out = subprocess.run(['git', 'diff', '-M', '--numstat', '-w', commit, '--', *HOMES[room], f'src/{room}'], cwd=ROOT,
                         capture_output=True, text=True)
    if out.returncode:
        return None
    rows = [line.split('\t') for line in out.stdout.split('\n') if line]
    return sum(int(r[0]) for r in rows if r[0].isdigit() and r[2].endswith(('.c', '.h', '.def')))


def isNew(room, commit):
    """was the room not there yet at that commit?"""
    found = subprocess.run(['git', 'ls-tree', commit, f'src/{room}/', *(f'{home}/' for home in HOMES[room])], cwd=ROOT, capture_output=True, text=True)
    return found.returncode == 0 and not found.stdout


def checkLedger():
    """rooms whose code is not what the ledger is about; 1 where an entry is missing or too old.  Rooms that are younger than
    the ledger, that is than the commit that most rows name, do not fail; they are
    listed until they have a row"""
    rows = re.findall(r'^\| (\w+) \| ([0-9a-f]{7,}) \| ([0-9a-f]{12}) \| (\d+) \|', read(LEDGER), re.M)
    entry, old, young = {r[0]: r[1:] for r in rows}, 0, []
    commits = [r[1] for r in rows]
    base = max(sorted(set(commits)), key=commits.count)
    for room in ROOMS:
        if not roomFiles(room):
            continue
        digest, lines = roomState(room)
        if room not in entry and isNew(room, base):
            young.append(f'{room} ({lines} lines)')
        elif room not in entry:
            print(f'{room}: has no row in {os.path.relpath(LEDGER, ROOT)}')
            old += 1
        elif entry[room][1] != digest:
            changed = linesChanged(room, entry[room][0])
            share = None if changed is None else changed / max(1, lines)
            words = 'the history does not say how much' if share is None else f'{changed} of {lines} lines, {100 * share:.0f} %'
            too = share is not None and share > STALE
            print(f'{room}: changed since {entry[room][0]}: {words}{", too much" if too else ""}')
            old += too
    for room in sorted(set(entry) - set(ROOMS)):
        print(f'{room}: has a row, but there is no such room')
        old += 1
    if young:
        print(f'no mutants yet, newer than the ledger: {", ".join(young)}')
    print(f'mutants: {len(entry)} rooms in the ledger, {old} missing or too old (more than {100 * STALE:.0f} % of the lines new), '
          f'{len(young)} without mutants yet')
    return 1 if old else 0


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument('--count', type=int, default=0)
    p.add_argument('--list', type=int, default=0)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--rooms', default='')
    p.add_argument('--files', default='')
    p.add_argument('--replay', default='')
    p.add_argument('--lines', default='')
    p.add_argument('--all', action='store_true')
    p.add_argument('--own', action='store_true')
    p.add_argument('--keep', action='store_true')
    p.add_argument('--check-ledger', action='store_true')
    p.add_argument('--stamp', default='')
    a = p.parse_args()
    unknown = set(filter(None, a.rooms.split(','))) - set(ROOMS)
    if unknown:
        sys.exit(f'mutate: there is no room {", ".join(sorted(unknown))}; rooms are {", ".join(ROOMS)}')
    rooms = [r for r in ROOMS if not a.rooms or r in a.rooms.split(',')]
    if a.check_ledger:
        return checkLedger()
    if a.stamp:
        for room in rooms:
            digest, lines = roomState(room)
            print(f'| {room} | {a.stamp} | {digest} | {lines} |')
        return 0
    os.makedirs(WORK, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('ended by hand'))  # with the original put back
    if a.replay:
        report, mutants, wanted = os.path.join(WORK, 'replay.csv'), replayed(a.replay, a.lines), None
    else:
        chosen, wanted, rng = choose(a.count or a.list, a.seed, rooms, TREE if a.keep else ROOT, a.files.split(','))
        report, mutants = os.path.join(WORK, f'seed-{a.seed}.csv'), mixed(chosen, rng)
    if a.list:
        for m in mutants[:a.list]:
            print(f'{m.path}:{m.line}\n  - {m.was.strip()}\n  + {m.now.strip()}')
        return 0
    counts = campaign(mutants, wanted, report, 2 if a.own else 5 if a.all else 4, a.keep)
    judged = counts['killed'] + counts['survived']
    print(f'{judged} mutants, {counts["killed"]} killed, {counts["survived"]} survived; not counted: {counts["broken"]} do not '
          f'compile, {counts["same"]} have the object code of the original; {report}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
