#!/usr/bin/env python3
"""Run MuJoCo's own Python tests on cortenforge.mujoco and count them.

  official.py FOLDER [MODULE...]      FOLDER is python/mujoco of MuJoCo 3.5.0; MODULE is bindings_test, ..., or sysid

The tests are not part of this project; they need absl-py and etils, and sysid what
its own pyproject names (scipy, pyyaml, plotly, ...): mujoco.sysid is Python code on top of mujoco, taken from FOLDER. Each is run in a process of its own, in which `mujoco`
is cortenforge.mujoco. Prints a line per module and the tests that failed; exit code 1 if any did.
"""
import os
import pathlib
import re
import subprocess
import sys

MODULES = ("bindings_test", "specs_test", "rollout_test", "minimize_test", "msh2obj_test", "memory_leak_test", "render_test",
           "renderer_test", "viewer_test", "sysid")
RUN = """
import sys, os
import cortenforge
cortenforge.as_mujoco()
from etils import epath
folder = epath.Path(sys.argv[1]).parent
epath.resource_path = lambda name: folder  # their test data lies beside the tests
sys.argv = [sys.argv[1]]
import runpy
runpy.run_path(sys.argv[0], run_name="__main__")
"""


# pytest prints no names of tests that passed unless asked
SYSID = """
import sys
import cortenforge
cortenforge.as_mujoco()
import pytest
sys.exit(pytest.main(["-rA", "-q", "-p", "no:cacheprovider", sys.argv[1]]))
"""


def run_sysid(folder):
    result = subprocess.run([sys.executable, "-W", "ignore", "-c", SYSID, str(folder / "sysid" / "tests")], capture_output=True,
                            text=True, timeout=1200, cwd=folder.parent, env={**os.environ, "PYTHONPATH": os.pathsep.join(
                                [*filter(None, [os.environ.get("PYTHONPATH")]), str(folder.parent)])})
    text = result.stdout + result.stderr
    return [re.findall(rf"^{word} (\S+)", text, re.M) for word in ("PASSED", "(?:FAILED|ERROR)", "SKIPPED")] + [text]


def run(path):
    if path.stem == "sysid":
        return run_sysid(path.parent)
    result = subprocess.run([sys.executable, "-W", "ignore", "-c", RUN, str(path)], capture_output=True, text=True, timeout=1200,
                            cwd=path.parent)
    text = result.stdout + result.stderr
    passed = re.findall(r"\[ +OK \] (\S+)", text)
    failed = re.findall(r"\[  FAILED  \] (\S+)", text)
    skipped = re.findall(r"\[  SKIPPED \] (\S+)", text)
    return passed, failed, skipped, text


def main(folder, *modules):
    folder, bad = pathlib.Path(folder), 0
    for module in modules or MODULES:
        passed, failed, skipped, text = run(folder / f"{module}.py")
        failed = list(dict.fromkeys(failed))
        started = set(re.findall(r"\[ RUN +\] (\S+)", text))
        started = started or set(passed)  # pytest lists results alone
        crashed = started - set(passed) - set(failed) - set(skipped)
        print(f"{module:18} {len(passed):4} passed {len(failed) + len(crashed):4} failed {len(skipped):4} skipped"
              + (" (did not finish)" if crashed or not started else ""))
        for name in [*failed, *crashed]:
            print(f"    {name}")
        bad += len(failed) + len(crashed) + (not started)
        (folder / f"{module}.log").write_text(text)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
