"""explain, replay, film and progress bars."""
import io

import numpy as np
import pytest

import cortenforge as cf
from cortenforge._progress import Progress

DEEP = """<mujoco><option timestep='.005'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>
<body name='crate' pos='0 0 .02'><freejoint name='slip'/><geom name='box' type='box' size='.1 .1 .1' solref='.004 1'/></body>
<body name='grain' pos='3 0 1'><freejoint/><geom size='.001'/></body></worldbody></mujoco>"""


def test_what_is_wrong_is_named():
    m = cf.Model.from_xml_string(DEEP)
    d = cf.Data(m)
    cf.mj_forward(m, d)
    text = str(cf.explain(m, d))
    assert "'floor'" in text and "'box'" in text and "overlap by 0.08" in text
    assert "below two timesteps" in text and "masses differ" in text and "'grain'" in text
    d.qvel[7] = np.nan
    lines = cf.explain(m, d)
    assert "qvel is not finite" in lines[0] and "body 'grain'" in lines[0]
    d.qvel[7] = 5e4
    assert any("5e+04 m/s" in line for line in cf.explain(m, d))
    d.qpos[0] = np.nan
    with pytest.warns(cf.EngineWarning):
        cf.mj_step(m, d)
    assert "QPOS" in cf.explain(m, d)[0] or "qpos" in cf.explain(m, d)[0].lower()
    assert "<li>" in cf.explain(m, d)._repr_html_()


def test_nothing_is_said_where_nothing_is_wrong(humanoid):
    assert str(cf.explain(humanoid, cf.Data(humanoid))) == "nothing remarkable"
    assert cf.explain(cf.Model.from_xml_string("<mujoco/>")) == []


def test_replay_gives_the_states_again(humanoid):
    start = cf.Batch(humanoid, 2).get_state()
    history = cf.rollout(humanoid, start, nstep=20, fields="xpos")
    d = cf.Data(humanoid)
    for t, shown in enumerate(cf.replay(humanoid, history["state"][1])):
        cf.mj_step(humanoid, d)
        assert shown.time == d.time and np.array_equal(shown.qpos, d.qpos)
    assert t == 19
    for bad in (np.zeros(3), np.zeros((2, 3))):
        with pytest.raises(ValueError, match="expected"):
            cf.replay(humanoid, bad)
    assert list(cf.replay(humanoid, history["state"][0][:0])) == []


def test_a_film_has_a_picture_for_each_moment(humanoid):
    states = cf.rollout(humanoid, cf.Batch(humanoid, 1).get_state(), nstep=40)["state"][0]  # 0.2 s
    try:
        pictures = cf.film(humanoid, states, fps=20, height=30, width=40)
    except (RuntimeError, OSError) as error:
        pytest.skip(f"no OpenGL: {error}")
    assert pictures.shape == (4, 30, 40, 3) and pictures.dtype == np.uint8
    with pytest.raises(ValueError):
        cf.film(humanoid, states, fps=0)


def test_bars_tell_how_much_is_done(humanoid, capsys):
    out = io.StringIO()
    with Progress(4, "work", out=out) as bar:
        for i in range(5):
            bar.update(i)
    assert "100 %" in out.getvalue() and out.getvalue().endswith("\n")
    start = cf.Batch(humanoid, 3).get_state()
    plain = cf.rollout(humanoid, start, nstep=120, every=7, fields="xpos")
    assert capsys.readouterr().err == ""
    shown = cf.rollout(humanoid, start, nstep=120, every=7, fields="xpos", progress=True)
    assert "rollout [" in capsys.readouterr().err
    assert shown["xpos"].shape == (3, 17, humanoid.nbody, 3)
    assert all(np.array_equal(plain[k], shown[k]) for k in plain)


def test_batches_show_themselves(humanoid):
    batch = cf.Batch(humanoid, 3)
    batch.step(2)
    text = batch._repr_html_()
    assert "<td>worlds</td><td>3</td>" in text and "<td>steps</td><td>6</td>" in text
