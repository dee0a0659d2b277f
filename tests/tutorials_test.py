"""The notebooks of docs/tutorials run."""

import json
import re

import pytest

from tests.processes import ROOT
from tests.processes import run_python

_FOLDER = ROOT / "docs/tutorials"
_NOTEBOOKS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(_FOLDER.glob("*.ipynb"))
}
_ON_ANY_BACKEND = "8_layers"


def _code_cells(name):
    """Return the code of the cells of a notebook."""
    cells = _NOTEBOOKS[name]["cells"]
    sources = [x["source"] for x in cells if x["cell_type"] == "code"]
    return ["".join(source) for source in sources]


@pytest.mark.parametrize("name", _NOTEBOOKS)
def test_links_lead_somewhere(name):
    cells = _NOTEBOOKS[name]["cells"]
    text = "".join("".join(cell["source"]) for cell in cells)
    for link in re.findall(r"\]\(([\w./]+)\)", text):
        assert (_FOLDER / link).is_file(), link


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """Set the environment of a notebook; check for leftover files."""
    monkeypatch.setenv("KERAS_BERT_TUTORIAL_SIZE", "tiny")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    for name in ("MODEL", "CLASSIFIER", "SERVER"):
        monkeypatch.delenv(f"KERAS_BERT_TUTORIAL_{name}", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(_FOLDER)
    before = {*_FOLDER.rglob("*")}
    yield
    assert {*_FOLDER.rglob("*")} == before


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted({*_NOTEBOOKS} - {_ON_ANY_BACKEND}))
def test_a_notebook_runs(name, tiny):
    """Run its cells in order in this process, which has TensorFlow."""
    import keras
    import matplotlib.pyplot as plt

    names = {"__name__": "__main__"}
    for code in _code_cells(name):
        exec(code, names)
    plt.close("all")
    keras.utils.clear_session()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "backend",
    ["tensorflow", "jax", pytest.param("torch", marks=pytest.mark.parity)],
)
def test_the_layers_run_on_every_backend(backend, tiny):
    program = "\n".join(_code_cells(_ON_ANY_BACKEND))
    result = run_python("-c", program, cwd=_FOLDER, KERAS_BACKEND=backend)
    assert f"on {backend}." in result.stdout
