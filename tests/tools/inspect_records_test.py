import pathlib
import re

from keras_bert.cli.inspection.reading import inspect_records
from keras_bert.text import Vocabulary

_SAMPLE = pathlib.Path(__file__).parents[2] / "tfrecords" / "sample"


def _inspect(run, records, vocab_file, *flags):
    files = (f"--input_file={records}", f"--vocab_file={vocab_file}")
    return run("inspect_records", *files, *flags)


def test_examples_and_numbers_are_printed(run):
    files = _SAMPLE / "sample.tfrecord", _SAMPLE / "vocab.txt"
    code, stdout, stderr = _inspect(run, *files, "--num_examples=2")
    assert code == 0, stderr
    assert stdout.startswith("Brackets mark the tokens")
    for mark in ("[MASK→word]", "[other*→word]", "[word=]"):
        assert mark in stdout
    titles = re.findall(r"^Record (\d+) of .*: 32 tokens", stdout, re.M)
    assert titles == ["0", "1"]
    vocabulary = Vocabulary.from_file(files[1])
    counts = inspect_records([str(files[0])], vocabulary)[0].counts
    assert f"Records     {counts['records']} in 1 file" in stdout
    percent = 100 * counts["predictions"] / counts["tokens"]
    assert f"\nTo predict  {percent:.1f} % " in stdout


def test_records_of_another_vocabulary_are_refused(run, files):
    records = files / "train.tfrecord"
    assert _inspect(run, records, files / "vocab.txt")[0] == 0
    code, _, stderr = _inspect(run, records, _SAMPLE / "vocab.txt")
    assert code == 1
    message = "vocab.txt. Received: .*manifest-train.tfrecord.json says vocabu"
    assert re.search(message, stderr)
