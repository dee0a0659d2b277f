import pathlib
import re
import shutil

import pytest

from keras_bert import artifacts
from keras_bert.cli.inspection.reading import inspect_records
from keras_bert.text import Vocabulary

pytestmark = pytest.mark.large

_REPOSITORY = pathlib.Path(__file__).parents[2]
_SAMPLE = _REPOSITORY / "tfrecords" / "sample"
_VOCAB_FILE = _SAMPLE / "vocab.txt"


@pytest.fixture
def inspect(run):
    """Return a function that runs the program; returns exit code and output."""

    def inspect(*arguments, input_file=None, run=run, **environment):
        return run(
            "inspect_records",
            f"--input_file={input_file or _SAMPLE / 'sample.tfrecord'}",
            f"--vocab_file={_VOCAB_FILE}",
            *arguments,
            **environment,
        )

    return inspect


def test_examples_and_numbers_are_printed(inspect):
    code, stdout, stderr = inspect("--num_examples=2")
    assert code == 0, stderr
    assert stdout.startswith("Brackets mark the tokens")
    for mark in ("[MASK→word]", "[other*→word]", "[word=]"):
        assert mark in stdout
    titles = re.findall(r"^Record (\d+) of .*: 32 tokens", stdout, re.M)
    assert titles == ["0", "1"]
    vocabulary = Vocabulary.from_file(_VOCAB_FILE)
    statistics, _ = inspect_records(
        [str(_SAMPLE / "sample.tfrecord")], vocabulary
    )
    counts = statistics.counts
    assert f"Records     {counts['records']} in 1 file" in stdout
    percent = 100 * counts["predictions"] / counts["tokens"]
    assert f"\nTo predict  {percent:.1f} % " in stdout
    assert max(map(len, stdout.splitlines())) <= 120


@pytest.fixture
def recorded(tmp_path):
    """Return a function that writes records and their manifest."""
    path = tmp_path / "sample.tfrecord"
    shutil.copy(_SAMPLE / "sample.tfrecord", path)
    vocabulary = Vocabulary.from_file(_VOCAB_FILE)

    def record(**settings):
        settings = {"vocabulary": vocabulary.sha256, **settings}
        artifacts.write_manifest(
            tmp_path / "manifest-sample.tfrecord.json",
            {path.name: path},
            {"settings": settings},
        )
        return path

    return record


def test_records_of_another_vocabulary_are_refused(inspect, recorded):
    assert inspect(input_file=recorded())[0] == 0
    code, _, stderr = inspect(input_file=recorded(vocabulary="abcdef" * 8))
    assert code == 1
    assert re.search(
        r"vocab.txt. Received: .*manifest-sample.tfrecord.json says "
        r"vocabulary=abcdefabcdef",
        stderr,
    )
