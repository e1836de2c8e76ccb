"""mujoco.batch: every simulation beside a lone MjData, bit by bit."""
import numpy as np
import pytest

import cortenforge.mujoco as mujoco
from cortenforge.mujoco.batch import Batch, SimulationError

N = 6


@pytest.fixture
def batch(humanoid):
    return Batch(humanoid, N, nthread=2)


def lone(m, qvel, ctrl, nstep):
    d = mujoco.MjData(m)
    d.qvel[:], d.ctrl[:] = qvel, ctrl
    mujoco.mj_step(m, d, nstep)
    return d


def test_simulations_have_the_bits_of_lone_data(batch, humanoid):
    rng = np.random.default_rng(0)
    qvel, ctrl = batch.bind("qvel"), batch.bind("ctrl")
    assert batch.bind("qvel") is qvel and qvel.shape == (N, humanoid.nv) and batch.bind("time").shape == (N,)
    qvel[:], ctrl[:] = rng.normal(0, 0.1, qvel.shape), rng.uniform(-1, 1, ctrl.shape)
    start = qvel.copy()
    xpos = batch.bind("xpos")
    assert xpos.shape == (N, humanoid.nbody, 3)
    with pytest.raises(ValueError):
        xpos[:] = 0
    batch.step(nstep=20)
    for i in range(N):
        d = lone(humanoid, start[i], ctrl[i], 20)
        assert np.array_equal(batch.bind("qpos")[i], d.qpos) and np.array_equal(qvel[i], d.qvel)
        assert np.array_equal(xpos[i], d.xpos) and np.array_equal(batch.get_data(i).qpos, d.qpos)
    assert not batch.status.any() and batch.error(0) == ""


def test_chosen_simulations(batch):
    time = batch.bind("time")
    batch.step(ids=[1, 4], nstep=3)
    assert time.tolist() == [0, 0.015, 0, 0, 0.015, 0]
    batch.step(ids=time == 0)
    assert np.allclose(time, [0.005, 0.015, 0.005, 0.005, 0.015, 0.005])
    batch.reset(ids=[4])
    assert time[4] == 0 and time[1] > 0
    batch.reset()
    assert not time.any()
    with pytest.raises(IndexError):
        batch.step(ids=[N])
    with pytest.raises(mujoco.FatalError):
        batch.step(ids=[1, 1])
    with pytest.raises(ValueError):
        batch.step(ids=[True, False])
    with pytest.raises(TypeError):
        batch.step(ids=[0.5])


def test_parameters_differ(batch, humanoid):
    mass = batch.expand("body_mass")
    assert mass.shape == (N, humanoid.nbody) and np.array_equal(mass[0], humanoid.body_mass)
    mass[:] *= np.linspace(1, 2, N)[:, None]
    batch.expand("opt.gravity")[2] = (0, 0, -1)
    batch.set_const()
    batch.step(nstep=10)
    for i in (0, 2, 5):
        m = batch.get_model(i)
        assert np.array_equal(m.body_mass, mass[i]) and m.body_subtreemass[0] == pytest.approx(mass[i].sum())
        d = mujoco.MjData(m)
        mujoco.mj_step(m, d, 10)
        assert np.array_equal(d.qpos, batch.bind("qpos")[i])
    with pytest.raises(ValueError, match="no parameter"):
        batch.expand("nonsense")
    with pytest.raises(ValueError, match="no field"):
        batch.bind("efc_force")


def test_models_of_simulations(batch, humanoid):
    import copy
    models = [copy.copy(humanoid) for _ in range(N)]
    for i, m in enumerate(models):
        m.opt.gravity[2] = -1 - i
    batch.set_models(models)
    batch.step(nstep=5)
    for i, m in enumerate(models):
        d = mujoco.MjData(m)
        mujoco.mj_step(m, d, 5)
        assert np.array_equal(d.qpos, batch.bind("qpos")[i])
    batch.set_models(None)
    with pytest.raises(ValueError, match="list of 6"):
        batch.set_models(models[:2])


def test_rollouts_record(batch, humanoid):
    control = np.random.default_rng(1).uniform(-1, 1, (N, 7, humanoid.nu))
    out = batch.rollout(control=control, record=["state", "qpos", "xpos"])
    assert out["qpos"].shape == (N, 7, humanoid.nq) and out["xpos"].shape == (N, 7, humanoid.nbody, 3)
    d = mujoco.MjData(humanoid)
    for t in range(7):
        d.ctrl[:] = control[3, t]
        mujoco.mj_step(humanoid, d)
        assert np.array_equal(out["qpos"][3, t], d.qpos) and out["state"][3, t, 0] == d.time
    assert batch.rollout(nstep=2, ids=[1], record="qvel")["qvel"].shape == (1, 2, humanoid.nv)
    with pytest.raises(ValueError, match="expected"):
        batch.rollout(control=control[:2])
    with pytest.raises(ValueError, match="nstep"):
        batch.rollout()


def test_jacobians_and_rays(batch, humanoid):
    batch.bind("qpos")[:, 2] += np.arange(N)
    jacp, jacr = batch.jac("body", "torso", ids=[2, 0])
    distance, geom = batch.ray([0.3, 0.3, 50], (0, 0, -1), bodyexclude=1)
    for row, i in ((0, 2), (1, 0)):
        d = batch.get_data(i)
        mujoco.mj_kinematics(humanoid, d)
        mujoco.mj_comPos(humanoid, d)
        p, r = np.zeros((3, humanoid.nv)), np.zeros((3, humanoid.nv))
        mujoco.mj_jacBody(humanoid, d, p, r, humanoid.body("torso").id)
        assert np.array_equal(p, jacp[row]) and np.array_equal(r, jacr[row])
        hit = np.zeros(1, np.int32)
        assert distance[i] == mujoco.mj_ray(humanoid, d, np.array([0.3, 0.3, 50]), np.array([0, 0, -1.0]), None, 1, 1, hit)
        assert geom[i] == hit[0]
    with pytest.raises(ValueError, match="allowed are"):
        batch.jac("joint", 0)
    with pytest.raises(KeyError):
        batch.jac("body", "nobody")


def test_access_by_name(batch, humanoid):
    joint = humanoid.joint(3).name
    batch.joint(joint).qpos = np.arange(N)[:, None] / 10
    address = humanoid.joint(joint).qposadr[0]
    assert np.array_equal(batch.bind("qpos")[:, address], np.arange(N) / 10)
    assert batch.body("torso").xpos.shape == (N, 3) and batch.body("torso").mass.shape == (N, 1)
    with pytest.raises(AttributeError):
        batch.body("torso").nonsense
    with pytest.raises(AttributeError):
        batch.nonsense
    with pytest.raises(KeyError):
        batch.body("nobody")


def test_failed_simulations_are_listed_and_keep_their_state(batch):
    mass, time = batch.expand("body_mass"), batch.bind("time")
    batch.step()
    mass[2] = np.nan
    with pytest.raises(SimulationError) as caught:
        batch.step()
    assert caught.value.failed == [2] and batch.status[2] and batch.error(2)
    assert time[2] == 0.005 and time[1] == 0.01


def test_what_a_batch_cannot_be(humanoid):
    with pytest.raises(ValueError):
        Batch(humanoid, 0)
    with pytest.raises(TypeError):
        Batch("model", 1)
    assert "3 simulations" in repr(Batch(humanoid, 3, persistent=True))
