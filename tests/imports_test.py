"""Directions and times of imports."""

import ast
import graphlib
import pathlib
import re

import pytest

import keras_bert
from tests.processes import ROOT
from tests.processes import run_python


def _read_floors():
    """Return the floor of each part from CONTRIBUTING.md."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
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
    "arguments command_line locations config features files lazy messages "
    "registration summary template typing"
).split()
# Folders for text in parts that have both.
_DATA = (
    "pretraining/corpus pretraining/records pretraining/batches tasks/readers"
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
    "keras.src seqeval sklearn tensorflow.keras tensorflow.python "
    "tensorflow_addons tf_keras"
).split()


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


_FACE = "keras_bert/__init__.py"
_SOURCES = [
    str(path.relative_to(ROOT))
    for folder in ("keras_bert", "tools", "benchmarks")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if path != ROOT / _FACE
]
# The `__init__.py` of a part is its face.
_FILES = [x for x in _SOURCES if re.match(r"keras_bert/\w+/(?!__init__)", x)]


def _inner_imports():
    """Map each room to the other rooms of its part that it imports.

    A room is a folder of a part, or a file in the part.
    """
    rooms = {
        path: pathlib.PurePath(path).with_suffix("").parts[:3]
        for path in _FILES
    }
    arrows = {room: set() for room in rooms.values()}
    for path, own in rooms.items():
        source = (ROOT / path).read_text(encoding="utf-8")
        for name in imported_names(_without_types(source)):
            room = tuple(name.split(".")[:3])
            if room in arrows and room != own and room[:2] == own[:2]:
                arrows[own].add(room)
    return arrows


def _without_types(source):
    """Return a source without the imports for type checkers only."""
    tree = ast.parse(source)
    tree.body = [
        node
        for node in tree.body
        if not isinstance(node, ast.If) or "TYPE_CHECK" not in ast.dump(node)
    ]
    return ast.unparse(tree)


def test_no_circles_between_the_rooms_of_a_part():
    arrows = _inner_imports()
    assert sum(map(len, arrows.values())) > 200
    try:
        tuple(graphlib.TopologicalSorter(arrows).static_order())
    except graphlib.CycleError as error:
        pytest.fail(f"These rooms import each other: {error.args[1]}")


def test_imports_point_down():
    assert {part_of(path) for path in _SOURCES} <= {*_FLOORS}
    wrong = {
        path: wrong_imports(path, (ROOT / path).read_text(encoding="utf-8"))
        for path in _SOURCES
    }
    assert {path: found for path, found in wrong.items() if found} == {}
    source = (ROOT / _FACE).read_text(encoding="utf-8")
    assert [*imported_names(source)] == [
        "sys",
        "keras_bert.lazy",
        "keras_bert.version.VERSION",
        "keras_bert.layers",
    ]


@pytest.mark.parametrize(
    "part, source, complaint",
    [
        ("text", "def f():\n    import keras_bert.export", "not below text"),
        ("tasks/readers", "from keras import ops", "never imports keras"),
        ("tasks", "import tools.other", "nobody imports tools"),
        ("tasks", "from tensorflow import python", "python is private"),
        ("tasks", "import keras_bert", "does not say which part it takes"),
    ],
)
def test_a_wrong_import_is_seen(part, source, complaint):
    found = wrong_imports(f"keras_bert/{part}/bad.py", source)
    assert any(complaint in sentence for sentence in found)


def test_import_is_lazy():
    result = run_python(
        "-c",
        "import sys, keras_bert\n"
        "heavy = {'keras', 'tensorflow', 'tensorflow_text', 'numpy', 'jax'}\n"
        "print(sorted(heavy & {*sys.modules}))\n"
        "keras_bert.BertConfig\n"
        "print(sorted(heavy & {*sys.modules}))\n",
    )
    assert result.stdout.splitlines() == ["[]", "[]"], result.stderr


@pytest.mark.parametrize(
    "name, missing, line",
    [
        ("text.WordTokenizer", "tensorflow", "'keras-bert-tf[tensorflow]'"),
        ("models.encoder", "keras", "'keras>="),
        ("BertConfig", "json", None),
    ],
)
def test_a_missing_package_is_named_with_the_line_to_type(name, missing, line):
    result = run_python(
        "-c",
        "import sys\n"
        f"sys.modules[{missing!r}] = None\n"
        "import keras_bert\n"
        f"try: keras_bert.{name}\n"
        "except ModuleNotFoundError as error: print(error)\n",
    )
    if line:
        assert f"needs the package {missing}," in result.stdout, result.stderr
        assert f"pip install {line}" in result.stdout
    else:
        assert "json" in result.stdout and "pip" not in result.stdout


def test_unknown_attributes_are_errors():
    with pytest.raises(AttributeError, match="'keras_bert'.*'bert_encoder'"):
        keras_bert.bert_encoder
    with pytest.raises(AttributeError, match="'keras_bert.text'.*'Tokenizer'"):
        keras_bert.text.Tokenizer
