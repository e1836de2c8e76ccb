"""Models and data: loading, live views, copies, pickle, and what outlives what."""
import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import cortenforge as cf
from conftest import TINY


def test_attributes_are_the_same_live_object(humanoid):
    d = cf.Data(humanoid)
    assert d.qpos is d.qpos and humanoid.body_mass is humanoid.body_mass and humanoid.opt is humanoid.opt
    d.qpos[2] = 3.5
    d.ctrl[:] = 0.25
    cf.mj_forward(humanoid, d)
    assert d.xpos[1, 2] == 3.5
    assert np.all(d.actuator_force != 0)
    d.qvel = 1.5
    assert np.all(d.qvel == 1.5)
    humanoid.opt.gravity = (0, 0, -1)
    assert humanoid.opt.gravity[2] == -1


def test_every_field_has_the_shape_of_the_tables(humanoid):
    d = cf.Data(humanoid)
    cf.mj_step(humanoid, d, 50)
    assert d.qpos.shape == (humanoid.nq,) and d.xmat.shape == (humanoid.nbody, 9) and d.qM.shape == (humanoid.nM,)
    assert d.efc_force.shape == (d.nefc,) and d.nefc > 0
    for o in (humanoid, d):
        for name in dir(type(o)):
            if not name.startswith("_") and not callable(getattr(type(o), name)):
                getattr(o, name)


def test_arrays_of_a_step_are_renewed_when_they_change(humanoid):
    d = cf.Data(humanoid)
    assert len(d.contact) == 0 and d.efc_force.shape == (0,)
    before = d.efc_force
    cf.mj_step(humanoid, d, 100)
    assert d.ncon > 0 and len(d.contact) == d.ncon
    assert d.contact is d.contact
    assert d.efc_force is not before and d.efc_force.shape == (d.nefc,)
    assert before.shape == (0,)


def test_contacts_are_structs_and_columns(humanoid):
    d = cf.Data(humanoid)
    cf.mj_step(humanoid, d, 100)
    assert d.contact.pos.shape == (d.ncon, 3) and d.contact.geom.dtype == np.int32
    assert d.contact[0].dist == d.contact.dist[0]
    d.contact[0].friction[0] = 7
    assert d.contact.friction[0, 0] == 7 and d.contact.array["friction"][0, 0] == 7
    assert [c.geom1 for c in d.contact] == list(d.contact.geom1)
    assert d.contact[-1] == d.contact[d.ncon - 1] and len(d.contact[1:3]) == 2
    with pytest.raises(IndexError):
        d.contact[d.ncon]


def test_counts_cannot_be_set(tiny):
    d = cf.Data(tiny)
    for o, name in ((d, "ncon"), (d, "narena"), (d, "parena"), (tiny, "nq"), (tiny, "names")):
        with pytest.raises(AttributeError):
            setattr(o, name, 1)
    d.time = 2.5
    assert d.time == 2.5
    with pytest.raises(AttributeError):
        del d.time
    with pytest.raises(AttributeError):
        del d.qpos
    with pytest.raises(TypeError):
        d.time = "x"
    with pytest.raises((TypeError, ValueError)):
        d.qpos = np.zeros(3)


@pytest.mark.parametrize("order", ["mdva", "vamd", "dmav", "avdm", "amdv"])
def test_views_outlive_their_owners_in_any_order(order):
    held = {"m": cf.Model.from_xml_string(TINY)}
    held["d"] = cf.Data(held["m"])
    held["v"] = held["m"].body_mass
    held["a"] = held["d"].qpos
    cf.mj_step(held["m"], held["d"])
    expected = {"v": held["v"].copy(), "a": held["a"].copy()}
    for name in order:
        del held[name]
        gc.collect()
        for left in set(held) & {"v", "a"}:
            held[left] += 0
            assert np.array_equal(held[left], expected[left])


def test_nested_structs_and_lists_keep_their_model(humanoid):
    d = cf.Data(humanoid)
    cf.mj_step(humanoid, d, 100)
    contact, options, fovy = d.contact[0], humanoid.opt, humanoid.vis.global_
    geom = contact.geom
    del d, humanoid
    gc.collect()
    assert contact.dist < 1 and options.timestep > 0 and fovy.fovy > 0 and geom.shape == (2,)


