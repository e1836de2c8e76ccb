#!/usr/bin/env python3
"""Record the sensor values of this folder's models with MuJoCo 3.5.0.

  python3 record.py        (needs: pip install mujoco==3.5.0)

For every model NAME.xml: NAME.ref with a few states around the reference configuration. Format: "state", then one line
per array: name, count, numbers; time, qpos, qvel, ctrl and xfrc_applied are set before mj_forward, sensordata is what came out.
For contacts.xml, "cone" holds the friction cone of the state (0 pyramidal, 1 elliptic).
"""
import glob
import os

import mujoco
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
# how far positions and velocities are moved at random, model by model
SPREAD = {'contacts': (0.004, 0.2), 'frames': (0.5, 1), 'scalars': (0.6, 1), 'views': (0.15, 1), 'tactile': (0.01, 0.5)}
STATES = 4


def write(file, name, values):
    values = np.asarray(values, dtype=float).ravel()
    file.write(f'{name} {values.size} ' + ' '.join('%.17g' % v for v in values) + '\n')


def record(name, model):
    rng = np.random.default_rng(9)
    spread, speed = SPREAD[name]
    data = mujoco.MjData(model)
    with open(os.path.join(HERE, name + '.ref'), 'w') as file:
        for k in range(STATES):
            mujoco.mj_resetData(model, data)
            model.opt.cone = k % 2 if name == 'contacts' else 0
            data.time = 0.25 * k
            mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), spread)
            data.qvel[:] = speed * rng.normal(size=model.nv)
            data.ctrl[:] = rng.normal(size=model.nu)
            data.xfrc_applied[1:] = rng.normal(size=(model.nbody - 1, 6)) * 0.3
            file.write('state\n')
            write(file, 'cone', [model.opt.cone])
            for field in ['time', 'qpos', 'qvel', 'ctrl', 'xfrc_applied']:
                write(file, field, getattr(data, field))
            mujoco.mj_forward(model, data)
            write(file, 'sensordata', data.sensordata)
            print(name, k, 'contacts', data.ncon, 'rows', data.nefc, 'nonzero', np.count_nonzero(data.sensordata), 'of', model.nsensordata)


for path in sorted(glob.glob(os.path.join(HERE, '*.xml'))):
    record(os.path.splitext(os.path.basename(path))[0], mujoco.MjModel.from_xml_path(path))
