"""The Python blocks of README and docs run; the record tables are correct."""

import contextlib
import io
import json
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

import keras_bert
from keras_bert import features
from tests import tiny

_ROOT = pathlib.Path(__file__).resolve().parents[1]
_RECORDS = (_ROOT / "tfrecords/README.md").read_text(encoding="utf-8")


def _python_blocks():
    """Return blocks and their outputs by page and number."""
    pages = [_ROOT / "README.md", *sorted((_ROOT / "docs").glob("*.md"))]
    blocks = r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?"
    return {
        f"{page.name}-{number}": block
        for page in pages
        for number, block in enumerate(
            re.findall(blocks, page.read_text("utf-8"), re.DOTALL)
        )
    }


_PRINTED = _python_blocks()
_BLOCKS = {name: code for name, (code, _) in _PRINTED.items()}
_TRAINING = "training.md-0"
# Files that blocks read and that a program on the page writes.
_DYNAMIC = ("dynamic.tfrecord", "eval.tfrecord")
# Files that users download.
_SQUAD = re.compile(r"(?:train|dev)-v[12]\.\d\.json")


@pytest.fixture
def place(monkeypatch, tmp_path, tiny_config, elmo_files):
    """Return a directory with the files that the examples read."""
    bert = tiny.pretrained(tiny_config)
    keras_bert.save_pretrained(bert, tmp_path / "bert-base-uncased")
    gpt = tiny.pretrained(tiny.config("openai-gpt", P=64))
    keras_bert.save_pretrained(gpt, tmp_path / "openai-gpt")
    for name in ("configs", "docs", "tfrecords"):
        (tmp_path / name).symlink_to(_ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _make_dynamic_records(path):
    keras_bert.pretraining.create_data(
        keras_bert.pretraining.open_sources(["tfrecords/sample/text.txt"]),
        [path],
        keras_bert.pretraining.TextOptions("tfrecords/sample/vocab.txt"),
        keras_bert.pretraining.DataOptions(masking="dynamic"),
    )


def _make_questions(path):
    """Write a SQuAD file; version 2.0 has an unanswerable question."""
    questions = {"1": ("word3", "word5"), "2": ("word4", "word1")}
    if "v2" in path:
        questions["3"] = ("word5", "")
    data = tiny.squad(("word1 word7 word5", questions))
    pathlib.Path(path).write_text(json.dumps(data))


def _run_block(name):
    """Run a block on its own and return its names."""
    scope = {}
    exec(_BLOCKS[name], scope)
    return scope


@pytest.mark.smoke("README", "embeddings.md-0", "tagging.md-0")
# The training with model.fit is tested below.
@pytest.mark.parametrize("name", [n for n in _BLOCKS if n != _TRAINING])
def test_every_block_runs_on_its_own(place, name):
    for path in _DYNAMIC:
        if path in _BLOCKS[name]:
            _make_dynamic_records(path)
    if 'from_pretrained("mood")' in _BLOCKS[name]:
        keras_bert.TextClassifier.from_pretrained(
            "bert-base-uncased", labels=["bad", "good"]
        ).save("mood")
    for path in {*_SQUAD.findall(_BLOCKS[name])}:
        _make_questions(path)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        _run_block(name)
    if shown := _PRINTED[name][1]:
        _compare(printed.getvalue(), shown)


def _compare(printed, shown):
    """Compare words exactly, numbers to 0.02: CPUs round differently."""
    number = r"\d+\.\d+"
    assert re.sub(number, "#", printed) == re.sub(number, "#", shown)
    found, expected = (
        [float(x) for x in re.findall(number, text)]
        for text in (printed, shown)
    )
    assert found == pytest.approx(expected, abs=0.02)


def test_library_example_trains(place):
    model = _run_block(_TRAINING)["model"]
    assert int(model.optimizer.iterations) == 2 * 20


def test_checkpoints_page_writes(place):
    _run_block("checkpoints.md-0")
    assert (place / "for-transformers" / "model.safetensors").exists()


def test_record_tables_are_the_schemas():
    rows = re.findall(r"^\| `(.*)$", _RECORDS, re.MULTILINE)
    expected = []
    schemas = features.PRETRAINING_FEATURES + features.DYNAMIC_FEATURES
    for feature in schemas:
        length = "1" if feature.length == "1" else f"`{feature.length}`"
        expected.append(
            f"{feature.name}` | {feature.dtype} | {length} | "
            f"{feature.meaning} |"
        )
    assert rows == expected


@pytest.mark.smoke("sample")
@pytest.mark.parametrize(
    ("number", "name"), [(1, "vocab.txt"), (0, "sample.tfrecord")]
)
def test_sample_is_what_its_command_makes(tmp_path, number, name):
    commands = re.findall(
        r"^    keras-bert (.*?[^\\])$", _RECORDS, re.MULTILINE | re.DOTALL
    )
    program, *words = shlex.split(commands[number].replace("\\\n", ""))
    made = tmp_path / name
    words = [
        f"--output_file={made}" if w.startswith("--output_file") else w
        for w in words
    ]
    command = [sys.executable, f"tools/{program}.py", *words]
    subprocess.run(command, cwd=_ROOT, check=True)
    sample = _ROOT / "tfrecords/sample" / name
    assert made.read_bytes() == sample.read_bytes()
