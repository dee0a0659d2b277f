import json

import pytest

from keras_bert.training.run_record import begin_run

_SETTINGS = {"seed": 1, "input_file": ["a", "b"], "vocab_file": None}


def read_record(directory):
    return json.loads((directory / "run.json").read_text(encoding="utf-8"))


def test_a_run_tells_what_it_was_started_with(tmp_path):
    begin_run(tmp_path, _SETTINGS)
    record = read_record(tmp_path)
    assert record["settings"] == _SETTINGS
    assert {"keras", "tensorflow"} < {*record["versions"]}
    assert {"command", "git", "machine"} < {*record}


def test_a_run_goes_on_with_the_same_settings(tmp_path):
    begin_run(tmp_path, {**_SETTINGS, "sizes": (1, 2)})
    before = (tmp_path / "run.json").stat().st_mtime_ns
    (tmp_path / "states").mkdir()
    begin_run(tmp_path, {**_SETTINGS, "sizes": (1, 2)})
    assert (tmp_path / "run.json").stat().st_mtime_ns == before


def test_all_changed_settings_are_named(tmp_path):
    begin_run(tmp_path, _SETTINGS)
    changed = {"seed": 2, "input_file": ["a", "b"], "more": 0.5}
    with pytest.raises(
        ValueError,
        match="more was None and is 0.5; seed was 1 and is 2. "
        "Pass --allow_changed_flags",
    ):
        begin_run(tmp_path, changed)
    assert read_record(tmp_path)["settings"] == _SETTINGS
    begin_run(tmp_path, changed, allow_changes=True)
    assert read_record(tmp_path)["settings"] == changed


def test_a_directory_of_something_else_is_an_error(tmp_path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(ValueError, match="must be new or empty.*Received: "):
        begin_run(tmp_path, _SETTINGS, allow_changes=True)
    assert not (tmp_path / "run.json").exists()
