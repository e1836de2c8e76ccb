"""mujoco.rollout: the bits of a loop of steps, for any number of threads."""
import numpy as np
import pytest

import cortenforge.mujoco as mujoco
from cortenforge.mujoco import rollout

FULL = mujoco.mjtState.mjSTATE_FULLPHYSICS


def loop(m, state, controls):
    d = mujoco.MjData(m)
    mujoco.mj_setState(m, d, state, FULL)
    out = np.empty((len(controls), mujoco.mj_stateSize(m, FULL)))
    for t, control in enumerate(controls):
        d.ctrl[:] = control
        mujoco.mj_step(m, d)
        mujoco.mj_getState(m, d, out[t], FULL)
    return out


@pytest.mark.parametrize("threads", [1, 3])
def test_rollouts_are_loops_of_steps(humanoid, threads):
    rng = np.random.default_rng(0)
    d = mujoco.MjData(humanoid)
    start = np.empty(mujoco.mj_stateSize(humanoid, FULL))
    mujoco.mj_getState(humanoid, d, start, FULL)
    controls = rng.uniform(-1, 1, (4, 15, humanoid.nu))
    state, sensordata = rollout.rollout(humanoid, [mujoco.MjData(humanoid) for _ in range(threads)], start, controls)
    assert state.shape == (4, 15, len(start)) and sensordata.shape == (4, 15, humanoid.nsensordata)
    for i in range(4):
        assert np.array_equal(state[i], loop(humanoid, start, controls[i]))


def test_one_model_per_rollout(tiny):
    import copy
    models = [copy.copy(tiny) for _ in range(3)]
    for i, m in enumerate(models):
        m.opt.gravity[2] = -i
    start = np.zeros(mujoco.mj_stateSize(tiny, FULL))
    start[4] = 1
    state, _ = rollout.rollout(models, [mujoco.MjData(tiny), mujoco.MjData(tiny)], start, nstep=5)
    assert state[0, -1, 3] == 0 and state[1, -1, 3] < 0 and np.isclose(state[2, -1, 3], 2 * state[1, -1, 3])


def test_wrong_arguments(tiny):
    d = mujoco.MjData(tiny)
    n = mujoco.mj_stateSize(tiny, FULL)
    with pytest.raises(ValueError, match="trailing dimension"):
        rollout.rollout(tiny, d, np.zeros(n + 1))
    with pytest.raises(ValueError, match="data of its own"):
        rollout.rollout(tiny, [d, d], np.zeros(n))
    with pytest.raises(ValueError, match="empty"):
        rollout.rollout(tiny, [], np.zeros(n))
    closed = rollout.Rollout()
    closed.close()
    with pytest.raises(RuntimeError):
        closed.rollout(tiny, d, np.zeros(n))
