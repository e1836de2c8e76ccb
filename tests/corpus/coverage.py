#!/usr/bin/env python3
"""Count how much of the MJCF grammar the models of models/ use.

  coverage.py CORTENFORGE SOURCE [--list]

Every (element, attribute) pair that `cortenforge schema` knows, extensions included, and every row of the table of keywords must stand in
at least one model, unless the allow-list below says why not; an allowance that is no longer needed fails as well.
--list prints the models that use each pair least often covered.
"""
import collections
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

# elements that MuJoCo accepts but does not print in its schema
UNPRINTED = {
    'body/frame': 'name childclass pos quat axisangle xyaxes zaxis euler',
    'body/replicate': 'count offset euler sep childclass',
    'include': 'file',
}

# pairs that no model can have, with the reason; a trailing * stands for everything that begins so
ALLOWED = {
    'compiler@cortenforge:mimic': 'for URDF files alone',
}

# which attributes take the words of a set: 'element@attribute' or '@attribute' for any element
WORDS = {
    'ANGLE': '@angle', 'BIAS': '@biastype', 'BOOL': '@active @autolimits @actearly @mocap @hflip',
    'CAMLIGHT': 'camera@mode light@mode', 'CAMOUT': '@output', 'COLORSPACE': '@colorspace', 'COMPOSITE': 'composite@type',
    'CONDATA': 'contact@data', 'CONE': '@cone', 'COORDINATE': '@coordinate', 'DATATYPE': '@datatype', 'DYN': '@dyntype',
    'ELASTIC2D': '@elastic2d', 'ENABLE': 'flag@*', 'EQUALITY': '#', 'FLEXSELF': '@selfcollide', 'FLEXCOMP': 'flexcomp@type',
    'FLEXDOF': 'flexcomp@dof', 'FLEXEQUALITY': 'edge@equality', 'FLUID': '@fluidshape',
    'GAIN': '@gaintype', 'GEOM': 'geom@type', 'INTEGRATOR': '@integrator', 'INTEGRATOR_OF_OURS': '@cortenforge:integrator', 'INTERP': '@interp', 'JACOBIAN': '@jacobian',
    'JOINT': 'joint@type', 'JOINTKIND': '@kind', 'LIGHT': 'light@type', 'LRMODE': 'lengthrange@mode', 'MARK': '@mark',
    'MESHBUILTIN': 'mesh@builtin', 'MESHINERTIA': 'mesh@inertia', 'MODULI': 'elasticity@moduli', 'PROJECTION': '@projection', 'RAYDATA': 'rangefinder@data',
    'REDUCE': '@reduce', 'SHELL': '@shellinertia', 'SLEEP': 'body@sleep', 'SOLVER': '@solver', 'STAGE': '@needstage',
    'TEXBUILTIN': 'texture@builtin', 'TEXROLE': '@role', 'TEXTURE': 'texture@type',
    'TRISTATE': '@limited @ctrllimited @inertiafromgeom @align',
}
ALLOWED_WORDS = {
    'COMPOSITE particle': 'the reference refuses it', 'COMPOSITE grid': 'the reference refuses it',
    'COMPOSITE rope': 'the reference refuses it', 'COMPOSITE loop': 'the reference refuses it',
    'COMPOSITE cloth': 'the reference refuses it', 'COORDINATE global': 'the reference refuses it',
    'MESHBUILTIN none': 'the reference refuses it',
}


def grammar(program):
    """{'body/geom': {attributes}} from the printed schema"""
    pairs, path = collections.OrderedDict(), []
    for line in subprocess.run([program, 'schema'], capture_output=True, text=True, check=True).stdout.splitlines():
        line = line.replace('(world)body', 'body')
        head = re.match(r'( *)(\w+) \((.)\)(.*)', line)
        if head:
            depth = len(head.group(1)) // 3
            path[depth:] = [head.group(2)]
            here = '/'.join(path[1:]) or path[0]
            pairs.setdefault(here, set()).update(head.group(4).split())
        elif line.strip():
            pairs[here].update(line.split())
    rows = json.loads(subprocess.run([program, 'schema', '--json'], capture_output=True, text=True, check=True).stdout)
    for row in rows:
        if row['extension']:
            pairs.setdefault(row['element'], set()).add(row['name'])
    for place, attributes in UNPRINTED.items():
        pairs.setdefault(place, set()).update(attributes.split())
    return pairs


