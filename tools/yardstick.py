#!/usr/bin/env python3
"""The yardstick of `make test`: every model with every option set against MuJoCo 3.5.0.

  yardstick.py shared BUILD     models of ../shared (or CF_SHARED_DIR) through its tools/reference.py
  yardstick.py own BUILD        models/, tests/data and 200 random models through `cortenforge compare`

Every shared model meets every option set.  Of our own, every model meets default and sleep, and each of the other sets
a third of the models, so that a model meets two or three of them: those for which crc32(name) + number of the set is
divisible by three, the same ones every time.  All of them would take four minutes of one processor, rk4 alone more than
one.  random/r74.xml, of which a step takes a second, meets default and sleep alone.  --full leaves nobody out.

  --jobs N      option sets (shared) or models (own) at a time; default: number of processors
  --sets A,B    only these option sets
  --full        all of our own models with all option sets; what fails beyond the lists is then reported as well
  --update      rewrite the lists in tests/data/yardstick from what is found; strict.txt only grows

Exit code 0: all pass but those in exceptions.txt, whose every row is still needed (unless its reason begins with "sometimes"), and all rows of strict.txt pass
without any allowance for noise.  77: there is no reference, or no shared folder.  CI=true turns that into 1.
"""
import argparse
import concurrent.futures
import csv
import glob
import os
import subprocess
import sys
import time
import zlib

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
LISTS = os.path.join(ROOT, 'tests', 'data', 'yardstick')
SETS = {'default': '', 'elliptic': 'cone=1', 'pgs': 'solver=0', 'cg': 'solver=1', 'rk4': 'integrator=1',
        'implicit': 'integrator=2', 'implicitfast': 'integrator=3', 'sleep': 'enable=0x20', 'multiccd': 'enable=0x10'}
WHOLE = ['default', 'sleep']  # sets that all of our own models meet; of the others each meets one model in SHARE
SHARE = 3
SLOW = ['random/r74.xml']  # meets WHOLE alone
RANDOM = 200


def skip(why):
    print(f'yardstick: skipped, {why}')
    sys.exit(1 if os.environ.get('CI') == 'true' else 77)


def read_list(name, corpus):
    """{(set, model): reason} of one corpus; rows are: corpus set model [reason]; a set * is any set"""
    rows = {}
    path = os.path.join(LISTS, name)
    if os.path.exists(path):
        with open(path, encoding='utf8') as f:
            for line in f:
                words = line.split('#')[0].split(None, 3)
                if words and words[0] == corpus:
                    rows[words[1], words[2]] = words[3].strip() if len(words) > 3 else ''
    return rows


def write_list(name, corpus, rows):
    """replace the rows of one corpus, keep the head and the others"""
    path = os.path.join(LISTS, name)
    old = open(path, encoding='utf8').read().splitlines() if os.path.exists(path) else []
    kept = [line for line in old if not line.startswith(corpus + ' ')]
    text = kept + [f'{corpus} {s} {m} {why}'.rstrip() for (s, m), why in sorted(rows.items())]
    os.makedirs(LISTS, exist_ok=True)
    with open(path, 'w', encoding='utf8') as f:
        f.write('\n'.join(text) + '\n')


def run(command, out):
    """rows of the CSV that the command writes, and its text"""
    if os.path.exists(out):
        os.remove(out)
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if not os.path.exists(out):
        sys.exit(f'yardstick: {" ".join(command[:4])} ... failed:\n{done.stdout}{done.stderr}')
    with open(out, encoding='utf8', newline='') as f:
        return list(csv.DictReader(f)), done.stdout


def shared_set(a, name):
    """(model, passed, strict) of one option set over the shared models"""
    out = os.path.join(a.build, 'yardstick', f'shared-{name}.csv')
    tool = os.path.join(a.shared, 'tools', 'reference.py')
    option = ['--option', SETS[name]] if SETS[name] else []
    command = [sys.executable, tool, 'conform', os.path.join(a.build, 'libmujoco.so.3.5.0'),
               *option]
    rows, text = run([*command, '--csv', out], out)
    failed = {line.split()[1].rstrip(':') for line in text.splitlines() if line.startswith('FAIL ')}
    for r in rows:  # on a busy machine the largest models run into the tool's time limit: once more, alone
        if r['verdict'] == 'timeout':
            again, text = run([*command, '--only', r['model'], '--csv', out + '.again'], out + '.again')
            r.update(next(x for x in again if x['model'] == r['model']))
            if not any(line.startswith(f"FAIL {r['model']}:") for line in text.splitlines()):
                failed.discard(r['model'])
    return [(r['model'], r['model'] not in failed, r['strict'] == '1', f"{r['verdict']}, step {r['step_error']}")
            for r in rows]


def short_name(path):
    """name of one of our own models in the lists"""
    model = os.path.relpath(os.path.join(ROOT, path), ROOT)
    return 'random/' + os.path.basename(model) if 'yardstick/random' in model else model


def is_met(name, model):
    """does one of our own models meet this option set in the usual run?"""
    return name in WHOLE or (model not in SLOW and (zlib.crc32(model.encode()) + list(SETS).index(name)) % SHARE == 0)


