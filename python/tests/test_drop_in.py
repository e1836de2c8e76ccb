"""cortenforge.mujoco in place of the package `mujoco`: how it gets there, and what the official tests rest on."""
import gc
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import cortenforge as cf
import cortenforge.mujoco as mujoco
from conftest import ROOT, TINY


def run(code, *, folders=(), **variables):
    """Run a program in a process of its own that finds the package under test."""
    path = [str(pathlib.Path(cf.__file__).parents[1]), *map(str, folders)]
    return subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(path), **variables})


def test_the_environment_variable_replaces_the_package():
    line = (ROOT / "python" / "cortenforge.pth").read_text()
    code = f"{line}\nimport sys\nassert 'numpy' not in sys.modules\nimport mujoco\nprint(mujoco.MjModel.__module__)"
    done = run(code, CORTENFORGE_AS_MUJOCO="1")
    assert done.stdout.strip() == "cortenforge._core", done.stderr
    done = run(line + "\nimport sys\nprint('cortenforge_alias' in sys.modules)", CORTENFORGE_AS_MUJOCO="0")
    assert done.stdout.strip() == "False", done.stderr


def test_python_packages_of_others_are_found(tmp_path):
    for name in ("mjx", "mjx/inner", "viewer"):
        (tmp_path / "mujoco" / name).mkdir(parents=True)
        (tmp_path / "mujoco" / name / "__init__.py").write_text(f"from mujoco import MjModel\nname = {name!r}\n")
    (tmp_path / "mujoco" / "__init__.py").write_text("raise ImportError('the other package')")
    code = """
import cortenforge
cortenforge.as_mujoco()
import mujoco.mjx.inner, mujoco.viewer, mujoco._structs
assert mujoco.mjx.inner.name == 'mjx/inner' and mujoco.mjx.MjModel is cortenforge.Model
assert not hasattr(mujoco.viewer, 'name') and mujoco._structs.MjData is cortenforge.Data
"""
    done = run(code, folders=[tmp_path])
    assert done.returncode == 0, done.stderr


def test_arrays_of_a_model_have_one_base(humanoid):
    m, arrays = humanoid, [humanoid.qpos0, humanoid.body_pos, humanoid.opt.gravity]
    base = arrays[0].base
    assert all(a.base is base for a in arrays)
    count = sys.getrefcount(base)
    arrays.pop()
    assert sys.getrefcount(base) >= count - 1
    with pytest.raises(BufferError):
        memoryview(base)
    values, expected = m.qpos0, m.qpos0.copy()
    del m, humanoid, arrays, base
    gc.collect()
    assert np.array_equal(values, expected)


def test_assets_that_only_folders_tell_apart():
    with pytest.raises(ValueError, match="Repeated file name in assets dict: a.obj"):
        cf.Model.from_xml_string(TINY, {"a.obj": b"", "folder/a.obj": b""})
    with pytest.raises(ValueError, match="Repeated"):
        cf.Model.from_xml_string(TINY, {"x\\a.obj": b"", "y/a.obj": b""})
    assert mujoco.MjSpec.from_string(TINY, assets={"a.obj": b"", "folder/a.obj": b""}).compile().nbody == 2


def test_stages_are_measured_unless_a_clock_is_set(humanoid):
    d, step = mujoco.MjData(humanoid), mujoco.mjtTimer.mjTIMER_STEP
    mujoco.mj_step(humanoid, d)
    assert d.timer[step].number == 1 and d.timer[step].duration > 0
    mujoco.set_mjcb_time(lambda: 7.0)
    try:
        before = d.timer[step].duration
        mujoco.mj_step(humanoid, d)
        assert d.timer[step].duration == before
    finally:
        mujoco.set_mjcb_time(None)
    assert mujoco.get_mjcb_time() is None
    mujoco.mj_step(humanoid, d)
    assert d.timer[step].duration > before


def test_room_for_rows_is_made(humanoid):
    d = mujoco.MjData(humanoid)
    room = mujoco._functions._realloc_con_efc
    room(d, ncon=3, nefc=7, nJ=21)
    assert len(d.contact) == 3 and d.efc_J.shape == (21,) and d.efc_KBIP.shape == (7, 4) and not d.efc_force.any()
    assert d.contact.dist.tolist() == [0, 0, 0]
    d.efc_J[:] = 1
    with pytest.raises(cf.FatalError, match="Insufficient arena memory"):
        room(d, 10**8, 10**8)
    assert len(d.contact) == 0 and len(d.efc_id) == 0
    with pytest.raises(ValueError):
        room(d, -1, 0)
    mujoco.mj_step(humanoid, d)
    assert np.isfinite(d.qacc).all()


