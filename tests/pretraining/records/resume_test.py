"""Killed, rejected and disk-full runs, and their continuation."""

import errno
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

from keras_bert.pretraining import DataOptions
from keras_bert.pretraining import TextOptions
from keras_bert.pretraining import create_data
from keras_bert.pretraining import open_sources
from keras_bert.pretraining.corpus import text_files
from keras_bert.pretraining.records import tokenize_and_write
from keras_bert.pretraining.records.work_directory import work_directory

_REPOSITORY = pathlib.Path(__file__).parents[3]
_OPTIONS = {
    "max_seq_length": 24,
    "max_predictions_per_seq": 4,
    "dupe_factor": 2,
}
_NAMES = ["a.tfrecord", "b.tfrecord", "c.tfrecord"]
_CHUNK_BYTES = 900


_MANIFEST = "manifest-a.tfrecord.json"


@pytest.fixture
def inputs(make_documents, write_documents):
    return [
        write_documents("a.txt", make_documents(1, 30)),
        write_documents("b.txt", make_documents(2, 10)),
    ]


@pytest.fixture
def create(inputs, vocab_file, tmp_path, monkeypatch):
    """Return a function that runs the tool with changes and returns counts."""
    monkeypatch.setattr(text_files, "CHUNK_BYTES", _CHUNK_BYTES)

    def create(
        folder="out", names=_NAMES, vocab_file=vocab_file, options=(), **changes
    ):
        return create_data(
            open_sources(inputs),
            [str(tmp_path / folder / name) for name in names],
            TextOptions(vocab_file),
            DataOptions(**{**_OPTIONS, **dict(options)}),
            **changes,
        )

    return create


@pytest.fixture(scope="module")
def kept():
    return []


@pytest.fixture
def expected(kept, create, tmp_path):
    """Return the bytes and the counts of an undisturbed run."""
    if not kept:  # They are the same in every folder.
        counts = create("expected")
        kept.append((_bytes(tmp_path / "expected"), counts))
    return kept[0]


def _bytes(folder):
    return {name: (folder / name).read_bytes() for name in _NAMES}


def _times(folder):
    return {
        path: path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if path.name != "lock"
    }


def _check_finished(folder, expected):
    assert sorted(os.listdir(folder)) == [*_NAMES, _MANIFEST]
    assert _bytes(folder) == expected[0]
    manifest = json.loads((folder / _MANIFEST).read_text())
    assert manifest["counts"] == expected[1]


def _check_final_names(folder, expected):
    """Check that files with final names are whole and the manifest is last."""
    names = {*_NAMES} & {*os.listdir(folder)} if folder.exists() else set()
    for name in names:
        assert (folder / name).read_bytes() == expected[0][name]
    if (folder / _MANIFEST).exists():
        assert names == {*_NAMES}


