"""Directions and times of imports."""

import ast
import os
import pathlib
import re
import subprocess
import sys

import pytest

import keras_bert

_ROOT = pathlib.Path(__file__).parents[1]


def _read_floors():
    """Return the floor of each part from CONTRIBUTING.md."""
    page = (_ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    lines = re.findall(r"^(\d+)  ([a-z_ ]+)$", page, re.MULTILINE)
    return {
        part: int(floor) for floor, parts in lines for part in parts.split()
    }


_FLOORS = _read_floors()
_PROGRAMS = _FLOORS["cli"]
_TENSORFLOW = {"tensorflow", "tensorflow_text"}
_KERAS = {"keras"}
# Parts that need neither Keras nor TensorFlow.
_PLAIN = (
    "arguments artifacts command_line locations config features files "
    "lazy messages registration npz rows summary template typing"
).split()
# Folders for text in parts that have both.
_DATA = (
    "pretraining/corpus pretraining/examples pretraining/records "
    "pretraining/batches pretraining/data_job tasks/labelled"
).split()
_STRINGS = {"text", "pretraining", "tasks"}
_COLUMNS = {
    "text": (_KERAS, {"layers", "models"}),
    "layers": (_TENSORFLOW, _STRINGS),
    "losses": (_TENSORFLOW, _STRINGS),
    "models": (_TENSORFLOW, _STRINGS),
    "serving": (_KERAS, {"layers", "models"}),
    **dict.fromkeys(_DATA, (_KERAS, {"layers", "models"})),
    **dict.fromkeys(_PLAIN, (_KERAS | _TENSORFLOW, set())),
}
_FORBIDDEN = (
    "keras.src",
    "scipy",
    "seqeval",
    "sklearn",
    "tensorflow.keras",
    "tensorflow.python",
    "tensorflow_addons",
    "tf_keras",
)


def imported_names(source):
    """Return the full names of all imports of a source, also in functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                yield f"{module}.{alias.name}"


def part_of(path):
    """Return the part of the project that a file belongs to."""
    parts = pathlib.PurePath(path).with_suffix("").parts
    return parts[1] if parts[0] == "keras_bert" else parts[0]


def wrong_imports(path, source):
    """Return the errors of the imports of a source, a list of str.

    Args:
        path: str, path of the source relative to the root of the repository.
        source: str, Python code.
    """
    part = part_of(path)
    folder = "/".join(pathlib.PurePath(path).parts[1:3])
    column = folder if folder in _COLUMNS else part
    packages, parts = _COLUMNS.get(column, (set(), set()))
    wrong = []
    for name in imported_names(source):
        words = [*name.split("."), ""]
        if name.startswith("."):
            wrong.append(f"{name} is relative")
        if any(f"{name}.".startswith(f"{bad}.") for bad in _FORBIDDEN):
            wrong.append(f"{name} is private, abandoned or for tests")
        if name.endswith(".*"):
            wrong.append(f"{name} imports everything")
        if words[0] in packages:
            wrong.append(f"{column} never imports {words[0]}")
        if words[0] in ("tools", "benchmarks"):
            wrong.append(f"nobody imports {words[0]}")
        if words[0] == "keras_bert" and words[1] in _FLOORS:
            if words[1] in parts:
                wrong.append(f"{column} never imports {words[1]}")
            if words[1] != part and _FLOORS[words[1]] >= _FLOORS[part]:
                wrong.append(f"{name} is not below {part}")
        elif words[0] == "keras_bert" and _FLOORS[part] < _PROGRAMS:
            wrong.append(f"{name} does not say which part it takes")
    return wrong


def own_sources():
    for folder in ("keras_bert", "tools", "benchmarks"):
        for path in sorted((_ROOT / folder).rglob("*.py")):
            yield str(path.relative_to(_ROOT))


_FACE = "keras_bert/__init__.py"
_SOURCES = [path for path in own_sources() if path != _FACE]


def test_all_parts_are_looked_at():
    parts = {part_of(path) for path in _SOURCES}
    assert parts <= {*_FLOORS}
    assert {*_FLOORS} - parts <= {"benchmarks"}


def test_the_public_face_imports_nothing_of_its_own():
    source = (_ROOT / _FACE).read_text(encoding="utf-8")
    assert [*imported_names(source)] == [
        "keras_bert.lazy",
        "keras_bert.registration",
        "keras_bert.version.VERSION",
    ]


def test_imports_point_down():
    wrong = {
        path: wrong_imports(path, (_ROOT / path).read_text(encoding="utf-8"))
        for path in _SOURCES
    }
    assert {path: found for path, found in wrong.items() if found} == {}


def test_the_map_lists_the_parts_from_the_lowest_floor_up():
    page = (_ROOT / "docs/code_map.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(?:keras_bert/)?(\w+)", page, re.MULTILINE)
    floors = [_FLOORS[part] for part in listed if part in _FLOORS]
    assert len(floors) > 10
    assert floors == sorted(floors)


@pytest.mark.parametrize(
    "part, source, complaint",
    [
        (
            "layers",
            "from keras_bert.models.families.bert.model import x",
            "not below layers",
        ),
        ("text", "def f():\n    import keras_bert.export", "not below text"),
        (
            "optimizers",
            "from keras_bert import checkpoints",
            "not below optimizers",
        ),
        (
            "tasks/labelled",
            "def f():\n    from keras import ops",
            "never imports keras",
        ),
        ("layers", "import tensorflow as tf", "never imports tensorflow"),
        ("models", "import tensorflow_text", "imports tensorflow_text"),
        (
            "models",
            "from keras_bert.text import x",
            "models never imports text",
        ),
        ("tasks/labelled", "import keras_bert.layers", "never imports layers"),
        ("tasks", "import tools.other", "nobody imports tools"),
        ("tasks", "from keras.src import ops", "keras.src.ops is private"),
        ("tasks", "from tensorflow import python", "python is private"),
        ("tasks", "import tf_keras.layers", "tf_keras.layers is private"),
        ("tasks", "from .module import x", ".module.x is relative"),
        ("tasks", "from keras.layers import *", "imports everything"),
        ("tasks", "import keras_bert", "does not say which part it takes"),
    ],
)
def test_a_wrong_import_is_seen(part, source, complaint):
    found = wrong_imports(f"keras_bert/{part}/bad.py", source)
    assert any(complaint in sentence for sentence in found)


def test_right_imports_are_let_through():
    for path, source in (
        ("keras_bert/layers/good.py", "from keras import ops"),
        ("keras_bert/text/good.py", "from keras_bert.text import packing"),
        ("keras_bert/export/good.py", "from keras_bert import files"),
        ("keras_bert/models/good.py", "import keras_bert.layers.activations"),
        ("keras_bert/tasks/good.py", "import tensorflow_text as tf_text"),
        ("tools/good.py", "import keras_bert\nimport keras"),
    ):
        assert wrong_imports(path, source) == []


def run_python(program):
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
    )


def test_import_is_lazy():
    result = run_python(
        "import sys, keras_bert\n"
        "heavy = {'keras', 'tensorflow', 'tensorflow_text', 'numpy', 'jax'}\n"
        "print(sorted(heavy & {*sys.modules}))\n"
        "keras_bert.BertConfig\n"
        "print(sorted(heavy & {*sys.modules}))\n"
    )
    assert result.stdout.splitlines() == ["[]", "[]"], result.stderr


@pytest.mark.parametrize(
    "program, missing, line",
    [
        ("text.WordTokenizer", "tensorflow", "'keras-bert-tf[tensorflow]'"),
        (
            "text.WordTokenizer",
            "tensorflow_text",
            "'keras-bert-tf[tensorflow]'",
        ),
        ("models.encoder", "keras", "'keras>="),
    ],
)
def test_missing_package_is_named_with_the_line_to_type(program, missing, line):
    result = run_python(
        "import sys, types\n"
        "tensorflow = types.ModuleType('tensorflow')\n"
        "tensorflow.__spec__ = sys.__spec__\n"
        "sys.modules['tensorflow'] = tensorflow\n"
        f"sys.modules[{missing!r}] = None\n"
        "import keras_bert\n"
        f"try: keras_bert.{program}\n"
        "except ModuleNotFoundError as error: print(error)\n"
    )
    assert f"needs the package {missing}," in result.stdout, result.stderr
    assert f"pip install {line}" in result.stdout


def test_missing_modules_of_others_are_not_explained_away():
    result = run_python(
        "import sys\n"
        "sys.modules['json'] = None\n"
        "import keras_bert\n"
        "try: keras_bert.BertConfig\n"
        "except ModuleNotFoundError as error: print(error)\n"
    )
    assert "json" in result.stdout, result.stderr
    assert "pip install" not in result.stdout


def test_unknown_attributes_are_errors():
    with pytest.raises(AttributeError, match="'keras_bert'.*'bert_encoder'"):
        keras_bert.bert_encoder
    with pytest.raises(AttributeError, match="'keras_bert.text'.*'Tokenizer'"):
        keras_bert.text.Tokenizer


def test_dir_lists_the_public_names():
    names = {"BertConfig", "FillMask", "features", "from_pretrained"}
    names |= {"checkpoints", "export", "layers", "models", "optimizers"}
    names |= {"pretraining", "save_pretrained", "serving", "tasks", "text"}
    assert names <= {*dir(keras_bert)}
    assert names <= {*keras_bert.__all__}
    assert {"BertTokenizer", "Vocabulary"} <= {*dir(keras_bert.text)}


def test_every_public_name_is_there():
    for name in keras_bert.__all__:
        assert getattr(keras_bert, name) is not None
