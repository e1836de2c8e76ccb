#!/usr/bin/env python3
"""Record qfrc_passive of fly.xml over 100 steps with MuJoCo 3.5.0.

  python3 record.py        (needs: pip install mujoco==3.5.0)

fly.ref: every tenth step a "state", then one line per array: name, count, numbers.
"""
import math
import os

import mujoco

HERE = os.path.dirname(os.path.abspath(__file__))
model = mujoco.MjModel.from_xml_path(os.path.join(HERE, 'fly.xml'))
data = mujoco.MjData(model)
with open(os.path.join(HERE, 'fly.ref'), 'w') as file:
    for step in range(1, 101):
        # one beat of the wings takes 50 steps, as in the test
        phase = 2 * math.pi * step / 50
        stroke, turn = 1.1 * math.sin(phase), 0.8 * math.cos(phase)
        data.ctrl[:] = [stroke, 0.1 * turn, turn, stroke, 0.1 * turn, turn]
        mujoco.mj_step(model, data)
        if step % 10 == 0:
            file.write('state\n')
            for name in ('qpos', 'qvel', 'qfrc_passive', 'qfrc_fluid'):
                values = getattr(data, name)
                file.write(f'{name} {values.size} ' + ' '.join('%.17g' % v for v in values) + '\n')
print('speed of the thorax', data.qvel[:3], 'wings', data.qpos[-7:], 'fluid', data.qfrc_fluid)
