import errno
import json
import os
import pathlib
import subprocess

import pytest

from keras_bert import artifacts


def make(path, data="ours", **about):
    with artifacts.recorded_file(path, about) as name:
        with open(name, "w") as file:
            file.write(data)


def test_a_new_file_may_be_written(tmp_path):
    artifacts.check_output_files([tmp_path / "deep" / "a.txt"])
    assert os.listdir(tmp_path) == []


def test_what_we_wrote_needs_overwrite(tmp_path):
    path = tmp_path / "a.txt"
    make(path)
    with pytest.raises(ValueError, match=f"new: {path} exists.*overwrite=True"):
        artifacts.check_output_files([path])
    artifacts.check_output_files([path], overwrite=True)


def make_listed(directory, *names):
    for name in names:
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text("ours")
    files = {name: directory / name for name in names}
    artifacts.write_manifest(directory / "manifest.json", files, {})
    return artifacts.read_manifest(directory / "manifest.json")["files"]


def test_a_file_in_a_folder_may_be_listed_by_the_directory(tmp_path):
    make_listed(tmp_path, "a/ours", "a/changed")
    (tmp_path / "a/changed").write_text("OURS")
    artifacts.check_listed(tmp_path, ["a/ours", "a/new"], True)
    with pytest.raises(ValueError, match="a/ours exists.*overwrite=True"):
        artifacts.check_listed(tmp_path, ["a/ours"], False)
    with pytest.raises(ValueError, match="a/changed exists, and no manifest"):
        artifacts.check_listed(tmp_path, ["a/changed"], True)


def test_what_is_no_longer_listed_is_removed_unless_changed(tmp_path):
    listed = make_listed(tmp_path, "a/b.txt", "c/d.txt", "c/e.txt", "f.txt")
    (tmp_path / "c/d.txt").write_text("mine")
    artifacts.remove_stale(tmp_path, listed, kept=["f.txt"])
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.relative_to(tmp_path).as_posix() for path in left} == {
        "c/d.txt",
        "f.txt",
        "manifest.json",
    }
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_others_wrote_is_never_overwritten(tmp_path, overwrite):
    theirs, changed = tmp_path / "theirs.txt", tmp_path / "changed.txt"
    theirs.write_text("theirs")
    make(changed)
    changed.write_text("OURS")
    beside = tmp_path / "manifest-new.txt.json"
    beside.write_text("{}")
    for path in (theirs, changed, tmp_path / "new.txt"):
        with pytest.raises(ValueError, match="no manifest beside it says"):
            artifacts.check_output_files([path], overwrite=overwrite)


def test_an_input_is_no_output_under_any_name(tmp_path):
    path = tmp_path / "a.txt"
    make(path)
    (tmp_path / "link").symlink_to(path)
    os.link(path, tmp_path / "hard")
    for name in ("a.txt", "link", "hard"):
        with pytest.raises(ValueError, match="must not be an input"):
            artifacts.check_output_files([path], [tmp_path / name], True)


def test_a_file_of_an_input_directory_is_no_output(tmp_path):
    path = tmp_path / "model" / "weights"
    path.parent.mkdir()
    make(path)
    with pytest.raises(ValueError, match=f"file of an input.*{path} in"):
        artifacts.check_output_files([path], [tmp_path / "model"], True)
    new = tmp_path / "model" / "new"
    artifacts.check_output_files([new], [tmp_path / "model"])


def test_outputs_differ_and_are_no_directories(tmp_path):
    with pytest.raises(ValueError, match="differ from each other"):
        artifacts.check_output_files([tmp_path / "a", tmp_path / "." / "a"])
    with pytest.raises(ValueError, match="must not be a directory"):
        artifacts.check_output_files([tmp_path])