def test_objects_are_freed():
    m = cf.Model.from_xml_string(TINY)
    d = cf.Data(m)
    d.qpos, d.contact, m.opt.gravity
    d._extra = {"self": d}  # a cycle
    gone = weakref.ref(m), weakref.ref(d)
    del m, d
    gc.collect()
    assert gone[0]() is None and gone[1]() is None


def test_a_million_views_leak_nothing(tiny):
    import resource
    d = cf.Data(tiny)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(250_000):
        d.qpos[1:3], tiny.opt.gravity, d.time
        cf.Data.__new__
    for _ in range(20_000):
        copy.copy(tiny.opt).gravity
    for _ in range(300):
        cf.Data(tiny).qpos
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_copies_are_equal_and_independent(humanoid):
    d = cf.Data(humanoid)
    cf.mj_step(humanoid, d, 100)
    for twin in (copy.copy(d), copy.deepcopy(d), pickle.loads(pickle.dumps(d))):
        assert twin.ncon == d.ncon and np.array_equal(twin.efc_force, d.efc_force)
        assert np.array_equal(twin.contact.pos, d.contact.pos)
        before = d.qpos.copy()
        cf.mj_step(twin.model, twin, 3)
        assert np.array_equal(d.qpos, before)
        other = copy.copy(d)
        cf.mj_step(humanoid, other, 3)
        assert np.array_equal(other.qpos, twin.qpos) and np.array_equal(other.sensordata, twin.sensordata)


def test_models_copy_and_pickle(humanoid):
    for twin in (copy.copy(humanoid), copy.deepcopy(humanoid), pickle.loads(pickle.dumps(humanoid)),
                 cf.Model.from_bytes(humanoid.to_bytes())):
        assert twin.to_bytes() == humanoid.to_bytes()
        twin.body_mass[1] = 17
        assert humanoid.body_mass[1] != 17


def test_deepcopy_shares_the_model_within_one_copy(tiny):
    pair = copy.deepcopy([tiny, cf.Data(tiny)])
    assert pair[1].model is pair[0] and pair[0] is not tiny


def test_structs_copy_compare_and_pickle(tiny):
    option = copy.copy(tiny.opt)
    assert option == tiny.opt and option is not tiny.opt
    option.timestep = 0.5
    assert option != tiny.opt and tiny.opt.timestep != 0.5
    again = pickle.loads(pickle.dumps(option))
    assert again.timestep == 0.5 and again == option
    tiny.opt = option
    assert tiny.opt.timestep == 0.5
    camera = cf.MjvCamera(distance=3)
    assert camera.distance == 3 and "distance: 3.0" in repr(camera)


def test_saving_and_loading(tmp_path, humanoid):
    humanoid.save(tmp_path / "h.mjb")
    assert cf.Model.load(tmp_path / "h.mjb").to_bytes() == humanoid.to_bytes()
    humanoid.save(tmp_path / "h.xml")
    assert cf.Model.load(tmp_path / "h.xml").nbody == humanoid.nbody
    with pytest.raises(ValueError, match="mjb or .xml"):
        humanoid.save(tmp_path / "h.txt")


def test_assets_are_found_before_files():
    part = b"<mujoco><worldbody><geom name='from asset' size='1'/></worldbody></mujoco>"
    m = cf.Model.from_xml_string("<mujoco><include file='part.xml'/></mujoco>", {"part.xml": part})
    assert cf.mj_id2name(m, cf.mjtObj.mjOBJ_GEOM, 0) == "from asset"
    with pytest.raises(TypeError):
        cf.Model.from_xml_string(TINY, ["part.xml"])
    with pytest.raises(TypeError):
        cf.Model.from_xml_string(TINY, {"part.xml": 5})


def test_texts_tell_what_things_are(humanoid):
    d = cf.Data(humanoid)
    assert "humanoid" in repr(humanoid) and "nv=27" in repr(humanoid)
    assert "time=0 s" in repr(d)
    assert "<table>" in humanoid._repr_html_() and "qpos" in d._repr_html_()
    assert "timestep" in repr(humanoid.opt)


def test_restored_data_must_fit(tiny, humanoid):
    state = cf.Data(humanoid)._bytes()
    with pytest.raises(ValueError):
        cf.Data(tiny)._set_bytes(state)
    with pytest.raises(ValueError):
        cf.Data(tiny)._set_bytes(b"short")
