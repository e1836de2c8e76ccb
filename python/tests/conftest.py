"""Fixtures of the package's tests, and one line per test in the form that tools/count_tests.py counts."""
import importlib.util
import os
import pathlib
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads cost more than small matrices take

import pytest  # noqa: E402

# torch loads triton at its first optimizer; its LLVM crashes if OpenGL in software has loaded another one before
if importlib.util.find_spec("triton") is not None:
    import triton  # noqa: E402, F401

ROOT = pathlib.Path(__file__).resolve().parents[2]
if "CF_PYTHON_PATH" in os.environ:
    sys.path.insert(0, os.environ["CF_PYTHON_PATH"])

import cortenforge as cf  # noqa: E402

TINY = "<mujoco model='tiny'><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"


@pytest.fixture(scope="module")
def as_mujoco():
    """Packages that a module imports find ours as `mujoco`; afterwards they are forgotten."""
    loaded = sys.modules.get("mujoco")
    if loaded is not None and not loaded.__name__.startswith("cortenforge"):
        pytest.skip("the official package mujoco was imported already")
    kept, finders = dict(sys.modules), list(sys.meta_path)
    yield cf.as_mujoco()
    sys.meta_path[:] = finders
    for name in [n for n in sys.modules if n not in kept and (n.split(".")[0] in ("mujoco", "dm_control") or n.startswith("gymnasium.envs.mujoco"))]:
        del sys.modules[name]


@pytest.fixture(scope="session")
def models():
    return ROOT / "models"


@pytest.fixture
def humanoid(models):
    return cf.Model.load(models / "humanoid.xml")


@pytest.fixture
def tiny():
    return cf.Model.from_xml_string(TINY)


def pytest_runtest_logreport(report):
    if "CF_COUNT" not in os.environ or (report.when != "call" and report.passed):
        return
    word = "SKIPPED" if report.skipped else "OK" if report.passed else "FAILED"
    name = "".join(c if c.isalnum() else "_" for c in report.nodeid.split("::", 1)[-1])
    print(f"\n[ {word:>8} ] {name}")