def test_a_manifest_carries_what_the_next_must_know(tmp_path):
    make(tmp_path / "a.txt", do_lower_case=False)
    path, values = artifacts.manifest_of(tmp_path / "a.txt")
    assert path.name == "manifest-a.txt.json"
    assert values["do_lower_case"] is False
    (tmp_path / "b.txt").write_text("b")
    assert artifacts.manifest_of(tmp_path / "b.txt") == (None, None)


def test_a_file_that_is_not_its_manifests_is_named(tmp_path):
    make(tmp_path / "a.txt")
    (tmp_path / "a.txt").write_text("more")
    with pytest.raises(ValueError, match="a.txt must be the file of which"):
        artifacts.manifest_of(tmp_path / "a.txt")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"files": {}}',
        '{"made_by": "keras_bert", "files": {"a": 3}}',
        '{"made_by": "keras_bert", "files": {"a": {"bytes": 3}}}',
        "\xff",
    ],
)
def test_what_is_no_manifest_of_ours_says_nothing(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text, encoding="latin1")
    assert artifacts.read_manifest(tmp_path / "manifest.json") is None


@pytest.fixture
def directory(tmp_path):
    """A directory that we wrote: two files, one of them in a folder."""
    directory = tmp_path / "made"
    (directory / "deep").mkdir(parents=True)
    files = {}
    for name in ("a", "deep/b"):
        (directory / name).write_text(name)
        files[name] = directory / name
    artifacts.write_manifest(directory / "manifest.json", files, {})
    return directory


def test_a_directory_must_be_new_or_empty(tmp_path, directory):
    artifacts.check_output_directory(tmp_path / "new")
    (tmp_path / "empty").mkdir()
    artifacts.check_output_directory(tmp_path / "empty")
    with pytest.raises(ValueError, match="new: .*made/a.*overwrite=True"):
        artifacts.check_output_directory(directory)
    artifacts.check_output_directory(directory, overwrite=True)


def test_a_directory_with_a_strange_file_is_not_ours(directory):
    (directory / "deep" / "theirs").touch()
    with pytest.raises(ValueError, match="deep/theirs exists, and no mani"):
        artifacts.check_output_directory(directory, overwrite=True)


def test_a_directory_must_not_hold_its_input(directory):
    with pytest.raises(ValueError, match="inside the output directory"):
        artifacts.check_output_directory(directory, [directory / "a"], True)


def test_only_what_we_wrote_is_removed(tmp_path, directory):
    artifacts.remove_own(directory)
    assert not directory.exists()
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "file").touch()
    artifacts.remove_own(theirs)
    artifacts.remove_own(tmp_path / "nowhere")
    assert os.listdir(theirs) == ["file"]


def test_nothing_is_left_when_writing_fails(tmp_path):
    with pytest.raises(KeyError):
        with artifacts.recorded_file(tmp_path / "a.txt"):
            raise KeyError
    assert os.listdir(tmp_path) == []


def test_a_manifest_lists_bytes_and_hashes(directory):
    values = json.loads((directory / "manifest.json").read_text())
    assert values["made_by"] == "keras_bert"
    assert values["files"]["deep/b"] == {
        "bytes": 6,
        "sha256": artifacts.sha256(directory / "deep" / "b"),
    }


def test_a_folder_is_tried_and_not_made(tmp_path):
    artifacts.check_writable(tmp_path / "new" / "folder")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["file", "file/folder"])
def test_a_folder_that_cannot_be_made_is_named(tmp_path, name):
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=f"'.*/{name}' cannot be written: "):
        artifacts.check_writable(tmp_path / name)


