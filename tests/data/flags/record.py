#!/usr/bin/env python3
"""Record the values of this folder with MuJoCo 3.5.0: ten steps of scene.xml from its keyframe with each disable flag alone,
each enable flag alone and without flags, in table.ref.

  python3 record.py        (needs: pip install mujoco==3.5.0)

Format: "state", then one line per array: name, count, numbers. "flags" holds disableflags, enableflags.
"""
import os
import mujoco

HERE = os.path.dirname(os.path.abspath(__file__))
NDISABLE, NENABLE, STEPS = int(mujoco.mjtDisableBit.mjNDISABLE), int(mujoco.mjtEnableBit.mjNENABLE), 10


def write(file, name, values):
    values = [float(v) for v in values]
    file.write(f'{name} {len(values)} ' + ' '.join('%.17g' % v for v in values) + '\n')


model = mujoco.MjModel.from_xml_path(os.path.join(HERE, 'scene.xml'))
flags = [(0, 0)] + [(1 << k, 0) for k in range(NDISABLE)] + [(0, 1 << k) for k in range(NENABLE)]
with open(os.path.join(HERE, 'table.ref'), 'w') as file:
    for disable, enable in flags:
        model.opt.disableflags, model.opt.enableflags = disable, enable
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        file.write('state\n')
        write(file, 'flags', [disable, enable])
        for _ in range(STEPS):
            mujoco.mj_step(model, data)
            write(file, 'counts', [data.ncon, data.ne, data.nf, data.nl, data.nefc, data.nisland])
            write(file, 'qacc', data.qacc)
        write(file, 'qpos', data.qpos)
        write(file, 'act', data.act)
        write(file, 'sensordata', data.sensordata)
        write(file, 'energy', data.energy)
