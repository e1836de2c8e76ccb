#!/usr/bin/env python3
"""Record the values of this folder with MuJoCo 3.5.0: scene.xml compiled to scene.mjb, and up to ten steps of it from its
keyframe under many options in scene.ref.

  python3 record.py        (needs: pip install mujoco==3.5.0)

Format: "state", then one line per array: name, count, numbers. "option" holds solver, cone, jacobian, noslip_iterations,
disableflags, enableflags.
"""
import os
import mujoco

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = (10, 2, 10)   # by solver; rounding grows too fast along CG's path


def write(file, name, values):
    values = [float(v) for v in values]
    file.write(f'{name} {len(values)} ' + ' '.join('%.13g' % v for v in values) + '\n')


model = mujoco.MjModel.from_xml_path(os.path.join(HERE, 'scene.xml'))
mujoco.mj_saveModel(model, os.path.join(HERE, 'scene.mjb'))
options = [(2, 0, 2, 0, 1 << k, 0) for k in range(19)]                                          # AC18
options += [(s, c, j, 0, 0, 0) for s in range(3) for c in range(2) for j in range(2)]
options += [(2, c, j, 5, 0, 0) for c in range(2) for j in range(2)]
with open(os.path.join(HERE, 'scene.ref'), 'w') as file:
    for solver, cone, jacobian, noslip, disable, enable in options:
        model.opt.solver, model.opt.cone, model.opt.jacobian = solver, cone, jacobian
        model.opt.noslip_iterations, model.opt.disableflags, model.opt.enableflags = noslip, disable, enable
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        file.write('state\n')
        write(file, 'option', [solver, cone, jacobian, noslip, disable, enable])
        for k in range(STEPS[solver]):
            mujoco.mj_step(model, data)
            write(file, 'counts', [data.ncon, data.ne, data.nf, data.nl, data.nefc, data.nisland])
            write(file, 'qacc', data.qacc)
        write(file, 'efc_force', data.efc_force)
        write(file, 'niter', [sum(data.solver_niter)])