def own_set(a, name):
    """the same over our own models"""
    models = [m for m in a.models if a.full or is_met(name, short_name(m))]
    out = os.path.join(a.build, 'yardstick', f'own-{name}.csv')
    option = ['--option', SETS[name]] if SETS[name] else []
    timeout = ['--timeout', '600']
    rows, _ = run([os.path.join(a.build, 'cortenforge'), 'compare', *models, '--quiet',
                   '--jobs', str(a.jobs), *timeout, *option, '--csv', out], out)
    found = []
    for r in rows:
        if r['verdict'] != 'skipped':
            found.append((short_name(r['model']), r['passed'] == '1', r['strict'] == '1',
                          f"{r['verdict']}, step {r['step_error']} {r['step_worst']}"))
    return found


def own_models(a):
    folder = os.path.join(a.build, 'yardstick', 'random')
    subprocess.run([sys.executable, os.path.join(ROOT, 'tools', 'random_models.py'), folder, '--count', str(RANDOM),
                    '--seed', '1'], check=True, capture_output=True)
    data = [f for kind in ('compile', 'smooth', 'flags', 'constraint', 'mesh', 'flex')
            for f in sorted(glob.glob(os.path.join(ROOT, 'tests', 'data', kind, '*.xml')))]
    models = sorted(glob.glob(os.path.join(ROOT, 'models', '**', '*.xml'), recursive=True))
    random = [os.path.join(folder, f'r{k}.xml') for k in range(1, RANDOM + 1)]
    return [os.path.relpath(f, ROOT) for f in models + data + random]


def judge(a, name, rows, known, strict):
    """what is wrong with one option set"""
    bad = []
    for model, passed, is_strict, what in rows:
        key = (name, model)
        if not passed and key not in known and ('*', model) not in known:
            bad.append(f'FAIL {name} {model}: {what}')
        if passed and key in known and not known[key].startswith('sometimes'):
            bad.append(f'stale exception: {name} {model} passes')
        if key in strict and not is_strict:
            bad.append(f'FAIL {name} {model}: passed strictly before; {what}')
    seen = {model for model, *_ in rows}
    bad += [f'{name} {model}: in a list, but not compared' for s, model in {**known, **strict} if s == name
            and model not in seen and (a.corpus == 'shared' or a.full or is_met(name, model))]
    return bad


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('corpus', choices=['shared', 'own'])
    p.add_argument('build')
    p.add_argument('--jobs', type=int, default=os.cpu_count())
    p.add_argument('--sets', default='')
    p.add_argument('--full', action='store_true')
    p.add_argument('--update', action='store_true')
    a = p.parse_args()
    a.build = os.path.abspath(a.build)
    a.shared = os.environ.get('CF_SHARED_DIR') or os.path.join(ROOT, '..', 'shared')
    if not os.path.exists(os.environ.get('MUJOCO_REFERENCE_LIB', '')):
        skip('there is no reference library')
    if a.corpus == 'shared' and not os.path.isdir(os.path.join(a.shared, 'models')):
        skip('there is no shared folder')
    os.makedirs(os.path.join(a.build, 'yardstick'), exist_ok=True)
    known, strict = read_list('exceptions.txt', a.corpus), read_list('strict.txt', a.corpus)
    names, start, bad, total, found = a.sets.split(',') if a.sets else list(SETS), time.time(), [], 0, {}
    if a.corpus == 'own':
        told = subprocess.run([os.path.join(a.build, 'cortenforge'), 'help', 'compare'], capture_output=True, text=True)
        if '--csv' not in told.stdout:
            skip('this command line cannot compare many models yet')
        a.models = own_models(a)
    workers = a.jobs if a.corpus == 'shared' else 1
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        results = pool.map(lambda name: (shared_set if a.corpus == 'shared' else own_set)(a, name), names)
        for name, rows in zip(names, results):
            found[name] = rows
            wrong = judge(a, name, rows, known, strict)
            bad += wrong
            total += len(rows)
            print(f'{name:13} {len(rows)} models, {sum(r[1] for r in rows)} pass, {sum(r[2] for r in rows)} strictly')
            print(''.join(line + '\n' for line in wrong), end='')
            sys.stdout.flush()
    passing = {r[0] for rows in found.values() for r in rows if r[1]} - {r[0] for rows in found.values() for r in rows if not r[1]}
    stale = [f'stale exception: * {model} passes in every set' for s, model in known if s == '*' and model in passing]
    bad += stale
    print(''.join(line + '\n' for line in stale), end='')
    if a.update:
        failing = {(s, r[0]): known.get((s, r[0]), f'UNEXPLAINED {r[3]}') for s in names for r in found[s]
                   if not r[1] and ('*', r[0]) not in known}
        write_list('exceptions.txt', a.corpus, {**{k: v for k, v in known.items() if k[0] not in names}, **failing})
        write_list('strict.txt', a.corpus, {**strict, **{(s, r[0]): '' for s in names for r in found[s] if r[2]}})
    print(f'{total} comparisons in {len(names)} option sets, {len(bad)} wrong, {len(known)} known exceptions, '
          f'{len(strict)} held to strict ({time.time() - start:.0f} s)')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
