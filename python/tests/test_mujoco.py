"""The names of MuJoCo's package: modules, specs, access by name, callbacks."""
import os
import subprocess
import sys

import numpy as np
import pytest

import cortenforge as cf
import cortenforge.mujoco as mujoco

SCENE = """<mujoco model='scene'><worldbody><body name='hip'><joint name='knee' axis='0 1 0'/><geom name='shank' size='.1' pos='0 0 -1'/>
<site name='tip'/></body><body name='ball'><joint name='swivel' type='ball'/><geom size='.1'/></body></worldbody>
<actuator><motor name='motor' joint='knee'/></actuator><sensor><framepos name='where' objtype='site' objname='tip'/></sensor></mujoco>"""


@pytest.fixture
def scene():
    m = mujoco.MjModel.from_xml_string(SCENE)
    return m, mujoco.MjData(m)


def test_as_mujoco_replaces_the_package():
    code = """
import cortenforge
cortenforge.as_mujoco()
import mujoco, mujoco._callbacks
from mujoco import mjtObj, MjModel
assert mujoco is cortenforge.mujoco and MjModel is cortenforge.Model and mjtObj.mjOBJ_BODY == 1
import importlib
assert importlib.import_module('mujoco._callbacks') is cortenforge.mujoco._callbacks
try:
    import mujoco.no_such_module
except ModuleNotFoundError as error:
    assert 'cortenforge.mujoco' in str(error)
else:
    raise AssertionError
"""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0


def test_views_by_name(scene):
    m, d = scene
    mujoco.mj_forward(m, d)
    assert m.body("hip") is m.body(1) and m.joint("knee") is m.jnt(0)
    assert d.joint("swivel").qpos.shape == (4,) and d.joint("swivel").qvel.shape == (3,)
    assert np.array_equal(d.sensor("where").data, d.site("tip").xpos)
    d.joint("knee").qpos = 0.5
    d.actuator("motor").ctrl = 2
    assert d.qpos[0] == 0.5 and d.ctrl[0] == 2
    m.geom("shank").size = [0.2, 0, 0]
    assert m.geom_size[0, 0] == 0.2 and m.geom("shank").id == 0 and m.geom("shank").name == "shank"
    with pytest.raises(KeyError, match="did you mean 'hip'"):
        m.body("hips")
    with pytest.raises(IndexError):
        m.body(3)
    with pytest.raises(AttributeError, match="did you mean 'size'"):
        m.geom("shank").sise
    assert "size: array" in repr(m.geom(0))


def test_views_do_not_keep_data_in_a_circle():
    import weakref
    d = mujoco.MjData(mujoco.MjModel.from_xml_string(SCENE))
    view, gone = d.body("hip"), weakref.ref(d)
    del d
    assert gone() is None
    assert view.xpos.shape == (3,)


def test_callbacks_see_the_objects_of_the_call(scene):
    m, d = scene
    seen = []
    mujoco.set_mjcb_control(lambda model, data: seen.append((model is m, data is d)) or data.ctrl.fill(1))
    try:
        mujoco.mj_step(m, d)
    finally:
        mujoco.set_mjcb_control(None)
    assert seen == [(True, True)] and d.ctrl[0] == 1
    mujoco.mj_step(m, d)
    assert len(seen) == 1


def test_exceptions_of_callbacks_leave_the_call(scene):
    m, d = scene

    def fail(model, data):
        raise ZeroDivisionError("from the callback")

    mujoco.set_mjcb_passive(fail)
    try:
        with pytest.raises(ZeroDivisionError, match="from the callback"):
            mujoco.mj_step(m, d)
        with pytest.raises(ZeroDivisionError):
            mujoco.mj_forward(m, d)
    finally:
        mujoco.set_mjcb_passive(None)
    mujoco.mj_step(m, d)
    with pytest.raises(TypeError):
        mujoco.set_mjcb_control(5)


