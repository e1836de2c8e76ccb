"""The notebooks of docs/notebooks: cell by cell, and as Jupyter runs them where nbclient is installed."""
import json
import os
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def cells(path):
    return ["".join(c["source"]) for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook_runs(path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(FOLDER)
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cells(path)):
        try:
            exec(compile(cell, f"{path.name}[{number}]", "exec"), names)
        except RuntimeError as error:
            if "no OpenGL without a screen" not in str(error):
                raise
            pytest.skip(str(error))
    names["plt"].close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook_is_kept_without_results(path):
    notebook = json.loads(path.read_text())
    assert notebook["nbformat"] == 4
    assert len({c["id"] for c in notebook["cells"]}) == len(notebook["cells"])
    assert not any(c.get("outputs") for c in notebook["cells"])


@pytest.mark.parametrize("path", NOTEBOOKS[:1], ids=lambda p: p.stem)
def test_notebook_runs_in_jupyter(path, tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("the kernel does not run under the sanitizer")
    # the kernel is another process: it finds the package as this one does
    search = [os.environ.get("CF_PYTHON_PATH", ""), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(os.path.abspath(p) for p in search if p))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}).execute()
    assert sum(bool(c.get("outputs")) for c in notebook.cells) > 2