def keywords(source):
    sys.path.insert(0, os.path.join(source, 'tools'))
    import tables
    sets = {'CF_CONTACTDATA': 'CONDATA', 'CF_RAYDATA': 'RAYDATA'}
    words = [(r.set, r.word) for r in tables.rows('mjcf_keywords.def') if r.kind == 'CF_KEYWORD']
    return words + [(sets[r.kind], r.word) for r in tables.rows('sensordata.def')]


def place_of(parent, tag):
    """grammar path of an element below the grammar path of its parent"""
    if tag in ('worldbody', 'body') or (tag == 'default' and parent in ('mujoco', 'default')):
        return 'body' if tag != 'default' else 'default'
    if parent in ('body/frame', 'body/replicate'):
        parent = 'body'
    if tag == 'include':
        return 'include'
    return tag if parent == 'mujoco' else f'{parent}/{tag}'


def walk(node, place, used, words, name):
    for attribute, value in node.attrib.items():
        used[(place, attribute)].add(name)
        for word in value.split():
            for key in (f'{node.tag}@{attribute}', f'@{attribute}', f'{node.tag}@*'):
                words[(key, word)].add(name)
    words[('#', node.tag)].add(name)
    for child in node:
        if isinstance(child.tag, str):
            walk(child, place_of(place, child.tag), used, words, name)


def parse(path):
    """root of a document with its declarations as attributes; the prefix of extensions needs none in MJCF"""
    with open(path, encoding='utf8') as f:
        text = re.sub(r'\bcortenforge:(?=\w+=)', 'cortenforge-', f.read())
    root = ElementTree.fromstring(re.sub(r'\bxmlns(?::cortenforge)?(?==)', lambda m: m[0].replace('xmlns', 'declared').replace(':', '-'), text))
    for name in [n for n in root.attrib if n.startswith('declared')]:
        root.attrib[name.replace('declared', 'xmlns').replace('-', ':')] = root.attrib.pop(name)
    for node in root.iter():
        for name in [n for n in node.attrib if n.startswith('cortenforge-')]:
            node.attrib[name.replace('-', ':', 1)] = node.attrib.pop(name)
    return root


def models(source):
    for folder, _, names in sorted(os.walk(os.path.join(source, 'models'))):
        for name in sorted(names):
            if name.endswith('.xml'):
                yield os.path.join(folder, name)


def allowed(key, table):
    return any(key == a or (a.endswith('*') and key.startswith(a[:-1])) for a in table)


def check(title, wanted, is_used, table):
    """print the count; names of what is missing and not allowed, and of allowances that nothing needs"""
    missing = [k for k in wanted if not is_used(k)]
    faults = [f'{title} in no model: {k}' for k in missing if not allowed(k, table)]
    for a in table:
        if not any(allowed(k, [a]) for k in missing):
            faults.append(f'allowance that nothing needs: {a}')
    print(f'{len(wanted) - len(missing)} of {len(wanted)} {title}s covered, {len(missing)} missing, {len(table)} allowances')
    return faults


def main():
    program, source = sys.argv[1:3]
    used, words, count = collections.defaultdict(set), collections.defaultdict(set), 0
    for path in models(source):
        root = parse(path)
        count += 1
        walk(root, 'mujoco' if root.tag.startswith('mujoco') else root.tag, used, words, os.path.relpath(path, source))
    wanted = [f'{place}@{a}' for place, attributes in grammar(program).items() for a in sorted(attributes)]
    faults = check('attribute', wanted, lambda k: tuple(k.split('@')) in used, ALLOWED)
    rows = keywords(source)
    faults += [f'no attribute known for keyword set {s}' for s in sorted({s for s, _ in rows} - set(WORDS))]
    faults += check('keyword', [f'{s} {w}' for s, w in rows],
                    lambda k: any((key, k.split()[1]) in words for key in WORDS.get(k.split()[0], '').split()), ALLOWED_WORDS)
    if count < 120:
        faults.append(f'only {count} models')
    print(f'{count} models')
    if '--list' in sys.argv:
        for k in wanted:
            print(f'{len(used[tuple(k.split("@"))]):4d} {k}')
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
