"""The library stays small and its docstrings plain."""

import ast
import pathlib
import re

import pytest

_ROOT = pathlib.Path(__file__).parents[1]
_PACKAGE = _ROOT / "keras_bert"
_SOURCES = {
    path: path.read_text(encoding="utf-8") for path in _PACKAGE.rglob("*.py")
}

# Lines without docstrings, comments, imports and blank lines. Lower a number
# when the code shrinks; pay for what you add by removing code elsewhere.
_MAX_CODE_LINES = {"keras_bert": 30_860, "tests": 38_840}
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef

_MAX_RIDDLES = 2  # Docstrings that start like a question.
# Wordings that readers find odd.
_ODD_WORDINGS = (
    "what (it|is|there), (that|those) of, told|tells, of which|whose, beside, "
    "anew, goes? on, as of"
).split(", ")


def _docstrings():
    for path, source in _SOURCES.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, _DOCUMENTED) and ast.get_docstring(node):
                yield path, ast.get_docstring(node)


@pytest.mark.parametrize("folder", _MAX_CODE_LINES)
def test_code_lines(folder):
    sources = [p.read_text("utf-8") for p in (_ROOT / folder).rglob("*.py")]
    assert sum(map(_num_code_lines, sources)) <= _MAX_CODE_LINES[folder]


def _num_code_lines(source):
    skipped = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            skipped |= {*range(node.lineno, node.end_lineno + 1)}
        elif isinstance(node, _DOCUMENTED) and ast.get_docstring(node):
            first = node.body[0]
            skipped |= {*range(first.lineno, first.end_lineno + 1)}
    return sum(
        number not in skipped and not line.strip().startswith("#")
        for number, line in enumerate(source.splitlines(), 1)
        if line.strip()
    )


def test_docstrings_begin_with_what_a_thing_does():
    openings = ("What ", "Where ", "How ", "Whether ")
    found = [doc for _, doc in _docstrings() if doc.startswith(openings)]
    assert len(found) <= _MAX_RIDDLES, found


def test_odd_wordings_are_rare():
    paths = [*(_ROOT / "docs").glob("*.md"), *_ROOT.glob("*.md")]
    pages = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    docstrings = "\n".join(doc for _, doc in _docstrings())
    for wording in _ODD_WORDINGS:
        pattern = re.compile(rf"\b(?:{wording})\b", re.IGNORECASE)
        assert len(pattern.findall(docstrings)) <= 10
        assert len(pattern.findall(pages)) <= 20


def test_an_evening_is_enough_to_read_the_way_of_a_text():
    page = (_ROOT / "docs" / "reading.md").read_text(encoding="utf-8")
    paths = re.findall(r"\(\.\./(keras_bert/[a-z_/]+\.py)\)", page)
    assert len(paths) == len({*paths}) == 10
    assert sum(_SOURCES[_ROOT / path].count("\n") for path in paths) < 3000
