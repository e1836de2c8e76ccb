"""Errors of the engine are exceptions that say where, and leave the data usable."""
import pickle
import warnings

import numpy as np
import pytest

import cortenforge as cf


def test_model_errors_carry_the_place(tmp_path):
    path = tmp_path / "bad.xml"
    path.write_text("<mujoco>\n <worldbody>\n  <geom sizze='1'/>\n </worldbody>\n</mujoco>")
    with pytest.raises(cf.ModelError, match="sizze") as caught:
        cf.Model.load(path)
    error = caught.value
    assert (error.file, error.line, error.column, error.element, error.hint) == (str(path), 3, 3, "geom", "size")
    assert isinstance(error, ValueError)
    again = pickle.loads(pickle.dumps(error))
    assert (again.line, again.file, str(again)) == (3, str(path), str(error))


def test_model_errors_of_texts_name_no_file():
    with pytest.raises(cf.ModelError) as caught:
        cf.Model.from_xml_string("<mujoco>\n<worldbody>\n<geom name='a' size='-1'/></worldbody></mujoco>")
    assert caught.value.line == 3 and caught.value.file is None and caught.value.name == "a"
    assert "from_string" not in str(caught.value)
    with pytest.raises(cf.ModelError):
        cf.Model.from_xml_string("<mujoco><")
    with pytest.raises(cf.ModelError):
        cf.Model.from_xml_path("/nowhere/at/all.xml")
    with pytest.raises(cf.ModelError):
        cf.Model.from_bytes(b"nothing")


def test_fatal_errors_leave_the_data_usable(humanoid):
    d = cf.Data(humanoid)
    cf.mj_forward(humanoid, d)
    before = d.pstack
    for _ in range(10):
        with pytest.raises(cf.FatalError, match="order"):
            cf.mj_RungeKutta(humanoid, d, 3)
    assert d.pstack == before
    cf.mj_step(humanoid, d, 10)
    assert d.time == pytest.approx(0.05)


def test_warnings_become_python_warnings(humanoid):
    d = cf.Data(humanoid)
    d.qpos[0] = np.nan
    with pytest.warns(cf.EngineWarning, match="(?i)nan"):
        cf.mj_step(humanoid, d)
    assert d.warning[cf.mjtWarning.mjWARN_BADQPOS].number == 1
    d.qpos[0] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(cf.EngineWarning):
            cf.mj_resetData(humanoid, d)
            d.qpos[0] = np.inf
            cf.mj_step(humanoid, d)


def test_data_of_another_model_is_refused(humanoid, tiny):
    d = cf.Data(tiny)
    with pytest.raises(ValueError, match="other sizes"):
        cf.mj_step(humanoid, d)
    cf.mj_step(cf.Model.from_bytes(tiny.to_bytes()), d)
    with pytest.raises(TypeError, match="MjModel"):
        cf.mj_step(d, humanoid)
    with pytest.raises(TypeError, match="missing"):
        cf.mj_step(humanoid)
    with pytest.raises(TypeError, match="no argument"):
        cf.mj_step(humanoid, d, steps=3)
    with pytest.raises(TypeError):
        cf.MjModel()
