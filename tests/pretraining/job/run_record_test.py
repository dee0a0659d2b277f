import json

import pytest

from keras_bert.pretraining.job.run_record import check_run
from keras_bert.pretraining.job.run_record import write_run

_SETTINGS = {"seed": 1, "input_file": ["a", "b"], "config": {"size": 8}}


def read_record(directory):
    return json.loads((directory / "run.json").read_text(encoding="utf-8"))


def test_a_run_tells_what_it_was_started_with(tmp_path):
    check_run(tmp_path, _SETTINGS)
    assert not (tmp_path / "run.json").exists()
    write_run(tmp_path, _SETTINGS)
    record = read_record(tmp_path)
    assert record["settings"] == _SETTINGS
    assert {"keras", "tensorflow"} < {*record["versions"]}
    assert {"command", "git", "machine"} < {*record}


def test_a_run_goes_on_with_the_same_settings(tmp_path):
    write_run(tmp_path, {**_SETTINGS, "sizes": (1, 2)})
    before = (tmp_path / "run.json").stat().st_mtime_ns
    (tmp_path / "states").mkdir()
    check_run(tmp_path, {**_SETTINGS, "sizes": (1, 2)})
    write_run(tmp_path, {**_SETTINGS, "sizes": (1, 2)})
    assert (tmp_path / "run.json").stat().st_mtime_ns == before


def test_all_changed_settings_are_named(tmp_path):
    write_run(tmp_path, _SETTINGS)
    changed = {**_SETTINGS, "seed": 2, "config": {"size": 9}, "more": 0.5}
    with pytest.raises(
        ValueError,
        match="allow_changed_flags=True.*: config: size was 8, now 9; "
        "settings: more was None, now 0.5; settings: seed was 1, now 2.",
    ):
        check_run(tmp_path, changed)
    check_run(tmp_path, changed, allow_changes=True)
    assert read_record(tmp_path)["settings"] == _SETTINGS
    write_run(tmp_path, changed)
    assert read_record(tmp_path)["settings"] == changed


def test_of_many_changes_the_first_are_named(tmp_path):
    write_run(tmp_path, {"records": {f"file {i}": "a" for i in range(9)}})
    changed = {"records": {f"file {i}": "b" for i in range(9)}}
    with pytest.raises(
        ValueError, match="records: file 4 was 'a', now 'b'; and 4 more."
    ):
        check_run(tmp_path, changed)


@pytest.mark.parametrize("content", ["", "[]", "{}"])
def test_a_directory_of_something_else_is_an_error(tmp_path, content):
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(ValueError, match="must be new, empty.*Received: "):
        check_run(tmp_path, _SETTINGS, allow_changes=True)
    check_run(tmp_path / "new", _SETTINGS)
