import json
import os

import pytest

from keras_bert import outputs


def make(path, data="ours", **about):
    with outputs.recorded_file(path, about) as name:
        with open(name, "w") as file:
            file.write(data)


def test_a_new_file_may_be_written(tmp_path):
    outputs.check_output_files([tmp_path / "deep" / "a.txt"])
    assert os.listdir(tmp_path) == ["deep"]


def test_what_we_wrote_needs_overwrite(tmp_path):
    path = tmp_path / "a.txt"
    make(path)
    with pytest.raises(ValueError, match=f"new: {path} exists.*--overwrite"):
        outputs.check_output_files([path])
    outputs.check_output_files([path], overwrite=True)


def make_listed(directory, *names):
    for name in names:
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text("ours")
    files = {name: directory / name for name in names}
    outputs.write_manifest(directory / "manifest.json", files, {})
    return outputs.read_manifest(directory / "manifest.json")["files"]


def test_a_file_in_a_folder_may_be_listed_by_the_directory(tmp_path):
    make_listed(tmp_path, "a/ours.txt", "a/changed.txt")
    ours, changed = tmp_path / "a/ours.txt", tmp_path / "a/changed.txt"
    changed.write_text("OURS")
    outputs.check_output_files([ours], overwrite=True, directory=tmp_path)
    with pytest.raises(ValueError, match=f"{ours} exists.*--overwrite"):
        outputs.check_output_files([ours], directory=tmp_path)
    with pytest.raises(ValueError, match=f"{changed} exists, and no manif"):
        outputs.check_output_files(
            [changed], overwrite=True, directory=tmp_path
        )


def test_what_is_no_longer_listed_is_removed_unless_changed(tmp_path):
    listed = make_listed(tmp_path, "a/b.txt", "c/d.txt", "c/e.txt", "f.txt")
    (tmp_path / "c/d.txt").write_text("mine")
    outputs.remove_stale(tmp_path, listed, kept=["f.txt"])
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
            outputs.check_output_files([path], overwrite=overwrite)


def test_an_input_is_no_output_under_any_name(tmp_path):
    path = tmp_path / "a.txt"
    make(path)
    (tmp_path / "link").symlink_to(path)
    os.link(path, tmp_path / "hard")
    for name in ("a.txt", "link", "hard"):
        with pytest.raises(ValueError, match="must not be an input"):
            outputs.check_output_files([path], [tmp_path / name], True)


def test_a_file_of_an_input_directory_is_no_output(tmp_path):
    path = tmp_path / "model" / "weights"
    path.parent.mkdir()
    make(path)
    with pytest.raises(ValueError, match=f"file of an input.*{path} in"):
        outputs.check_output_files([path], [tmp_path / "model"], True)
    new = tmp_path / "model" / "new"
    outputs.check_output_files([new], [tmp_path / "model"])


def test_outputs_differ_and_are_no_directories(tmp_path):
    with pytest.raises(ValueError, match="differ from each other"):
        outputs.check_output_files([tmp_path / "a", tmp_path / "." / "a"])
    with pytest.raises(ValueError, match="must not be a directory"):
        outputs.check_output_files([tmp_path])


def test_a_manifest_carries_what_the_next_must_know(tmp_path):
    make(tmp_path / "a.txt", do_lower_case=False)
    path, values = outputs.manifest_of(tmp_path / "a.txt")
    assert path.name == "manifest-a.txt.json"
    assert values["do_lower_case"] is False
    (tmp_path / "b.txt").write_text("b")
    assert outputs.manifest_of(tmp_path / "b.txt") == (None, None)


def test_a_file_that_is_not_its_manifests_is_named(tmp_path):
    make(tmp_path / "a.txt")
    (tmp_path / "a.txt").write_text("more")
    with pytest.raises(ValueError, match="a.txt must be the file of which"):
        outputs.manifest_of(tmp_path / "a.txt")


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
    assert outputs.read_manifest(tmp_path / "manifest.json") is None


@pytest.fixture
def directory(tmp_path):
    """A directory that we wrote: two files, one of them in a folder."""
    directory = tmp_path / "made"
    (directory / "deep").mkdir(parents=True)
    files = {}
    for name in ("a", "deep/b"):
        (directory / name).write_text(name)
        files[name] = directory / name
    outputs.write_manifest(directory / "manifest.json", files, {})
    return directory


def test_a_directory_must_be_new_or_empty(tmp_path, directory):
    outputs.check_output_directory(tmp_path / "new")
    (tmp_path / "empty").mkdir()
    outputs.check_output_directory(tmp_path / "empty")
    with pytest.raises(ValueError, match="new: .*made/a exists.*--overwrite"):
        outputs.check_output_directory(directory)
    outputs.check_output_directory(directory, overwrite=True)


def test_a_directory_with_a_strange_file_is_not_ours(directory):
    (directory / "deep" / "theirs").touch()
    with pytest.raises(ValueError, match="deep/theirs exists, and no mani"):
        outputs.check_output_directory(directory, overwrite=True)


def test_a_directory_must_not_hold_its_input(directory):
    with pytest.raises(ValueError, match="inside the output directory"):
        outputs.check_output_directory(directory, [directory / "a"], True)


def test_only_what_we_wrote_is_removed(tmp_path, directory):
    outputs.remove_own(directory)
    assert not directory.exists()
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "file").touch()
    outputs.remove_own(theirs)
    outputs.remove_own(tmp_path / "nowhere")
    assert os.listdir(theirs) == ["file"]


def test_nothing_is_left_when_writing_fails(tmp_path):
    with pytest.raises(KeyError):
        with outputs.recorded_file(tmp_path / "a.txt"):
            raise KeyError
    assert os.listdir(tmp_path) == []


def test_a_manifest_lists_bytes_and_hashes(directory):
    values = json.loads((directory / "manifest.json").read_text())
    assert values["made_by"] == "keras_bert"
    assert values["files"]["deep/b"] == {
        "bytes": 6,
        "sha256": outputs.sha256(directory / "deep" / "b"),
    }