@pytest.fixture(scope="module")
def forks():
    """Return a process that forks for each run."""
    with subprocess.Popen(
        [sys.executable, pathlib.Path(__file__).with_name("killed_run.py")],
        env={**os.environ, "PYTHONPATH": str(_REPOSITORY)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.stdin.close()


@pytest.fixture
def run(inputs, vocab_file, tmp_path, forks):
    """Return a function that runs the tool in a self-killing process."""

    def run(folder, kill_at):
        request = {
            "kill_at": kill_at,
            "chunk_bytes": _CHUNK_BYTES,
            "inputs": inputs,
            "outputs": [str(tmp_path / folder / name) for name in _NAMES],
            "vocab_file": vocab_file,
            "options": _OPTIONS,
        }
        forks.stdin.write(json.dumps(request) + "\n")
        forks.stdin.flush()
        code = int(forks.stdout.readline())
        assert code in (0, -signal.SIGKILL)
        return code

    return run


@pytest.mark.smoke("3")
@pytest.mark.parametrize("stride", [1, 3])
def test_a_run_killed_anywhere_goes_on(run, create, tmp_path, expected, stride):
    kill_at, code = 1, -signal.SIGKILL
    while code:
        folder = tmp_path / f"out{kill_at}"
        code = run(folder.name, kill_at)
        if code:
            _check_final_names(folder, expected)
            assert create(folder.name) == expected[1]
        _check_finished(folder, expected)
        kill_at += stride
    assert kill_at > 70


@pytest.mark.large
def test_the_tool_with_workers_goes_on_after_a_kill(
    inputs, vocab_file, tmp_path, expected
):
    command = [
        sys.executable,
        str(_REPOSITORY / "tools/create_pretraining_data.py"),
        f"--input_file={','.join(inputs)}",
        f"--vocab_file={vocab_file}",
        "--output_file="
        + ",".join(str(tmp_path / "out" / name) for name in _NAMES),
        "--num_workers=2",
        *(f"--{name}={value}" for name, value in _OPTIONS.items()),
    ]
    environment = {**os.environ, "PYTHONPATH": str(_REPOSITORY)}
    with subprocess.Popen(
        command,
        env=environment,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        chunks = ".*.work/chunk-*.json"
        while process.poll() is None and not any(tmp_path.rglob(chunks)):
            time.sleep(0.01)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    _check_final_names(tmp_path / "out", expected)
    with pytest.raises(ProcessLookupError):
        for _ in range(100):  # Wait for the end of the workers.
            os.killpg(process.pid, 0)
            time.sleep(0.1)
    subprocess.run(command, env=environment, check=True, capture_output=True)
    _check_finished(tmp_path / "out", expected)


@pytest.fixture
def fill_disk(monkeypatch):
    """Make the third writing of records fail; return a function to end this."""

    def fill_disk():
        write, calls = tokenize_and_write.write_records, iter(range(2))

        def fail(*arguments):
            if next(calls, None) is None:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            write(*arguments)

        monkeypatch.setattr(tokenize_and_write, "write_records", fail)
        return lambda: monkeypatch.setattr(
            tokenize_and_write, "write_records", write
        )

    return fill_disk


def test_a_full_disk_is_told_and_the_same_command_goes_on(
    create, tmp_path, expected, fill_disk
):
    make_room = fill_disk()
    with pytest.raises(
        OSError, match="No space left on device.*the same command to continue"
    ) as caught:
        create()
    assert "\n" not in str(caught.value)
    times = _times(tmp_path / "out")
    names = {path.name for path in times}
    assert not [name for name in names if name.endswith(".tmp")]
    assert not {*_NAMES} & names
    (piece,) = tmp_path.glob(f"out/.{_MANIFEST}.work/shard-00001.json")
    with pytest.raises(OSError, match="No space left"):
        create()
    assert _times(tmp_path / "out")[piece] == times[piece]
    make_room()
    assert create() == expected[1]
    _check_finished(tmp_path / "out", expected)


@pytest.fixture
def unfinished(create, fill_disk):
    make_room = fill_disk()
    with pytest.raises(OSError, match="No space left"):
        create()
    make_room()


def test_other_settings_are_refused_and_named(
    create, expected, unfinished, inputs, vocabulary, tmp_path
):
    text, other = pathlib.Path(inputs[1]), tmp_path / "vocab.txt"
    before = text.read_bytes()
    other.write_text("\n".join([*vocabulary.tokens, "more"]))
    options = {"dupe_factor": 3, "random_seed": 2}
    for _ in range(2):  # The second time, the run is finished.
        times = _times(tmp_path / "out")
        text.write_bytes(before + b"a")
        with pytest.raises(ValueError, match="overwrite=True") as caught:
            create(options=options, vocab_file=str(other))
        for difference in (
            "dupe_factor was 2, now 3",
            "random_seed was 12345, now 2",
            "vocabulary was '.*', now '.*'",
            "inputs: .*b.txt was '.*', now '.*'",
        ):
            assert re.search(difference, str(caught.value))
        assert _times(tmp_path / "out") == times
        text.write_bytes(before)
        assert create() == expected[1]
        _check_finished(tmp_path / "out", expected)
    vocabulary.save(other)  # A vocabulary may move.
    assert create(vocab_file=str(other)) == expected[1]


def test_overwriting_keeps_the_old_until_the_new_is_there(
    create, expected, fill_disk, tmp_path
):
    create(options={"random_seed": 2})
    old = _bytes(tmp_path / "out")
    make_room = fill_disk()
    with pytest.raises(OSError, match="No space left"):
        create(overwrite=True)
    make_room()
    assert _bytes(tmp_path / "out") == old
    with pytest.raises(ValueError, match="random_seed was 12345, now 2"):
        create(options={"random_seed": 2})
    assert create() == expected[1]
    _check_finished(tmp_path / "out", expected)


@pytest.mark.parametrize(("num_moves", "overwrite"), [(1, False), (2, True)])
def test_a_run_killed_while_it_replaces_goes_on(
    create, expected, tmp_path, monkeypatch, num_moves, overwrite
):
    create(options={"random_seed": 2})
    moves = iter(range(num_moves))
    replace = os.replace

    def stop(path, new_path):
        if ".work" not in str(new_path) and next(moves, None) is None:
            raise KeyboardInterrupt
        replace(path, new_path)

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        create(overwrite=True)
    monkeypatch.setattr(os, "replace", replace)
    assert create(overwrite=overwrite) == expected[1]
    _check_finished(tmp_path / "out", expected)


def test_a_finished_run_does_nothing_unless_records_were_lost_or_changed(
    create, expected, tmp_path, caplog
):
    create()
    times = _times(tmp_path / "out")
    caplog.set_level("INFO")
    assert create() == expected[1]
    assert "Nothing to do" in caplog.text
    assert _times(tmp_path / "out") == times
    path = tmp_path / "out" / "b.tfrecord"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="Missing or changed: .*/b.tfrecord"):
        create()
    with pytest.raises(ValueError, match="b.tfrecord exists, and no manifest"):
        create(overwrite=True)
    path.unlink()
    with pytest.raises(ValueError, match="Missing or changed: .*/b.tfrecord"):
        create()
    create(overwrite=True)
    _check_finished(tmp_path / "out", expected)


def test_two_processes_at_once_are_refused(create, expected, tmp_path):
    paths = [str(tmp_path / "out" / name) for name in _NAMES]
    manifest = str(tmp_path / "out" / _MANIFEST)
    (tmp_path / "out").mkdir()
    with pytest.raises(KeyboardInterrupt):
        with work_directory(manifest, paths, dict, overwrite=False):
            for overwrite in (False, True):
                with pytest.raises(ValueError, match="process is using"):
                    create(overwrite=overwrite)
            names = {x.name for x in tmp_path.glob("out/.*.work/*")}
            assert names == {"lock", "manifest.json"}
            raise KeyboardInterrupt
    assert os.listdir(tmp_path / "out") == []
    create(overwrite=True)
    _check_finished(tmp_path / "out", expected)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("b.tfrecord", "precious", "exists, and no manifest"),
        (_MANIFEST, "no JSON", "exists but is not the manifest"),
        (_MANIFEST, "{}", "exists but is not the manifest"),
    ],
)
def test_files_that_are_in_the_way_are_refused(
    create, tmp_path, name, text, message
):
    path = tmp_path / "out" / name
    path.parent.mkdir()
    path.write_text(text)
    for overwrite in (False, True):
        with pytest.raises(ValueError, match=f"{path} {message}"):
            create(overwrite=overwrite)
    assert os.listdir(path.parent) == [name]
    assert path.read_text() == text


def test_only_records_of_a_smaller_run_are_replaced(create, tmp_path):
    create()
    with pytest.raises(ValueError, match="b.tfrecord exists, and no manifest"):
        create(names=["b.tfrecord"], overwrite=True)
    create(names=["a.tfrecord"], overwrite=True)
    names = ["a.tfrecord", _MANIFEST]
    assert sorted(os.listdir(tmp_path / "out")) == names
