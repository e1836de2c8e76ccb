#!/usr/bin/env python3
"""Compare the texts that two libraries save, model by model: ours and MuJoCo 3.5.0.

  saved_texts.py OUR_LIBRARY FOLDER_OR_FILE… [--reference LIB] [--out FOLDER] [--digits N] [--reload] [--show N]

Every model is loaded and saved twice by each library: from the specification (mj_saveXMLString after mj_compile) and as the
last one loaded together with its model (mj_saveLastXML). Closing lines: how many texts are equal, and the first lines that
differ, by kind. With --reload both texts of a model are read by both libraries, and the binary models compared byte by byte.
Each library works in a process of its own; a model that both refuse counts as none. Texts stay in --out: ref/ and ours/.
"""
import argparse
import collections
import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

WAYS = ('spec', 'last')

# what MuJoCo writes and cannot read again (docs/saving.md): our text has the names of its schema
# and no name of an object without its type
UNREADABLE = (('<potential', '<e_potential'), ('<kinetic', '<e_kinetic'), ('<user objname="[^"]*"', '<user'))


# ---- one library, in a process of its own: lines of "INPUT<tab>OUTPUT<tab>HOW"

def open_library(path):
    lib = ctypes.CDLL(path)
    for name in ('mj_loadXML', 'mj_parseXML', 'mj_compile', 'mjs_getError', 'mj_getCache'):
        getattr(lib, name).restype = ctypes.c_void_p
    lib.mj_sizeModel.restype = ctypes.c_int64
    plugins = os.path.join(os.path.dirname(path), 'plugin')
    if os.path.isdir(plugins):
        lib.mj_loadAllPluginLibraries(plugins.encode(), None)
    handler = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda text: None)
    ctypes.c_void_p.in_dll(lib, 'mju_user_warning').value = ctypes.cast(handler, ctypes.c_void_p).value
    lib.kept_handler = handler
    return lib


def save_spec(lib, source, target):
    error = ctypes.create_string_buffer(2000)
    spec = lib.mj_parseXML(source.encode(), None, error, 2000)
    if not spec:
        return error.value.decode(errors='replace')
    spec = ctypes.c_void_p(spec)
    model = ctypes.c_void_p(lib.mj_compile(spec, None))
    message = ''
    if not model.value:
        message = ctypes.string_at(lib.mjs_getError(spec)).decode(errors='replace')
    elif lib.mj_saveXML(spec, target.encode(), error, 2000):
        message = 'not saved: ' + error.value.decode(errors='replace')
    if model.value:
        lib.mj_deleteModel(model)
    lib.mj_deleteSpec(spec)
    return message


def save_last(lib, source, target):
    error = ctypes.create_string_buffer(2000)
    model = ctypes.c_void_p(lib.mj_loadXML(source.encode(), None, error, 2000))
    if not model.value:
        return error.value.decode(errors='replace')
    is_saved = lib.mj_saveLastXML(target.encode(), model, error, 2000)
    lib.mj_deleteModel(model)
    return '' if is_saved else 'not saved: ' + error.value.decode(errors='replace')


def save_binary(lib, source, target):
    error = ctypes.create_string_buffer(2000)
    model = ctypes.c_void_p(lib.mj_loadXML(source.encode(), None, error, 2000))
    if not model.value:
        return error.value.decode(errors='replace')
    size = lib.mj_sizeModel(model)
    room = ctypes.create_string_buffer(size)
    lib.mj_saveModel(model, None, room, size)
    lib.mj_deleteModel(model)
    with open(target, 'w') as f:
        f.write(hashlib.sha256(room.raw).hexdigest())
    return ''


def work(library, digits):
    lib = open_library(library)
    lib._mjPRIVATE__set_xml_precision(digits)
    how = {'spec': save_spec, 'last': save_last, 'binary': save_binary}
    for line in sys.stdin:
        source, target, kind = line.rstrip('\n').split('\t')
        os.makedirs(os.path.dirname(target), exist_ok=True)
        lib.mj_clearCache(ctypes.c_void_p(lib.mj_getCache()))  # what MuJoCo saves of a mesh depends on it
        message = how[kind](lib, source, target)
        if message:
            with open(target + '.error', 'w') as f:
                f.write(message)
        print(target, flush=True)