def test_a_whole_file_appears_at_the_end_only(tmp_path):
    path = tmp_path / "file"
    with artifacts.whole_file(path) as name, open(name, "w") as file:
        file.write("text")
        assert not path.exists()
    assert path.read_text() == "text"
    assert os.listdir(tmp_path) == ["file"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(RuntimeError, match="stop"):
        with artifacts.whole_file(path) as name, open(name, "w") as file:
            file.write("new")
            raise RuntimeError("stop")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def _full_disk():
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    "error",
    [_full_disk(), RuntimeError(f"W: {os.strerror(errno.ENOSPC)}; at x.cc:3")],
)
@pytest.mark.parametrize(
    "writing",
    [
        artifacts.whole_file,
        artifacts.recorded_file,
        artifacts.recorded_directory,
        artifacts.temporary_directory,
    ],
)
def test_a_full_disk_names_the_output(tmp_path, writing, error):
    with pytest.raises(OSError, match=f"No space .*'{tmp_path / 'out'}'"):
        with writing(tmp_path / "out"):
            raise error
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["a.txt.{}.tmp", ".a.txt.{}.tmp"])
@pytest.mark.parametrize(
    "writing", [artifacts.recorded_file, artifacts.recorded_directory]
)
def test_what_killed_processes_left_of_an_output_is_removed(
    tmp_path, name, writing
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
    """Makes a directory of two files; an error leaves it unfinished."""
    about = {"about": text, "length": (1, 2)}
    artifacts.check_output_directory(path, overwrite=overwrite)
    with artifacts.Unfinished(f"{path}.unfinished") as unfinished:
        unfinished.begin(about, "*/done", overwrite)
        (unfinished.place / "inner").mkdir()
        (unfinished.place / "inner" / "a").write_text(text)
        (unfinished.place / text).write_text(text)
        if error:
            raise error
        unfinished.become(path, about)


def _kill(path, *finished):
    """Stops a run that had finished some folders."""
    with pytest.raises(KeyboardInterrupt):
        _run(path, "x", KeyboardInterrupt())
    for name in finished:
        part = path.with_name(f"{path.name}.unfinished") / name
        part.mkdir()
        for name in ("done", "result"):
            (part / name).touch()


def _names(path):
    return [*artifacts.read_manifest(path / "manifest.json")["files"]]


def test_a_run_has_its_name_at_the_end_and_lists_its_files(tmp_path):
    _kill(tmp_path / "out")
    assert os.listdir(tmp_path) == ["out.unfinished"]
    _run(tmp_path / "out", "y")
    assert os.listdir(tmp_path) == ["out"]
    assert _names(tmp_path / "out") == ["inner/a", "y"]
    _run(tmp_path / "out", "z")
    assert sorted(os.listdir(tmp_path / "out")) == [
        "inner",
        "manifest.json",
        "z",
    ]


def test_what_a_killed_run_has_finished_is_kept(tmp_path):
    _kill(tmp_path / "out", "part")
    with pytest.raises(ValueError, match="True begins.*about was 'x', now 'y'"):
        _run(tmp_path / "out", "y", overwrite=False)
    assert (tmp_path / "out.unfinished" / "part" / "result").exists()
    _run(tmp_path / "out", overwrite=False)
    assert _names(tmp_path / "out") == [
        "inner/a",
        "part/done",
        "part/result",
        "x",
    ]


def test_overwriting_drops_what_is_about_something_else(tmp_path):
    _kill(tmp_path / "out", "part")
    _run(tmp_path / "out", "y", overwrite=True)
    assert _names(tmp_path / "out") == ["inner/a", "y"]


def test_the_unfinished_directory_of_somebody_else_stays(tmp_path):
    (tmp_path / "out.unfinished").mkdir()
    (tmp_path / "out.unfinished" / "mine").touch()
    with pytest.raises(ValueError, match="out.unfinished exists, and nothing"):
        _run(tmp_path / "out")
    assert os.listdir(tmp_path / "out.unfinished") == ["mine"]


def test_two_runs_at_once_are_refused_and_leave_nothing(tmp_path):
    with artifacts.Unfinished(tmp_path / "a") as unfinished:
        unfinished.begin({})
        with pytest.raises(ValueError, match="Another process is at work on"):
            with artifacts.Unfinished(tmp_path / "a"):
                pass
    assert os.listdir(tmp_path) == []
