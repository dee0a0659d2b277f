"""The sources avoid what Windows does not have."""

import ast
import os
import pathlib

import pytest

from keras_bert import artifacts

_ROOT = pathlib.Path(__file__).parents[1]
_POSIX = {
    "curses",
    "fcntl",
    "grp",
    "posix",
    "pty",
    "pwd",
    "resource",
    "termios",
}
# Number of positional arguments before `encoding`.
_TEXT_METHODS = {"read_text": 0, "write_text": 1}


def _faults(source):
    """Iterate over the statements that depend on the operating system."""
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = {getattr(node, "module", None)}
            modules |= {alias.name for alias in node.names}
            if _POSIX & modules:
                yield ast.unparse(node)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and not _is_portable(node):
            yield ast.unparse(node)


def _is_portable(call):
    """Return False for text files without an encoding or without line ends."""
    name = ast.unparse(call.func)
    given = {keyword.arg for keyword in call.keywords}
    method = name.rpartition(".")[2]
    if method in _TEXT_METHODS:
        is_read = method == "read_text"
        if len(call.args) > _TEXT_METHODS[method]:
            given.add("encoding")
    elif name == "open":
        mode = ast.unparse(call.args[1]) if len(call.args) > 1 else "r"
        if "b" in mode:
            return True
        is_read = "r" in mode
    else:
        return name not in ("os.rename", "os.fork")
    return given >= {"encoding"} | (set() if is_read else {"newline"})


@pytest.mark.parametrize("folder", ["keras_bert", "tools"])
def test_sources_are_portable(folder):
    faults = {
        path.name: [*_faults(path.read_text(encoding="utf-8"))]
        for path in (_ROOT / folder).rglob("*.py")
    }
    assert {name: found for name, found in faults.items() if found} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import os, fcntl",
        "from resource import getrusage",
        "def f():\n    open('a')",
        "open('a', 'w', encoding='utf-8')",
        "path.read_text(errors='replace')",
        "path.write_text('a', 'utf-8')",
        "os.rename('a', 'b')",
    ],
)
def test_a_dependence_on_the_system_is_found(source):
    assert [*_faults(source)]


def test_the_lock_of_windows_refuses_a_second_run(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "O_TEMPORARY", 0, raising=False)
    with artifacts.resumable(tmp_path / "a", {}) as work:
        (work / "part").touch()
        with pytest.raises(ValueError, match="Another process is using"):
            with artifacts.resumable(tmp_path / "a", {}):
                pass
        assert (work / "part").exists()
    assert os.listdir(tmp_path) == ["a.lock"]  # Windows deletes it.
