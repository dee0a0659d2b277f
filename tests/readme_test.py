"""What the README and the record schema show is run and held to the code."""

import pathlib
import re
import shlex
import subprocess
import sys

import pytest

import keras_bert
from keras_bert import features
from keras_bert.text.vocabulary import SPECIAL_TOKENS

_ROOT = pathlib.Path(__file__).resolve().parents[1]
_README = (_ROOT / "README.md").read_text(encoding="utf-8")
_RECORDS = (_ROOT / "tfrecords/README.md").read_text(encoding="utf-8")


def _python_blocks():
    return re.findall(r"```python\n(.*?)```", _README, re.DOTALL)


def test_library_example_trains(monkeypatch):
    monkeypatch.chdir(_ROOT)
    scope = {}
    exec(_python_blocks()[0], scope)
    assert int(scope["model"].optimizer.iterations) == 3 * 20


def test_layer_example_builds():
    scope = {}
    exec(_python_blocks()[1], scope)
    assert scope["model"].output_shape == (None, None, 3)


def test_commands_name_programs_and_flags_that_exist():
    commands = re.findall(
        r"^    (python tools/.*?[^\\])$", _README, re.MULTILINE | re.DOTALL
    )
    assert len(commands) == 7
    for command in commands:
        program, *flags = shlex.split(command.replace("\\\n", ""))[1:]
        source = (_ROOT / program).read_text(encoding="utf-8")
        for flag in flags:
            name, value = re.match(r"--(\w+)=(.*)", flag).groups()
            if name == "flagfile":
                assert (_ROOT / value).is_file()
            else:
                assert f'"{name}"' in source, f"{program} has no --{name}"


def test_published_weights_example_runs(monkeypatch, tmp_path, tiny_config):
    words = [f"word{index}" for index in range(25)]
    bert = keras_bert.checkpoints.Bert.from_config(
        tiny_config,
        keras_bert.text.BertTokenizer(
            keras_bert.text.Vocabulary([*SPECIAL_TOKENS, *words])
        ),
    )
    keras_bert.save_pretrained(bert, tmp_path / "bert-base-uncased")
    monkeypatch.chdir(tmp_path)
    for number in (4, 5):
        scope = {}
        exec(_python_blocks()[number], scope)
    assert (tmp_path / "for-transformers" / "model.safetensors").exists()
    assert len(scope["fill_mask"]("[MASK]")[0]) == 5


def test_record_tables_are_the_schemas():
    rows = re.findall(r"^\| `(.*)$", _RECORDS, re.MULTILINE)
    expected = []
    schemas = features.PRETRAINING_FEATURES + features.UNMASKED_FEATURES
    for feature in schemas:
        length = "1" if feature.length == "1" else f"`{feature.length}`"
        expected.append(
            f"{feature.name}` | {feature.dtype} | {length} | "
            f"{feature.meaning} |"
        )
    assert rows == expected


@pytest.mark.parametrize(
    ("number", "name"), [(1, "vocab.txt"), (0, "sample.tfrecord")]
)
def test_sample_is_what_its_command_makes(tmp_path, number, name):
    commands = re.findall(
        r"^    (python tools/.*?[^\\])$", _RECORDS, re.MULTILINE | re.DOTALL
    )
    words = shlex.split(commands[number].replace("\\\n", ""))[1:]
    made = tmp_path / name
    words = [
        f"--output_file={made}" if w.startswith("--output_file") else w
        for w in words
    ]
    subprocess.run([sys.executable, *words], cwd=_ROOT, check=True)
    sample = _ROOT / "tfrecords/sample" / name
    assert made.read_bytes() == sample.read_bytes()
