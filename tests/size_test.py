"""The library stays as small and as plainly described as it is."""

import ast
import pathlib
import re

_PACKAGE = pathlib.Path(__file__).parents[1] / "keras_bert"
_SOURCES = {
    path: path.read_text(encoding="utf-8") for path in _PACKAGE.rglob("*.py")
}

# None of these may grow: who adds something takes away as much elsewhere, and
# who takes away lowers the number.
_MOST_FILES = 398
_MOST_LINES = 50_859
_MOST_RIDDLES = 2  # Docstrings that open as a question does.
_MOST_AS_OF = 3


def _docstrings():
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    for path, source in _SOURCES.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, kinds) and ast.get_docstring(node):
                yield path, ast.get_docstring(node)


def test_files_and_lines():
    assert len(_SOURCES) <= _MOST_FILES
    assert sum(map(_num_lines, _SOURCES.values())) <= _MOST_LINES


def _num_lines(source):
    return source.count("\n")


def test_docstrings_begin_with_what_a_thing_does():
    openings = ("What ", "Where ", "How ", "Whether ")
    found = [doc for _, doc in _docstrings() if doc.startswith(openings)]
    assert len(found) <= _MOST_RIDDLES, found
    found = [doc for _, doc in _docstrings() if "as of" in doc]
    assert len(found) <= _MOST_AS_OF, found


def test_an_evening_is_enough_to_read_the_way_of_a_text():
    root = _PACKAGE.parent
    page = (root / "docs" / "reading.md").read_text(encoding="utf-8")
    paths = re.findall(r"\(\.\./(keras_bert/[a-z_/]+\.py)\)", page)
    assert len(paths) == len({*paths}) == 10
    assert sum(_num_lines(_SOURCES[root / path]) for path in paths) < 3000
