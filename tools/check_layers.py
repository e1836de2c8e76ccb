#!/usr/bin/env python3
"""Show where a room (a folder of src/ or of one of its houses) uses something of a room below it in the layer order.

  check_layers.py [--system-libm] [OBJECTS]     OBJECTS: folder with the object files of src/ (CMakeFiles/cf_objects.dir/src)

Two looks: which headers are included, and, with OBJECTS, which symbols an object file asks for and which room defines
them, so that a call through mujoco.h counts too.  Elementary functions of the system are called nowhere, unless
--system-libm says that this build wants them (-DCF_OWN_LIBM=OFF).  Every use against the order stands in a list below with its reason.
A row of the list that is not needed any more fails as well: the lists only get shorter.
"""
import os
import re
import shutil
import subprocess
import sys

import rooms

ORDER = ['base', 'tables', 'math', 'law', 'model', 'kinematics', 'flex', 'dynamics', 'collision', 'constraint', 'solver',
         'derivative', 'contactsolver', 'ray', 'sensor', 'pipeline', 'finitediff', 'spec', 'mjcf', 'compile', 'vis', 'render',
         'ui', 'builder', 'device', 'backend', 'team', 'batch', 'api']
# lanes step what batch keeps: one room in two folders
SAME = {'lanes': 'batch'}
# functions of the C library whose last bits, or signs of zeros, differ between systems; math/libm.h has our own
SYSTEM_MATH = {name + suffix for suffix in ('', 'f') for name in
               'sin cos tan sincos asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 '
               'log1p pow hypot cbrt erf erfc tgamma lgamma fma fmin fmax'.split()}
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'src')

# (file, header): includes that look down, with the reason
KNOWN_INCLUDES = {
    ('mjcf/flexmesh.c', 'compile/surface.h'): 'points of a flexcomp come from a mesh file, whose readers belong to the compiler',
}

# (file, symbol): calls that look down, with the reason
KNOWN_CALLS = {
    ('model/reset.c', 'mj_kinematics'): 'trees that start asleep need a forward pass before they are put to sleep',
    ('model/reset.c', 'mj_comPos'): 'as above',
    ('model/reset.c', 'mj_camlight'): 'as above',
    ('model/reset.c', 'mj_tendon'): 'as above',
    ('model/reset.c', 'mj_forward'): 'as above',
    ('model/mjbblock.c', 'cfi_extensionClasses'): 'the table of what is kept in files; its classes belong to rooms below',
    ('kinematics/sitetransmission.c', 'mj_mulJacTVec'): 'adhesion pulls along the constraint rows of its contacts',
    ('flex/forces.c', 'mj_applyFT'): 'a force on a vertex reaches the joints through the Jacobian of its body',
    ('flex/grid.c', 'mj_applyFT'): 'as above',
    ('collision/sdf/field.c', 'mj_rayMesh'): 'the distance to a mesh inside is measured along a ray',
    ('mjcf/elements.c', 'mjs_makeMesh'): 'builtin meshes are made while their element is read',
    ('mjcf/flexmesh.c', 'cfi_contentType'): 'points of a flexcomp come from a mesh file, whose readers belong to the compiler',
    ('mjcf/flexmesh.c', 'cfi_mergeVertices'): 'as above',
    ('mjcf/flexmesh.c', 'cfi_poolFree'): 'as above',
    ('mjcf/flexmesh.c', 'cfi_readObj'): 'as above',
    ('mjcf/flexmesh.c', 'cfi_readStl'): 'as above',
    ('mjcf/parse.c', 'mj_compile'): 'mj_loadXML is parse and compile',
    ('mjcf/save.c', 'mj_compile'): 'a specification that is not compiled yet is compiled before it is written',
    ('mjcf/save.c', 'mj_copyBack'): 'mj_saveLastXML writes the values of a changed model',
}


def room(path):
    name = rooms.room(path)
    return SAME.get(name, name)


def looks_down(user, used):
    return user in ORDER and used in ORDER and ORDER.index(used) > ORDER.index(user)


def includes():
    """(file, header) for every include of a header of a lower room"""
    for base, _, names in os.walk(ROOT):
        for name in sorted(n for n in names if n.endswith(('.c', '.h'))):
            path = rooms.strip(os.path.relpath(os.path.join(base, name), ROOT))
            with open(os.path.join(base, name), encoding='utf8') as f:
                for used, rest in re.findall(r'^#include "(\w+)/([\w/.]+)"', f.read(), re.M):
                    if looks_down(room(path), room(used)):
                        yield path, f'{used}/{rest}'


def symbols(objects):
    """{file: (defined, undefined)} of all object files, files named as in src/"""
    nm = shutil.which('gcc-nm') or 'nm'
    files = [os.path.join(base, n) for base, _, names in os.walk(objects) for n in names if n.endswith('.c.o')]
    text = subprocess.run([nm, '-A', '-g', *files], capture_output=True, text=True, check=True).stdout
    found = {rooms.strip(os.path.relpath(f, objects)[:-2]): (set(), set()) for f in files}
    for line in text.splitlines():
        path, rest = line.split(':', 1)
        *_, kind, name = rest.split()
        found[rooms.strip(os.path.relpath(path, objects)[:-2])][kind in 'Uw'].add(name)
    return found


def isSource(homes, path):
    """True if an object file was made from a file of src, not from a generated one."""
    name, rest = path.split('/', 1)
    return name in homes and os.path.exists(os.path.join(rooms.ROOT, homes[name], rest))


def sources(objects):
    """symbols() of files of src"""
    homes = rooms.rooms()
    return {path: both for path, both in symbols(objects).items() if isSource(homes, path)}


def calls(found):
    """(file, symbol, where it is defined) for every use of a symbol of a lower room"""
    home = {name: path for path, (defined, _) in found.items() for name in defined}
    for path, (_, undefined) in sorted(found.items()):
        for name in sorted(undefined):
            if name in home and looks_down(room(path), room(home[name])):
                yield path, name, home[name]


def main():
    args = [a for a in sys.argv[1:] if a != '--system-libm']
    bad, seen = [], set()
    for path, header in includes():
        seen.add((path, header))
        if (path, header) not in KNOWN_INCLUDES:
            bad.append(f'{path} includes {header}')
    stale = [f'{a} does not include {b} any more' for a, b in KNOWN_INCLUDES if (a, b) not in seen]
    if args:
        found = sources(args[0])
        if len(found) < 200:
            sys.exit(f'check_layers: only {len(found)} object files under {args[0]}')
        if '--system-libm' not in sys.argv:
            bad += [f'{path} calls {name} of the system; math/libm.h has cfi_{name}'
                    for path, (_, undefined) in found.items() for name in undefined & SYSTEM_MATH]
        for path, name, home in calls(found):
            seen.add((path, name))
            if (path, name) not in KNOWN_CALLS:
                bad.append(f'{path} uses {name} of {home}')
        stale += [f'{a} does not use {b} any more' for a, b in KNOWN_CALLS if (a, b) not in seen]
    for line in sorted(bad):
        print(line)
    for line in stale:
        print(f'stale exception: {line}')
    print(f'{len(bad)} uses against the layer order, {len(KNOWN_INCLUDES) + len(KNOWN_CALLS)} known, {len(stale)} stale')
    return 1 if bad or stale else 0


if __name__ == '__main__':
    sys.exit(main())
