import errno
import os
import pathlib
import re
import subprocess

import pytest

from keras_bert.files import atomic
from keras_bert.files.atomic import atomic_file
from keras_bert.files.atomic import check_writable
from keras_bert.files.atomic import write_whole
from keras_bert.files.manifest import manifest_of
from keras_bert.files.manifest import own_files
from keras_bert.files.manifest import read_manifest
from keras_bert.files.manifest import sha256
from keras_bert.files.outputs import check_directory
from keras_bert.files.outputs import check_files
from keras_bert.files.outputs import finish_directory
from keras_bert.files.outputs import new_directory
from keras_bert.files.outputs import new_file
from keras_bert.files.outputs import remove_listed
from keras_bert.files.outputs import remove_own
from keras_bert.files.resumable import resumable_directory
from tests.faults.file_events import observed


def make(path, data="ours", **context):
    with new_file(path, context) as name:
        name.write_text(data)


def make_directory(path, *names):
    with new_directory(path) as staging:
        for name in names:
            (staging / name).parent.mkdir(exist_ok=True)
            (staging / name).write_text("ours")


def names_of(directory):
    return sorted(
        path.relative_to(directory).as_posix()
        for path in directory.rglob("*")
        if not path.is_dir()
    )


def test_output_files_are_new_or_ours(tmp_path):
    ours, changed = tmp_path / "ours", tmp_path / "changed"
    make(ours)
    make(changed)
    changed.write_text("changed")
    (tmp_path / "theirs").touch()
    (tmp_path / "manifest-new.json").write_text("{}")
    (tmp_path / "folder").mkdir()
    before = names_of(tmp_path)
    check_files([tmp_path / "deep" / "file"])
    with pytest.raises(ValueError, match="ours already exists.*overwrite=True"):
        check_files([ours])
    check_files([ours], overwrite=True)
    for name in ("changed", "theirs", "new", "folder"):
        for overwrite in (False, True):
            with pytest.raises(ValueError, match="exists, and no manifest"):
                check_files([tmp_path / name], overwrite=overwrite)
    assert names_of(tmp_path) == before


def test_an_output_is_never_an_input(tmp_path):
    path = tmp_path / "model" / "a"
    path.parent.mkdir()
    make(path)
    (tmp_path / "link").symlink_to(path)
    os.link(path, tmp_path / "hard")
    for read in (path, tmp_path / "link", tmp_path / "hard", path.parent):
        with pytest.raises(
            ValueError, match=f"input.*{re.escape(f'{path}, input {read}')}"
        ):
            check_files([path], [read], overwrite=True)
    check_files([path.with_name("new")], [path.parent])
    with pytest.raises(ValueError, match="must not be an input, contain an"):
        check_directory(path.parent, [path], overwrite=True)


def test_a_manifest_carries_what_the_next_must_know(tmp_path):
    path = tmp_path / "a.txt"
    make(path, do_lower_case=False)
    manifest, values = manifest_of(path)
    assert manifest.name == "manifest-a.txt.json"
    assert values["do_lower_case"] is False
    assert values["made_by"] == "keras_bert"
    assert values["files"] == {"a.txt": {"bytes": 4, "sha256": sha256(path)}}
    (tmp_path / "b.txt").write_text("b")
    assert manifest_of(tmp_path / "b.txt") == (None, None)
    for text in ("more", "more bytes"):
        path.write_text(text)
        with pytest.raises(ValueError, match="a.txt has changed"):
            manifest_of(path)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "\xff",
        "[" * 100_000,
        '{"made_by": "keras_bert", "files": {"a": 3}}',
        '{"made_by": "keras_bert", "files": {"a": "bytes"}}',
        '{"made_by": "keras_bert", "files": {"../a": {"bytes": 3}}}',
        '{"made_by": "keras_bert", "files": {}, "former": {"files": 3}}',
    ],
)
def test_what_is_no_manifest_of_ours_says_nothing(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text, encoding="latin1")
    assert read_manifest(tmp_path / "manifest.json") is None


def test_an_output_directory_is_new_empty_or_ours(tmp_path):
    directory = tmp_path / "out"
    check_directory(directory)
    directory.mkdir()
    check_directory(directory)
    make_directory(directory, "a", "deep/b")
    with pytest.raises(
        ValueError, match="out.a already exists.*overwrite=True"
    ):
        check_directory(directory)
    check_directory(directory, overwrite=True)
    with pytest.raises(
        ValueError, match="of the same kind.*contains a different"
    ):
        check_directory(directory, (), True, lambda manifest: False)
    with pytest.raises(ValueError, match="a' cannot be written: Not a dir"):
        check_directory(directory / "a", overwrite=True)
    (directory / "deep" / "theirs").touch()
    with pytest.raises(ValueError, match="deep/theirs exists, and no mani"):
        check_directory(directory, overwrite=True)


def test_only_listed_files_are_removed(tmp_path):
    make_directory(tmp_path / "a", "x", "deep/y")
    remove_own(tmp_path / "a")
    assert not (tmp_path / "a").exists()
    make_directory(tmp_path / "b", "a/1", "c/2", "c/3", "kept")
    (tmp_path / "b" / "c/2").write_text("changed")
    listed = own_files(tmp_path / "b")
    remove_listed(tmp_path / "b", listed, ["kept", "manifest.json"])
    assert names_of(tmp_path / "b") == ["c/2", "kept", "manifest.json"]
    assert not (tmp_path / "b" / "a").exists()
    (tmp_path / "b" / "manifest.json").unlink()
    remove_own(tmp_path / "b")
    remove_own(tmp_path / "nowhere")
    assert names_of(tmp_path / "b") == ["c/2", "kept"]


