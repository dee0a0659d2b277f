"""What the README and the record schema show is run and held to the code."""

import os
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


_BLOCKS = _python_blocks()


@pytest.fixture
def place(monkeypatch, tmp_path, tiny_config):
    """A directory with what the examples read."""
    words = [f"word{index}" for index in range(25)]
    bert = keras_bert.checkpoints.Bert.from_config(
        tiny_config,
        keras_bert.text.BertTokenizer(
            keras_bert.text.Vocabulary([*SPECIAL_TOKENS, *words])
        ),
    )
    for name in ("bert-base-uncased", "demo-output/bert"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        keras_bert.save_pretrained(bert, tmp_path / name)
    (tmp_path / "tfrecords").symlink_to(_ROOT / "tfrecords")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run_block(beginning):
    """The names of the block that holds a text, run on its own."""
    (block,) = [block for block in _BLOCKS if beginning in block]
    scope = {}
    exec(block, scope)
    return scope


# The first has a test below.
@pytest.mark.parametrize("number", range(1, len(_BLOCKS)))
def test_every_block_runs_on_its_own(place, number):
    exec(_BLOCKS[number], {})


def test_library_example_trains_and_reloads(place):
    model = _run_block("model.fit")["model"]
    assert int(model.optimizer.iterations) == 3 * 20
    assert 'model.save("bert.keras")' in _README
    model.save("bert.keras")
    # README: after `import keras_bert`, nothing else of ours.
    program = (
        "import keras, keras_bert\n"
        'model = keras.models.load_model("bert.keras")\n'
        "print(model.count_params(), int(model.optimizer.iterations))\n"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
    )
    assert loaded.stdout == f"{model.count_params()} 60\n", loaded.stderr


def test_layer_example_builds():
    model = _run_block("TransformerEncoderBlock")["model"]
    assert model.output_shape == (None, None, 3)


def test_trained_model_answers(place):
    fill_mask = _run_block("The function returns")["fill_mask"]
    assert len(fill_mask("[MASK]")[0]) == 5


def test_published_weights_example_writes(place):
    _run_block("save_pretrained")
    assert (place / "for-transformers" / "model.safetensors").exists()


def test_commands_name_programs_and_flags_that_exist():
    commands = re.findall(
        r"^    (python tools/.*?[^\\])$", _README, re.MULTILINE | re.DOTALL
    )
    assert len(commands) == 7
    for command in commands:
        program, *flags = shlex.split(command.replace("\\\n", ""))[1:]
        manual = subprocess.run(
            [sys.executable, _ROOT / program, "--help"],
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
            capture_output=True,
            text=True,
        ).stdout
        for flag in flags:
            name, value = re.match(r"--(\w+)=(.*)", flag).groups()
            if name == "flagfile":
                assert (_ROOT / value).is_file()
            else:
                assert f"  --{name}" in manual, f"{program} has no --{name}"


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
