"""The Python blocks of the guides run as they are, one after the other."""
import os
import re
import subprocess
import sys

import pytest

from conftest import ROOT


def blocks(name):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / name).read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("name", ["README.md", "docs/python.md", "docs/python-migrating.md"])
def test_guides_run(name):
    found = blocks(name)
    assert found
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    result = subprocess.run([sys.executable, "-W", "error", "-c", "\n".join(found)], cwd=ROOT, env=environment, capture_output=True, text=True)
    if "no OpenGL without a screen" in result.stderr:
        pytest.skip("no OpenGL without a screen")
    assert result.returncode == 0, result.stderr