def run_all(library, digits, jobs):
    """do the jobs; one that ends the process is left out and the rest goes on"""
    jobs = list(jobs)
    while jobs:
        text = ''.join('\t'.join(job) + '\n' for job in jobs)
        done = subprocess.run([sys.executable, __file__, '--worker', library, '--digits', str(digits)], input=text,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        count = done.stdout.count('\n')
        if count < len(jobs):
            with open(jobs[count][1] + '.error', 'w') as f:
                f.write('the process ended')
        jobs = jobs[count + 1:]


# ---- comparison

def read(path):
    if not os.path.exists(path):
        return None
    with open(path, errors='replace') as f:
        return f.read()


def first_difference(ours, ref):
    a, b = ours.split('\n'), ref.split('\n')
    for i in range(max(len(a), len(b))):
        x, y = a[i] if i < len(a) else '', b[i] if i < len(b) else ''
        if x != y:
            return i + 1, x, y
    return 0, '', ''


def kind_of(x, y):
    """tag and first attribute that differs"""
    tag_x, tag_y = x.split()[:1], y.split()[:1]
    if tag_x != tag_y:
        return '%s instead of %s' % (tag_x, tag_y)
    for p, q in zip(x.split('" '), y.split('" ')):
        if p != q:
            return '%s %s / %s' % (tag_x[0], p.split('=')[0].split()[-1], q.split('=')[0].split()[-1])
    return tag_x[0]


def collect(places, out):
    """copies of the models, so that texts can be read where their files are"""
    found = []
    for i, place in enumerate(places):
        root = place if os.path.isdir(place) else os.path.dirname(os.path.abspath(place))
        copy = os.path.join(out, 'tree', str(i))
        shutil.copytree(root, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns('.git', 'build'))
        if not os.path.isdir(place):
            found.append(os.path.join(str(i), os.path.basename(place)))
            continue
        for folder, _, files in sorted(os.walk(copy)):
            for name in sorted(files):
                if name.endswith(('.xml', '.urdf')) and not name.startswith('saved__'):
                    found.append(os.path.relpath(os.path.join(folder, name), os.path.join(out, 'tree')))
    return found


def reload_models(out, args, pairs):
    """texts of one model by both libraries, read by both; name -> number of readers for which they are equal"""
    jobs, equal = [], {}
    for name, way in pairs:
        for who in ('ours', 'ref'):
            folder, base = os.path.split(os.path.join(out, 'tree', name))
            copy = os.path.join(folder, 'saved__%s_%s_%s.xml' % (who, way, base))
            shutil.copy(os.path.join(out, who, name + '.' + way), copy)
            jobs.append((copy, name, way, who))
    for reader, library in (('ref', args.reference), ('ours', args.library)):
        run_all(library, args.digits,
                [(c, os.path.join(out, 'binary', reader, n + '.%s.%s' % (w, who)), 'binary') for c, n, w, who in jobs])
        for name, way in pairs:
            hashes = [read(os.path.join(out, 'binary', reader, name + '.%s.%s' % (way, who))) for who in ('ours', 'ref')]
            errors = [read(os.path.join(out, 'binary', reader, name + '.%s.%s.error' % (way, who)))
                      for who in ('ours', 'ref')]
            same = hashes[0] == hashes[1] and (hashes[0] or errors[0] is not None and errors[1] is not None)
            if not same:
                print('%s %s: read by %s the texts give different models %s' % (name, way, reader, errors))
            equal[name, way] = equal.get((name, way), 0) + bool(same)
    for copy, *_ in jobs:
        os.remove(copy)
    return equal


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('library', nargs='?')
    parser.add_argument('places', nargs='*')
    parser.add_argument('--reference', default=os.environ.get('MUJOCO_REFERENCE_LIB'))
    parser.add_argument('--out')
    parser.add_argument('--digits', type=int, default=6)
    parser.add_argument('--reload', action='store_true')
    parser.add_argument('--show', type=int, default=20)
    parser.add_argument('--worker')
    args = parser.parse_args()
    if args.worker:
        return work(args.worker, args.digits)
    if not args.library or not args.places or not args.reference:
        parser.error('OUR_LIBRARY, FOLDER… and the reference library (MUJOCO_REFERENCE_LIB) are needed')
    args.library, args.reference = os.path.abspath(args.library), os.path.abspath(args.reference)
    out = os.path.abspath(args.out or tempfile.mkdtemp(prefix='saved_texts.'))
    names = collect(args.places, out)
    for who, library in (('ref', args.reference), ('ours', args.library)):
        jobs = [(os.path.join(out, 'tree', n), os.path.join(out, who, n + '.' + w), w) for n in names for w in WAYS]
        if who == 'ref':
            jobs = [j for j in jobs if not os.path.exists(j[1]) and not os.path.exists(j[1] + '.error')]
        else:
            shutil.rmtree(os.path.join(out, who), ignore_errors=True)
        run_all(library, args.digits, jobs)
    return report(names, out, args)


def report(names, out, args):
    total, same, mended = collections.Counter(), collections.Counter(), collections.Counter()
    kinds, shown, differing = collections.Counter(), {}, []
    for name in names:
        for way in WAYS:
            paths = [os.path.join(out, who, name + '.' + way) for who in ('ours', 'ref')]
            ours, ref = (read(p) for p in paths)
            error, ref_error = (read(p + '.error') for p in paths)
            if ref_error is not None and 'not saved' not in ref_error:
                continue
            total[way] += 1
            readable = ref
            for theirs, word in UNREADABLE:
                readable = readable and re.sub(theirs, word, readable)
            mended[way] += ref != readable and ours == readable
            ref = readable
            if ours is not None and error is None and ours == ref or error is not None and error == ref_error:
                same[way] += 1
                continue
            if error is not None or ref_error is not None:
                kind, where = 'error: %s / %s' % (error, ref_error), (0, '', '')
            else:
                where = first_difference(ours, ref)
                kind = kind_of(where[1], where[2])
                differing.append((name, way))
            kinds[kind] += 1
            shown.setdefault(kind, (name, way) + where)
    for kind, count in kinds.most_common(args.show):
        name, way, line, x, y = shown[kind]
        print('%4d  %s\n      %s %s:%d\n      ours %s\n      ref  %s' % (count, kind, name, way, line, x[:300], y[:300]))
    if args.reload:
        equal = reload_models(out, args, differing)
        print('%d of %d differing texts give equal models in both libraries' %
              (sum(n == 2 for n in equal.values()), len(differing)))
    for way in WAYS:
        print('%s: %d texts, %d equal, %d of them but for what MuJoCo cannot read again' %
              (way, total[way], same[way], mended[way]))
    return 0 if sum(total.values()) == sum(same.values()) else 1


if __name__ == '__main__':
    sys.exit(main())