def test_specs_make_models():
    spec = mujoco.MjSpec()
    spec.modelname = "made"
    body = spec.worldbody.add_body(name="arm", pos=[0, 0, 1])
    body.add_joint(name="hinge", axis=[0, 1, 0])
    geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[0.05, 0.3, 0], euler=[0, 90, 0])
    actuator = spec.add_actuator(name="motor", target="hinge", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    actuator.set_to_position(kp=10, kv=1)
    m = spec.compile()
    assert (m.nbody, m.nu, m.ngeom) == (2, 1, 1) and m.bind(geom).size[0] == 0.05
    assert mujoco.MjModel.from_xml_string(spec.to_xml()).actuator("motor").gainprm[0] == 10
    assert spec.body("arm") is body and body.geoms == [geom] and geom.parent is body
    spec.delete(geom)
    assert spec.geoms == [] and geom.type == mujoco.mjtGeom.mjGEOM_CAPSULE
    with pytest.raises(TypeError):
        body.add_geom(sizes=[1])
    with pytest.raises(ValueError, match="size 3"):
        body.add_geom(pos=[1])
    with pytest.raises(cf.ModelError):
        body.add_geom(size=[-1])
        spec.compile()


def test_elements_outlive_their_spec():
    import gc
    body = mujoco.MjSpec().worldbody.add_body(name="orphan", pos=[1, 2, 3])
    position, alt = body.pos, body.alt
    gc.collect()
    assert body.name == "orphan" and list(position) == [1, 2, 3] and alt.type == 0
    parent, child = mujoco.MjSpec(), mujoco.MjSpec()
    part = child.worldbody.add_body(name="part")
    parent.attach(child, prefix="a-", frame=parent.worldbody.add_frame())
    del parent
    gc.collect()
    part.pos = [4, 5, 6]
    assert list(part.pos) == [4, 5, 6]
    del child
    gc.collect()
    assert part.name.endswith("part")


def test_recompile_keeps_the_state(scene):
    spec = mujoco.MjSpec.from_string(SCENE)
    m = spec.compile()
    d = mujoco.MjData(m)
    d.qpos[0] = 0.7
    spec.worldbody.add_body(name="more").add_geom(size=[0.1])
    m2, d2 = spec.recompile(m, d)
    assert m2.nbody == m.nbody + 1 and d2.joint("knee").qpos[0] == 0.7 and d.qpos[0] == 0.7


def test_specs_refuse_what_they_cannot_be():
    with pytest.raises(TypeError):
        mujoco.MjsGeom()
    with pytest.raises(TypeError):
        mujoco.MjSpec(3)
    with pytest.raises(cf.ModelError):
        mujoco.MjSpec.from_string("<mujoco><nonsense/></mujoco>")
    spec = mujoco.MjSpec()
    with pytest.raises(TypeError):
        spec.worldbody.name = 5
    with pytest.raises(ValueError):
        spec.attach(mujoco.MjSpec(), prefix="x")


def test_a_body_that_became_a_frame_stays_readable():
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="gone", pos=[1, 2, 3])
    body.add_geom(size=[0.1])
    frame = body.to_frame()
    assert list(frame.pos) == [1, 2, 3] and body.classname is not frame
    for _ in range(50):
        spec.worldbody.add_body()
    assert list(body.pos) == [1, 2, 3] and body.id == -1
    assert spec.compile().ngeom == 1


def test_the_sources_hold_no_links():
    """The build links to the Python files; a link in the sources would be one that it wrote through."""
    from conftest import ROOT
    assert [str(p) for p in (ROOT / "python" / "cortenforge").rglob("*") if p.is_symlink()] == []


def test_binary_meshes_become_obj(tmp_path):
    from cortenforge.mujoco import msh2obj
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int32)
    path = tmp_path / "tetrahedron.msh"
    path.write_bytes(np.array([4, 0, 0, 4], np.int32).tobytes() + vertices.tobytes() + faces.tobytes())
    text = msh2obj.msh_to_obj(path)
    xml = "<mujoco><asset><mesh name='m' file='{}'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>"
    a = mujoco.MjModel.from_xml_string(xml.format("m.obj"), {"m.obj": text.encode()})
    b = mujoco.MjModel.from_xml_string(xml.format("m.msh"), {"m.msh": path.read_bytes()})
    assert a.nmeshvert == 4 and np.allclose(a.mesh_vert, b.mesh_vert) and np.array_equal(a.mesh_face, b.mesh_face)
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(ValueError, match="counts"):
        msh2obj.msh_to_obj(path)


def test_what_is_in_no_list_cannot_be_deleted():
    spec = mujoco.MjSpec()
    spec.worldbody.add_site(name="a")
    wrap = spec.add_tendon().wrap_site("a")
    for element in (spec, wrap):
        with pytest.raises((ValueError, TypeError)):
            spec.delete(element)
    assert len(spec.tendons) == 1 and len(spec.tendons[0].path) == 1


def test_deleted_classes_and_instances_stay_readable():
    spec = mujoco.MjSpec()
    default = spec.add_default("soft", spec.default)
    geom = default.geom
    geom.size[0] = 0.5
    spec.delete(default)
    for _ in range(50):
        spec.worldbody.add_body()
    assert geom.size[0] == 0.5 and default.name == "soft" and spec.find_default("soft") is None
    instance = spec.add_plugin(name="one", plugin_name="mujoco.elasticity.cable")
    body = spec.worldbody.add_body(name="b")
    spec.delete(body)
    assert instance.name in ("one", "") and instance.plugin_name is not None
