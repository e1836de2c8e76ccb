"""Many worlds: live fields, parameters, reset, status; rollouts and builder."""
import gc

import numpy as np
import pytest

import cortenforge as cf

PENDULUM = """<mujoco><option timestep='.01'/><worldbody><body><joint name='j' axis='0 1 0' damping='.1'/><geom size='.1' pos='0 0 -1'/></body>
</worldbody><actuator><motor name='a' joint='j' ctrlrange='-1 1'/></actuator><sensor><jointpos joint='j'/></sensor>
<keyframe><key name='up' qpos='3.14'/></keyframe></mujoco>"""


@pytest.fixture
def pendulum():
    return cf.Model.from_xml_string(PENDULUM)


def test_worlds_have_the_bits_of_lone_data(humanoid):
    batch = cf.Batch(humanoid, 16, outputs=["sensordata", "xpos"])
    controls = np.random.default_rng(0).uniform(-1, 1, (16, humanoid.nu))
    batch.ctrl = controls
    batch.step(40)
    for w in (0, 7, 15):
        d = cf.Data(humanoid)
        d.ctrl[:] = controls[w]
        cf.mj_step(humanoid, d, 40)
        assert np.array_equal(d.qpos, batch.qpos[w]) and np.array_equal(d.qvel, batch.qvel[w])
        assert np.array_equal(d.xpos, batch.xpos[w]) and batch.time[w] == d.time
        assert np.array_equal(batch.data(w).qpos, d.qpos)


def test_fields_are_live_and_outlive_the_batch(pendulum):
    batch = cf.Batch(pendulum, 8)
    assert batch.qpos is batch.qpos and batch.qpos.shape == (8, 1) and batch.time.shape == (8,)
    batch.qpos[3] = 1.5
    assert batch.get("qpos")[3] == 1.5 and batch.get("qpos", [3])[0] == 1.5
    batch.step()
    assert batch.qpos[3] != 1.5 and batch.qpos[0] == 0
    view = batch.qpos
    expected = view.copy()
    del batch
    gc.collect()
    assert np.array_equal(view, expected)
    view[:] = 2


def test_dlpack_shares_memory(pendulum):
    batch = cf.Batch(pendulum, 4)
    tensor = np.from_dlpack(batch.dlpack("qvel"))
    tensor[2] = 4
    assert batch.qvel[2] == 4 and tensor.flags.writeable
    assert batch.dlpack("qvel").__dlpack_device__() == (1, 0)


def test_parameters_differ_between_worlds(pendulum):
    batch = cf.Batch(pendulum, 4)
    batch.set("body_mass", np.array([[0, 1], [0, 2], [0, 3], [0, 4]]))
    batch["opt.gravity"] = (0, 0, -5)
    batch.qpos[:] = 0.5
    batch.step(20)
    assert np.array_equal(batch["body_mass"][:, 1], [1, 2, 3, 4]) and batch["opt.gravity"].shape == (4, 3)
    assert len(np.unique(batch.qpos)) == 4
    with pytest.raises(ValueError, match="nonsense"):
        batch.set("nonsense", 1)
    with pytest.raises(AttributeError):
        batch.nonsense
    with pytest.raises(ValueError):
        batch.set("ctrl", np.zeros((3, 1)))
    with pytest.raises(IndexError):
        batch.get("qpos", [4])


def test_reset_of_some_worlds(pendulum):
    batch = cf.Batch(pendulum, 4)
    batch.qvel[:] = 1
    batch.step(5)
    batch.reset(batch.time > 0)
    assert np.all(batch.time == 0)
    batch.step(5)
    batch.reset([True, False, False, True], keyframe="up")
    assert list(batch.time == 0) == [True, False, False, True] and batch.qpos[0] == 3.14
    with pytest.raises(KeyError):
        batch.reset(keyframe="down")
    with pytest.raises(IndexError):
        batch.reset(keyframe=1)
    with pytest.raises(TypeError):
        batch.reset([True])


def test_unstable_worlds_are_told(pendulum):
    batch = cf.Batch(pendulum, 3, unstable="freeze")
    batch.qvel[1] = np.nan
    batch.step(3)
    status = batch.status
    assert list(status["frozen"]) == [False, True, False] and batch.lost == 1 and list(status["steps"][[0, 2]]) == [3, 3]
    assert status["warnings"][1].sum() == 1
    assert list(status["reason"][[0, 2]]) == ["", ""] and "qvel" in status["reason"][1].lower()


def test_states_are_vectors(pendulum):
    batch = cf.Batch(pendulum, 4)
    state = batch.get_state()
    state[:, 1] = [1, 2, 3, 4]
    batch.set_state(state)
    assert np.array_equal(batch.qpos[:, 0], [1, 2, 3, 4])
    batch.set_state(state[3], worlds=[0, 1])
    assert np.array_equal(batch.qpos[:, 0], [4, 4, 3, 4])


def test_what_is_not_there_says_so(pendulum):
    batch = cf.Batch(pendulum, 2)
    with pytest.raises(NotImplementedError, match="mask"):
        batch.step(mask=[True, False])
    with pytest.raises(ValueError, match="backend"):
        cf.Batch(pendulum, 2, backend="tpu")
    with pytest.raises(ValueError):
        cf.Batch(pendulum, 2, outputs="nothing_of_this_name")
    assert "2 worlds" in repr(batch) and len(batch) == 2


def test_rollout_is_a_loop_of_steps(humanoid):
    rng = np.random.default_rng(1)
    states = cf.Batch(humanoid, 3).get_state()
    controls = rng.uniform(-1, 1, (3, 12, humanoid.nu))
    history = cf.rollout(humanoid, states, controls, fields="xpos", every=4)
    assert history["state"].shape[:2] == (3, 3) and history["xpos"].shape == (3, 3, humanoid.nbody, 3)
    d = cf.Data(humanoid)
    for t in range(12):
        d.ctrl[:] = controls[2, t]
        cf.mj_step(humanoid, d)
    assert np.array_equal(history["state"][2, 2, 1:1 + humanoid.nq], d.qpos)
    with pytest.raises(ValueError):
        cf.rollout(humanoid, states)
    with pytest.raises(ValueError):
        cf.rollout(humanoid, states, controls[:, :, 1:])


def test_builder_makes_a_simulation(pendulum):
    m, d = cf.build(pendulum, integrator="implicitfast", timestep=0.003)
    assert m.opt.timestep == 0.003 and m.opt.integrator == cf.mjtIntegrator.mjINT_IMPLICITFAST
    cf.mj_step(m, d, 10)
    qpos = d.qpos
    del m, d
    gc.collect()
    assert qpos.shape == (1,)
    m, d = cf.build(PENDULUM)
    assert m.to_bytes() == pendulum.to_bytes() and d.model is m
    with pytest.raises(cf.ModelError, match="nonsense"):
        cf.build(pendulum, preset="nonsense")
    with pytest.raises(ValueError, match="integrator"):
        cf.build(pendulum, integrator="nonsense")


def test_comparison(pendulum):
    import copy
    other = copy.copy(pendulum)
    assert cf.compare(pendulum, other) == []
    other.body_mass[1] *= 2
    assert [d[1] for d in cf.compare(pendulum, other)] == ["body_mass"]
    d, e = cf.Data(pendulum), cf.Data(pendulum)
    e.qpos[0] = 1
    assert "qpos" in [x[1] for x in cf.compare(pendulum, d, e)]
