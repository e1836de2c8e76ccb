#!/usr/bin/env python3
"""Record contacts of MuJoCo 3.5.0 for fixed poses of pairs of geoms.

  record_contacts.py > tests/data/collision/contacts.txt

One line per pose:  type1 type2 margin | size1 size2 | pos1 mat1 pos2 mat2 | n | n times (dist pos normal)
Poses are drawn with a fixed seed; the file changes only when this program or the reference does.
"""
import random

import mujoco
import numpy as np

NAMES = ['plane', 'sphere', 'capsule', 'ellipsoid', 'cylinder', 'box']
POSES = 6


def model(first, second, size1, size2, margin):
    text = lambda size: ' '.join(repr(float(x)) for x in size)
    static = first == 'plane'
    return mujoco.MjModel.from_xml_string(f'''<mujoco><worldbody>
      <body>{'' if static else '<freejoint/>'}<geom type="{first}" size="{text(size1)}" margin="{margin!r}"/></body>
      <body><freejoint/><geom type="{second}" size="{text(size2)}"/></body></worldbody></mujoco>''')


def rotation(rng, aligned):
    quat = np.array([rng.choice([-1.0, 0.0, 1.0]) if aligned else rng.gauss(0, 1) for _ in range(4)])
    if not quat.any():
        quat[0] = 1
    mat = np.zeros(9)
    mujoco.mju_quat2Mat(mat, quat / np.linalg.norm(quat))
    return mat


def main():
    rng = random.Random(35)
    print('# contacts of MuJoCo', mujoco.mj_versionString(), 'written by tools/record_contacts.py')
    numbers = lambda a: ' '.join(repr(float(x)) for x in np.ravel(a))
    for i, first in enumerate(NAMES):
        for second in NAMES[max(i, 1):]:
            kept = 0
            while kept < POSES:
                size1 = [rng.uniform(0.1, 0.4) for _ in range(3)]
                size2 = [rng.uniform(0.1, 0.4) for _ in range(3)]
                margin = rng.choice([0.0, 0.05])
                m = model(first, second, size1, size2, margin)
                d = mujoco.MjData(m)
                aligned = kept == 0 and first in ('plane', 'sphere')
                for g in range(2):
                    d.geom_xpos[g] = [rng.uniform(-0.25, 0.25) for _ in range(3)]
                    d.geom_xmat[g] = rotation(rng, aligned)
                mujoco.mj_collision(m, d)
                if d.ncon == 0 and kept < POSES - 1:
                    continue
                kept += 1
                types = [int(m.geom_type[0]), int(m.geom_type[1])]
                contacts = [numbers([c.dist, *c.pos, *c.frame[:3]]) for c in d.contact]
                print(*types, repr(margin), numbers(m.geom_size), numbers(d.geom_xpos[0]), numbers(d.geom_xmat[0]),
                      numbers(d.geom_xpos[1]), numbers(d.geom_xmat[1]), d.ncon, *contacts)


if __name__ == '__main__':
    main()
