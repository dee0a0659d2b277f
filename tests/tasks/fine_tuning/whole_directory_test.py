import pytest

from keras_bert.artifacts import manifest_of
from keras_bert.tasks.fine_tuning.whole_directory import check_whole_directory
from keras_bert.tasks.fine_tuning.whole_directory import unfinished
from keras_bert.tasks.fine_tuning.whole_directory import whole_directory


def _make(path, text="x", error=None, overwrite=True):
    check_whole_directory(path, [], overwrite=True)
    about = {"about": text, "length": (1, 2)}
    with whole_directory(path, about, "*/done", overwrite) as place:
        (place / "inner").mkdir()
        (place / "inner" / "a.txt").write_text(text)
        (place / f"{text}.txt").write_text(text)
        assert not (path / f"{text}.txt").exists()
        if error:
            raise error


def test_the_directory_is_there_at_the_end_and_lists_its_files(tmp_path):
    path = tmp_path / "out"
    _make(path)
    _, values = manifest_of(path / "x.txt")
    assert [*values["files"]] == ["inner/a.txt", "x.txt"]
    assert values["about"] == "x"
    assert not unfinished(path).exists()


def test_what_we_wrote_is_replaced_and_nothing_else(tmp_path):
    path = tmp_path / "out"
    _make(path)
    with pytest.raises(ValueError, match="pass overwrite=True"):
        check_whole_directory(path, [], overwrite=False)
    _make(path, "y")
    assert sorted(x.name for x in path.iterdir()) == [
        "inner",
        "manifest.json",
        "y.txt",
    ]
    (path / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="mine.txt exists"):
        check_whole_directory(path, [], overwrite=True)


def test_what_a_killed_run_left_is_in_nobodys_way(tmp_path):
    path = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        _make(path, "x", KeyboardInterrupt())
    assert not path.exists()
    assert (unfinished(path) / "x.txt").exists()
    _make(path, "y")
    assert not (path / "x.txt").exists()
    assert not unfinished(path).exists()


def _kill_with_one_part_done(path):
    with pytest.raises(KeyboardInterrupt):
        _make(path, "x", KeyboardInterrupt())
    part = unfinished(path) / "part"
    part.mkdir()
    for name in ("done", "result"):
        (part / name).write_text("")


def test_what_a_killed_run_has_finished_is_kept(tmp_path):
    path = tmp_path / "out"
    _kill_with_one_part_done(path)
    _make(path, "x", overwrite=False)
    _, values = manifest_of(path / "x.txt")
    found = ["inner/a.txt", "part/done", "part/result", "x.txt"]
    assert [*values["files"]] == found


def test_what_is_about_something_else_is_kept_unless_told(tmp_path):
    path = tmp_path / "out"
    _kill_with_one_part_done(path)
    with pytest.raises(ValueError, match="about was 'x', now 'y'.*overwr"):
        _make(path, "y", overwrite=False)
    assert (unfinished(path) / "part" / "result").exists()
    assert (unfinished(path) / "x.txt").exists()
    _make(path, "y")
    assert not (path / "part").exists()
    assert (path / "y.txt").exists()


def test_what_is_not_ours_is_not_removed(tmp_path):
    place = unfinished(tmp_path / "out")
    place.mkdir()
    (place / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="out.unfinished exists"):
        check_whole_directory(tmp_path / "out", [], overwrite=True)
    assert (place / "mine.txt").exists()
