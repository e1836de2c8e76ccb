"""Stubs: mypy accepts a typed program, finds a wrong one, and is content with the package."""
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("mypy")
import cortenforge as cf  # noqa: E402

GOOD = """
import cortenforge as cf
import numpy as np
m = cf.Model.load("x.xml")
d = cf.Data(m)
t: float = d.time
d.qpos = [1, 2]
d.qpos[0] = 3
cf.mj_step(m, d, nstep=3)
cf.mj_jacBody(m, d, np.zeros((3, m.nv)), None, 3)
g = m.opt.gravity.shape
k: int = cf.mjtObj.mjOBJ_BODY
c: float = d.contact[0].dist
b = cf.Batch(m, 3, outputs="xpos")
b.step(2, mask=[True, False, True])
for shown in cf.replay(m, b.rollout(nstep=2)["state"][0]):
    t = shown.time
text: list[str] = cf.explain(m, d)
from cortenforge import viewer
from cortenforge.mujoco.batch import Batch
Batch(m, 4).bind("qpos")[:] = 0
with viewer.launch_passive(m, d) as window:
    window.sync()
"""
BAD = ("d.ncon = 3", "m.no_such_field", "cf.mj_step(m)", "cf.mj_step(d, m)", "d.time = 'x'", "cf.mjtObj.mjOBJ_NOTHING")


def mypy(text, folder, *options):
    path = folder / "program.py"
    path.write_text(text)
    package = pathlib.Path(cf.__file__).parent.parent
    return subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(folder), *options, str(path)], cwd=package,
                          capture_output=True, text=True)


def test_typed_programs(tmp_path):
    result = mypy(GOOD, tmp_path, "--strict")
    assert result.returncode == 0, result.stdout
    result = mypy(GOOD + "\n".join(BAD), tmp_path)
    first = GOOD.count("\n") + 1
    assert [n for n in range(len(BAD)) if f"program.py:{first + n}: error" not in result.stdout] == [], result.stdout


def test_the_package_is_clean(tmp_path):
    result = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), "-p", "cortenforge"],
                            cwd=pathlib.Path(cf.__file__).parent.parent, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