@pytest.mark.parametrize("name", ["file", "file/folder"])
def test_a_folder_that_cannot_be_made_is_named(tmp_path, name):
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=f"'.*{name}' cannot be written: "):
        check_writable(tmp_path / name)


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path):
    changes = []
    with observed(tmp_path, lambda _, change: changes.append(change)):
        write_whole(tmp_path / "a", "text")
    kinds = [change.split()[0] for change in changes]
    assert kinds[kinds.index("fsync") :][:3] == ["fsync", "os.rename", "fsync"]


def test_a_directory_is_replaced_without_an_atomic_exchange(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(atomic, "_exchange", lambda first, second: False)
    make_directory(tmp_path / "a", "x", "deep/y")
    with new_directory(tmp_path / "a", overwrite=True) as staging:
        (staging / "z").write_text("new")
    assert names_of(tmp_path) == ["a/manifest.json", "a/z"]


def test_an_output_appears_at_the_end_only(tmp_path):
    path = tmp_path / "file"
    for text in ("old", "new"):
        with atomic_file(path) as name, open(name, "w") as file:
            file.write(text)
            assert not path.exists() or path.read_text() == "old"
        assert path.read_text() == text
    with pytest.raises(RuntimeError, match="stop"):
        with atomic_file(path) as name, open(name, "w") as file:
            raise RuntimeError("stop")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["file"]


_FULL = os.strerror(errno.ENOSPC)


@pytest.mark.parametrize(
    ("writing", "error"),
    [
        (new_file, OSError(errno.ENOSPC, _FULL)),
        (new_directory, RuntimeError(f"W: {_FULL}; at x:3")),
    ],
)
def test_a_full_disk_names_the_output_and_leaves_nothing(
    tmp_path, writing, error
):
    with pytest.raises(OSError, match="No space .*out'"):
        with writing(tmp_path / "out"):
            raise error
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("writing", "name"),
    [
        (new_file, ".a.txt.{}.tmp"),
        (new_directory, "a.txt.{}.tmp"),
    ],
)
def test_what_killed_processes_left_of_an_output_is_removed(
    tmp_path, writing, name
):
    dead = subprocess.Popen(["true"])
    dead.wait()
    others = [name.format(os.getppid()), f"b{name.format(dead.pid)}"]
    for other in (*others, name.format(dead.pid)):
        (tmp_path / other).mkdir()
        (tmp_path / other / "half").touch()
    with writing(tmp_path / "a.txt") as temporary:
        path = pathlib.Path(temporary)
        (path / "x" if path.is_dir() else path).touch()
    assert {*others} < {*os.listdir(tmp_path)}
    assert name.format(dead.pid) not in os.listdir(tmp_path)


def _run(path, text="x", error=None, overwrite=True):
    """Write a directory of two files; an error leaves it unfinished."""
    context = {"about": text, "length": (1, 2)}
    check_directory(path, overwrite=overwrite)
    unfinished = f"{path}.unfinished"
    with resumable_directory(unfinished, context, "*/done", overwrite) as work:
        (work / "inner").mkdir()
        (work / "inner" / "a").write_text(text)
        (work / text).write_text(text)
        if error:
            raise error
        finish_directory(work, path, context)


def _kill(path, *finished):
    """Stop a run after some folders are finished."""
    with pytest.raises(KeyboardInterrupt):
        _run(path, "x", KeyboardInterrupt())
    for name in finished:
        part = path.with_name(f"{path.name}.unfinished") / name
        part.mkdir()
        for name in ("done", "result"):
            (part / name).touch()


def _names(path):
    return [*read_manifest(path / "manifest.json")["files"]]


def test_a_run_has_its_name_at_the_end_and_lists_its_files(tmp_path):
    _kill(tmp_path / "out")
    assert os.listdir(tmp_path) == ["out.unfinished"]
    _run(tmp_path / "out", "y")
    assert os.listdir(tmp_path) == ["out"]
    assert _names(tmp_path / "out") == ["inner/a", "y"]
    _run(tmp_path / "out", "z")
    names = ["inner", "manifest.json", "z"]
    assert sorted(os.listdir(tmp_path / "out")) == names


def test_what_a_killed_run_has_finished_is_kept(tmp_path):
    _kill(tmp_path / "out", "part")
    with pytest.raises(ValueError, match="True starts.*about was 'x', now 'y'"):
        _run(tmp_path / "out", "y", overwrite=False)
    assert (tmp_path / "out.unfinished" / "part" / "result").exists()
    _run(tmp_path / "out", overwrite=False)
    names = ["inner/a", "part/done", "part/result", "x"]
    assert _names(tmp_path / "out") == names
    (tmp_path / "old.unfinished").mkdir()
    (tmp_path / "old.unfinished" / "mine").touch()
    with pytest.raises(ValueError, match="old.unfinished exists but is not"):
        _run(tmp_path / "old")
    assert os.listdir(tmp_path / "old.unfinished") == ["mine"]
    _kill(tmp_path / "new", "part")
    _run(tmp_path / "new", "y", overwrite=True)
    assert _names(tmp_path / "new") == ["inner/a", "y"]


@pytest.mark.parametrize("left", [[], ["a.lock"]], ids=["posix", "windows"])
def test_two_runs_at_once_are_refused(tmp_path, monkeypatch, left):
    if left:  # Windows deletes it.
        monkeypatch.setattr(os, "O_TEMPORARY", 0, raising=False)
    with resumable_directory(tmp_path / "a", {}) as work:
        (work / "part").touch()
        with pytest.raises(ValueError, match="Another process is using"):
            with resumable_directory(tmp_path / "a", {}):
                pass
        assert (work / "part").exists()
    assert os.listdir(tmp_path) == left
