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


def test_what_a_batch_cannot_be(pendulum):
    batch = cf.Batch(pendulum, 2)
    with pytest.raises(ValueError, match="backend"):
        cf.Batch(pendulum, 2, backend="tpu")
    with pytest.raises(ValueError):
        cf.Batch(pendulum, 2, outputs="nothing_of_this_name")
    assert "2 worlds" in repr(batch) and len(batch) == 2


def test_masks_choose_worlds(pendulum):
    batch = cf.Batch(pendulum, 9)
    batch.qvel[:] = 1
    mask = np.arange(9) % 3 == 0
    batch.step(4, mask)
    assert np.array_equal(batch.time > 0, mask) and np.array_equal(batch.status["steps"], 4 * mask)
    d = cf.Data(pendulum)
    d.qvel[:] = 1
    cf.mj_step(pendulum, d, 4)
    assert np.all(batch.qpos[mask] == d.qpos) and np.all(batch.qvel[~mask] == 1)
    batch.qpos[:] = 0.5
    batch.forward(mask=~mask)
    assert np.array_equal(batch.sensordata[:, 0] == 0.5, ~mask)
    batch.reset(mask)
    assert np.array_equal(batch.qpos[:, 0] == 0, mask)
    for bad in (np.ones(3, bool), "all"):
        with pytest.raises((TypeError, ValueError)):
            batch.step(1, bad)


def test_parameters_are_live(pendulum):
    batch = cf.Batch(pendulum, 4)
    mass = batch.body_mass
    assert mass.shape == (4, 2) and batch.body_mass is mass
    mass[:, 1] = [1, 2, 3, 4]
    batch.commit()
    assert np.array_equal(batch.get("body_mass")[:, 1], [1, 2, 3, 4])
    batch.qpos[:] = 0.5
    batch.ctrl[:] = 1
    batch.step(5)
    assert len(np.unique(batch.qpos)) == 4
    batch.set("body_mass", [0, 7])
    assert np.all(mass[:, 1] == 7)
    mass[2, 1] = np.nan
    before = batch.qpos.copy()
    with pytest.raises(ValueError, match="body_mass"):
        batch.step()
    assert np.array_equal(batch.qpos, before)
    mass[2, 1] = 7
    batch.step()


def test_dlpack_says_what_may_be_written(pendulum):
    batch = cf.Batch(pendulum, 4, outputs="xpos")
    for name, is_writable in (("qpos", True), ("body_mass", True), ("xpos", False)):
        assert np.from_dlpack(batch.dlpack(name)).flags.writeable == is_writable
    capsule = batch.dlpack("qvel").__dlpack__()
    assert '"dltensor"' in repr(capsule)
    assert '"dltensor_versioned"' in repr(batch.dlpack("qvel").__dlpack__(max_version=(1, 0)))
    with pytest.raises(BufferError):
        batch.dlpack("qvel").__dlpack__(copy=True)
    with pytest.raises(ValueError):
        np.from_dlpack(batch.dlpack("nonsense"))


def test_contacts_of_worlds():
    m = cf.Model.from_xml_string("""<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .09'><freejoint/><geom size='.1'/></body>
</worldbody></mujoco>""")
    batch = cf.Batch(m, 3, outputs="contact ncon", contacts=4)
    batch.qpos[1, 2] = 5
    batch.forward()
    contacts = batch.get("contact")
    assert contacts.shape == (3, 4) and contacts["geom"].shape == (3, 4, 2)
    assert contacts["dist"][0, 0] == pytest.approx(-0.01) and contacts["geom"][2, 0].tolist() == [0, 1]
    assert batch.get("ncon").ravel().tolist() == [1, 0, 1]


def test_rollouts_of_a_batch_go_on_from_where_it_is(pendulum):
    batch, d = cf.Batch(pendulum, 5), cf.Data(pendulum)
    control = np.random.default_rng(0).uniform(-1, 1, (5, 6, 1))
    batch.step(2)
    cf.mj_step(pendulum, d, 2)
    history = batch.rollout(control, fields="qpos sensordata", every=2)
    assert history["qpos"].shape == (5, 6, 1) and history["sensordata"].shape == (5, 6, 1)
    for t in range(6):
        d.ctrl[:] = control[3, t]
        cf.mj_step(pendulum, d, 2)
        assert np.array_equal(history["qpos"][3, t], d.qpos) and history["state"][3, t, 0] == d.time
    assert np.array_equal(batch.qpos[3], d.qpos)
    mask = np.array([True, False, True, False, False])
    history = batch.rollout(nstep=3, mask=mask)
    assert not history["state"][1].any() and history["state"][2].any()
    for call in (lambda: batch.rollout(), lambda: batch.rollout(control[:2]), lambda: batch.rollout(control, 3),
                 lambda: batch.rollout(nstep=-1), lambda: batch.rollout(nstep=2, every=0), lambda: batch.rollout(nstep=2, fields="nonsense")):
        with pytest.raises(ValueError):
            call()


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
