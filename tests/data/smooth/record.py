#!/usr/bin/env python3
"""Record the reference values of this folder with MuJoCo 3.5.0: every .xml is compiled to .mjb, and for the models
below the fields that the smooth stages write are stored as text, state by state.

  python3 record.py        (needs: pip install mujoco==3.5.0)

Format of a .ref file: "state", then one line per array: name, count, numbers.
"""
import glob, os
import numpy as np
import mujoco

HERE = os.path.dirname(os.path.abspath(__file__))
INPUT = ['qpos', 'qvel', 'qacc', 'mocap_pos', 'mocap_quat', 'xfrc_applied']
OUTPUT = ['xpos', 'xquat', 'xipos', 'ximat', 'xanchor', 'xaxis', 'geom_xpos', 'geom_xmat', 'site_xpos', 'site_xmat',
          'cam_xpos', 'cam_xmat', 'light_xpos', 'light_xdir', 'subtree_com', 'cdof', 'cinert', 'ten_length', 'ten_J',
          'wrap_xpos', 'actuator_length', 'actuator_velocity', 'M', 'qLD', 'cvel', 'cdof_dot', 'qfrc_bias',
          'qfrc_smooth', 'qacc_smooth', 'subtree_linvel', 'subtree_angmom', 'energy', 'cacc', 'cfrc_ext', 'cfrc_int']
STATES = {'zoo': 4}


def write(file, name, values):
    values = np.asarray(values, dtype=float).ravel()
    file.write(f'{name} {values.size} ' + ' '.join('%.17g' % v for v in values) + '\n')


def record(name, model, count):
    rng = np.random.default_rng(1)
    data = mujoco.MjData(model)
    with open(os.path.join(HERE, name + '.ref'), 'w') as file:
        for k in range(count):
            mujoco.mj_resetData(model, data)
            mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 0.5 * k)
            data.qvel[:] = rng.normal(size=model.nv)
            data.xfrc_applied[1:] = rng.normal(size=(model.nbody - 1, 6))
            data.mocap_pos[:] += rng.normal(size=data.mocap_pos.shape) * 0.1
            data.mocap_quat[:] = rng.normal(size=data.mocap_quat.shape)
            model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
            mujoco.mj_forward(model, data)
            mujoco.mj_subtreeVel(model, data)
            mujoco.mj_rnePostConstraint(model, data)
            file.write('state\n')
            for field in INPUT + OUTPUT:
                write(file, field, getattr(data, field))
            moment = np.zeros((model.nu, model.nv))
            mujoco.mju_sparse2dense(moment, data.actuator_moment.ravel(), data.moment_rownnz, data.moment_rowadr,
                                    data.moment_colind)
            write(file, 'moment_dense', moment)


TRAJECTORY = ['time', 'qpos', 'qvel', 'act', 'sensordata', 'history', 'actuator_force', 'qfrc_actuator']


def trajectory(name, model, steps):
    """every step of a run with controls that the test computes in the same way"""
    data = mujoco.MjData(model)
    with open(os.path.join(HERE, name + '.ref'), 'w') as file:
        for k in range(steps):
            data.ctrl[:] = [((7 * k + 3 * u) % 11) / 5 - 1 for u in range(model.nu)]
            mujoco.mj_step(model, data)
            file.write('state\n')
            for field in TRAJECTORY:
                write(file, field, getattr(data, field))


for path in sorted(glob.glob(os.path.join(HERE, '*.xml'))):
    name = os.path.splitext(os.path.basename(path))[0]
    model = mujoco.MjModel.from_xml_path(path)
    mujoco.mj_saveModel(model, os.path.join(HERE, name + '.mjb'))
    if name in STATES:
        record(name, model, STATES[name])
    if name == 'delay':
        trajectory(name, model, 40)
