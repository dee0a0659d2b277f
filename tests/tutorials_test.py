"""The notebooks of docs/tutorials run and are stored without outputs."""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import keras_bert

_ROOT = pathlib.Path(__file__).resolve().parents[1]
_FOLDER = _ROOT / "docs/tutorials"
_NOTEBOOKS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(_FOLDER.glob("*.ipynb"))
}
_ON_ANY_BACKEND = "8_layers"


def _code_cells(name):
    """Return the cells of a notebook as names and code."""
    return {
        f"{name}.ipynb, {cell['id']}": "".join(cell["source"])
        for cell in _NOTEBOOKS[name]["cells"]
        if cell["cell_type"] == "code"
    }


def test_there_are_notebooks():
    assert len(_NOTEBOOKS) == 9


@pytest.mark.parametrize("name", _NOTEBOOKS)
def test_what_a_run_leaves_is_stripped(name):
    for cell in _NOTEBOOKS[name]["cells"]:
        assert cell["metadata"] == {}
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)


@pytest.mark.parametrize("name", _NOTEBOOKS)
def test_a_fresh_kernel_finds_every_name(name):
    """Check imports, because private modules need their own import."""
    code = "\n".join(_code_cells(name).values())
    used = {*re.findall(r"\bkeras_bert\.(\w+)", code)}
    assert used <= {*keras_bert.__all__}


@pytest.mark.parametrize("name", _NOTEBOOKS)
def test_no_cell_ends_in_the_name_of_an_object(name):
    for place, code in _code_cells(name).items():
        last = code.rstrip().splitlines()[-1]
        assert not re.match(r"plt\.\w+\(.*\)$", last), place


@pytest.mark.parametrize("name", _NOTEBOOKS)
def test_the_index_and_its_tree_list_every_notebook(name):
    index = (_FOLDER / "index.md").read_text(encoding="utf-8")
    assert f"]({name}.ipynb) |" in index
    (tree,) = re.findall(r"```{toctree}(.*?)```", index, re.DOTALL)
    assert name in tree.split()


@pytest.mark.parametrize("name", _NOTEBOOKS)
def test_links_lead_somewhere(name):
    cells = _NOTEBOOKS[name]["cells"]
    text = "".join("".join(cell["source"]) for cell in cells)
    for link in re.findall(r"\]\(([\w./]+)\)", text):
        assert (_FOLDER / link).is_file(), link


def test_the_data_are_what_their_program_makes(tmp_path):
    program = tmp_path / "make_data.py"
    program.write_bytes((_FOLDER / "data/make_data.py").read_bytes())
    subprocess.run([sys.executable, program], check=True)
    made = {path.name for path in tmp_path.iterdir()}
    there = {path.name for path in (_FOLDER / "data").glob("*.*")}
    assert made == there - {"README.md"}
    for name in made:
        path = _FOLDER / "data" / name
        assert (tmp_path / name).read_bytes() == path.read_bytes(), name


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


@pytest.mark.smoke("3_classify")
@pytest.mark.large
@pytest.mark.parametrize("name", sorted({*_NOTEBOOKS} - {_ON_ANY_BACKEND}))
def test_a_notebook_runs(name, tiny):
    """Run its cells in order in this process, which has TensorFlow."""
    import keras
    import matplotlib.pyplot as plt

    names = {"__name__": "__main__"}
    for place, code in _code_cells(name).items():
        exec(compile(code, place, "exec"), names)
    plt.close("all")
    keras.utils.clear_session()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "backend",
    ["tensorflow", "jax", pytest.param("torch", marks=pytest.mark.parity)],
)
def test_the_layers_run_on_every_backend(backend, tiny):
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")
    program = "\n".join(_code_cells(_ON_ANY_BACKEND).values())
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={
            **os.environ,
            "KERAS_BACKEND": backend,
            "PYTHONPATH": str(_ROOT),
        },
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert f"on {backend}." in result.stdout