@pytest.mark.parametrize("value, fits", [
    ([[1], [2], [3]], True), (np.arange(3), True), ("123", False), (1.0, False), (None, False), ([1, 2], False),
    (np.ones((1, 3)), False), (np.ones((3, 3)), False)])
def test_arrays_of_specs_take_as_many_numbers_as_they_have(value, fits):
    body = mujoco.MjSpec().worldbody.add_body()
    if fits:
        body.pos = value
        assert np.array_equal(body.pos, np.ravel(value))
        return
    with pytest.raises((TypeError, ValueError)):
        body.pos = value
    assert not body.pos.any()


def test_candidates_of_least_squares_are_columns():
    from cortenforge.mujoco import minimize
    _, trace = minimize.least_squares(np.zeros(2), lambda x: x - 1, verbose=minimize.Verbosity.SILENT)
    assert all(entry.candidate.shape == (2, 1) for entry in trace)


def test_warnings_reach_functions_of_ctypes(humanoid):
    import ctypes
    texts = []
    callback = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(texts.append)
    d = mujoco.MjData(humanoid)
    d.qpos[0] = np.nan
    mujoco.set_mju_user_warning(callback)
    try:
        assert mujoco.get_mju_user_warning() is callback
        mujoco.mj_checkPos(humanoid, d)
    finally:
        mujoco.set_mju_user_warning(None)
    assert len(texts) == 1 and b"QPOS" in texts[0] and mujoco.get_mju_user_warning() is None


def test_structs_have_subclasses_with_arguments_of_their_own(humanoid):
    class Scene(mujoco.MjvScene):
        def __init__(self, model, *, room):
            super().__init__(model, room)
            self.note = "mine"

    class Camera(mujoco.MjvCamera):
        def __init__(self, far=False):
            super().__init__()
            self.distance = 9 if far else 1

    scene = Scene(humanoid, room=30)
    assert scene.maxgeom == 30 and scene.note == "mine" and len(scene.geoms) == 30 and Camera(far=True).distance == 9
    with pytest.raises(TypeError, match="already"):
        scene.__init__(humanoid, room=50)
    with pytest.raises(TypeError):
        mujoco.MjvScene(humanoid, room=3)
    with pytest.raises(TypeError):
        mujoco.MjrRect(1, 2, 3, 4, 5)


FLEXES = """<mujoco><worldbody><flexcomp name='f' type='grid' count='3 4 1' spacing='.1 .1 .1' radius='.01' dim='2'><edge equality='true'/>
</flexcomp><flexcomp name='g' type='grid' count='3 2 2' spacing='.1 .1 .1' radius='.01' dim='3' pos='0 0 1'/></worldbody></mujoco>"""


def test_scenes_show_their_flexes():
    m = mujoco.MjModel.from_xml_string(FLEXES)
    scene, d = mujoco.MjvScene(m, 10), mujoco.MjData(m)
    shapes = {"flexedge": 2 * m.nflexedge, "flexvert": 3 * m.nflexvert, "flexface": 828, "flexnormal": 828, "flextexcoord": 552,
              "skinvert": 0, "skinnormal": 0}
    scene.flexedgenum[:] = 10**8  # ignored: the lengths were fixed when the scene was made
    assert {name: getattr(scene, name).size for name in shapes} == shapes
    mujoco.mj_forward(m, d)
    mujoco.mjv_updateScene(m, d, mujoco.MjvOption(), None, mujoco.MjvCamera(), mujoco.mjtCatBit.mjCAT_ALL, scene)
    assert np.allclose(scene.flexvert.reshape(-1, 3), d.flexvert_xpos) and np.array_equal(scene.flexedge, m.flex_edge.ravel())


def test_configurations_of_plugins_are_numbers():
    m = mujoco.MjModel.from_xml_string("""<mujoco><extension><plugin plugin='mujoco.pid'><instance name='p'><config key='kp' value='4'/></instance>
</plugin></extension><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>
<actuator><plugin joint='j' plugin='mujoco.pid' instance='p'/></actuator></mujoco>""")
    assert m.plugin_attr.dtype == np.int8 and b"4" in m.plugin_attr.tobytes()
