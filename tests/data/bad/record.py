#!/usr/bin/env python3
"""Record with MuJoCo 3.5.0 what bad numbers do: every input array of mjData of several models gets NaN, an infinity or a huge
number at its first and at its last element after three steps; then five more steps.

  python3 record.py        (needs: pip install mujoco==3.5.0)

A line of bad.txt: model, array, index, value, disableflags; number and lastinfo of each warning; time; 1 if qpos and qvel
are finite at the end, else 0; error 1 if the step raised one.
"""
import math
import os
import mujoco
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, '..', '..', '..')
MODELS = ('models/humanoid.xml', 'tests/data/flags/scene.xml', 'tests/data/mjb/rig.xml', 'tests/data/stages.xml',
          'tests/data/mjb/sleepers.xml', 'tests/data/compile/options.xml', 'tests/data/smooth/zoo.xml',
          'tests/data/compile/actuators.xml', 'tests/data/mjb/shapes.xml', 'tests/data/constraint/scene.xml')
ARRAYS = ('qpos', 'qvel', 'act', 'ctrl', 'qfrc_applied', 'xfrc_applied', 'mocap_pos', 'mocap_quat', 'userdata')
VALUES = (math.nan, math.inf, -math.inf, 1e300, -1e300)
AUTORESET = int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)


def run(model, array, index, value):
    data = mujoco.MjData(model)
    for _ in range(3):
        mujoco.mj_step(model, data)
    getattr(data, array).flat[index] = value
    error = 0
    try:
        for _ in range(5):
            mujoco.mj_step(model, data)
    except mujoco.FatalError:
        error = 1
    counters = [n for w in data.warning for n in (w.number, w.lastinfo)]
    finite = int(np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all())
    return counters + ['%.17g' % data.time, finite, error]


with open(os.path.join(HERE, 'bad.txt'), 'w') as file:
    for path in MODELS:
        model = mujoco.MjModel.from_xml_path(os.path.join(TOP, path))
        sizes = mujoco.MjData(model)
        flags = int(model.opt.disableflags)
        for array in ARRAYS:
            size = getattr(sizes, array).size
            for index in sorted({0, size - 1} if size else ()):
                for value in VALUES:
                    for disable in (flags & ~AUTORESET, flags | AUTORESET):
                        model.opt.disableflags = disable
                        row = [path, array, index, '%g' % value, disable] + run(model, array, index, value)
                        file.write(' '.join(map(str, row)) + '\n')
