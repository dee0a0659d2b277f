"""Each feature runs in a new environment with only the extra it needs.

Each case installs from the package index; run `make test-environments`.
"""

import configparser
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

_ROOT = pathlib.Path(__file__).parents[1]
_MODEL = """
import keras_bert
bert = keras_bert.checkpoints.PretrainedModel.from_config(
    keras_bert.BertConfig(
        vocab_size=len(open("sample/vocab.txt", "rb").read().splitlines()),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
    ),
    keras_bert.text.BertTokenizer("sample/vocab.txt"),
)
classifier = keras_bert.TextClassifier(bert, labels=["no", "yes"])
classifier.fit(["a", "b"], [0, 1], epochs=1, verbose=0)
assert classifier.predict(["a"])[0]["label"] in ("no", "yes")
classifier.save("classifier")
"""
_SCORES = """
from keras_bert import tasks
from keras_bert.tasks import scores
assert scores.spearman([1, 2, 3], [1.0, 2.0, 4.0]) == 1
assert tasks.entity_scores([["B-X"]], [["B-X"]])["f1"] == 1
"""
_WITHOUT_TENSORFLOW = f"""
import contextlib, importlib.util, io, pathlib, re
assert importlib.util.find_spec("tensorflow") is None
import keras_bert
page = pathlib.Path("{_ROOT}/README.md").read_text(encoding="utf-8")
program, output = re.search(
    r"```python\\n(.*?)```\\s*```text\\n(.*?)```", page, re.DOTALL
).groups()
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    exec(program)
assert printed.getvalue() == output, printed.getvalue()
classifier = keras_bert.TextClassifier.from_pretrained("classifier")
assert classifier.evaluate(["a", "b"], [0, 1])["accuracy"] <= 1
try:
    classifier.export_saved_model("served")
except ModuleNotFoundError as error:
    assert "pip install 'keras-bert-tf[tensorflow]'" in str(error)
else:
    raise SystemExit("a SavedModel was exported without TensorFlow")
"""
_LIST = ["-m", "pip", "list"]
_HUB = """
import keras_bert
try:
    keras_bert.from_pretrained("nobody/nothing")
except ValueError as error:
    assert "pip install" not in str(error), error
    assert "nobody/nothing" in str(error), error
else:
    raise SystemExit("a model that is not there was loaded")
"""
_PAGE = f"""
import signal, subprocess, sys, urllib.request
command = ["{_ROOT}/tools/playground.py", "--model_dir=classifier"]
command.append("--nobrowser")
with subprocess.Popen(
    [sys.executable, *command], stdout=subprocess.PIPE, text=True
) as process:
    address = process.stdout.readline().split()[4].rstrip(";")
    with urllib.request.urlopen(address) as page:
        assert b"<html" in page.read()
    process.send_signal(signal.SIGINT)
assert process.returncode == 130
"""
_OPENVINO = """
import nncf
import keras_bert
task = keras_bert.TextClassifier.from_pretrained("classifier")
keras_bert.export.export_openvino(task, "openvino", precision="float16")
"""
_DATA_SET = """
from keras_bert.tasks import read_tfds
try:
    read_tfds("no_such_data_set", "train")
except ValueError as error:
    assert "'no_such_data_set' must be" in str(error), error
else:
    raise SystemExit("a missing dataset was read")
"""


# A user's script and what each type checker reports about it.
_TYPED = """\
import typing
import keras_bert
classifier = keras_bert.TextClassifier.from_pretrained(
    "directory", labels=["no", "yes"], lowercase=True
)
classifier.fit(["a", "b"], ["no", "yes"], epochs=3, learning_rate=1e-5)
typing.reveal_type(classifier)
typing.reveal_type(classifier.predict(["a"]))
typing.reveal_type(classifier.probabilities(["a"]))
typing.reveal_type(classifier.evaluate(["a"], ["no"]))
classifier.fit(["a"], ["no"], epoch=3)
classifier.fit(["a"], ["no"], epochs="3")
keras_bert.TextClassifier.from_pretrained("directory", label=["no"])
"""
_REPORTED = {
    7: "TextClassifier",
    8: "list",
    9: "ndarray",
    10: "dict",
    11: "epoch",
    12: "incompatible|not assignable|cannot be assigned",
    13: "label",
}


def _tool(name, **flags):
    flags = [f"--{flag}={value}" for flag, value in flags.items()]
    return [str(_ROOT / "tools" / f"{name}.py"), *flags]


# Programs or flags to run for each extra, after `_MODEL`.
_RUNS = {
    "tensorflow": [["-c", _HUB], ["-c", _SCORES]],
    "jax": [["-c", _SCORES], ["-c", _WITHOUT_TENSORFLOW], _LIST],
    "torch": [["-c", _SCORES], ["-c", _WITHOUT_TENSORFLOW], _LIST],
    "vocabulary": [
        _tool("learn_vocabulary", input_file="sample/text.txt", **flags)
        for flags in (
            {"vocab_size": 200, "output_file": "learned.txt"},
            {"vocab_size": 60, "output_dir": "a", "kind": "sentencepiece"},
            {"vocab_size": 300, "output_dir": "b", "kind": "byte_bpe"},
        )
    ],
    "tflite": [
        _tool(
            "export_tflite", input_dir="classifier", output_file="phone.tflite"
        )
    ],
    "onnx": [_tool("export_onnx", input_dir="classifier", output_dir="onnx")],
    "openvino": [
        ["-c", _OPENVINO],
        _tool(
            "export_onnx",
            format="openvino",
            input_dir="classifier",
            output_dir="openvino_program",
        ),
    ],
    "tfds": [["-c", _DATA_SET]],
    "beam": [
        _tool(
            "create_pretraining_data_beam",
            input_file="sample/text.txt",
            vocab_file="sample/vocab.txt",
            output_dir="records",
        )
    ],
    "playground": [["-c", _PAGE]],
}
# Targets of the Makefile install these; `make test-all` runs each of them in
# its own environment.
_OF_TARGETS = {
    "demo": "demo",
    "test": "test",
    "docs": "docs",
    "parity": "test-parity",
    "loaders": "test-loaders",
    "browser": "test-playground",
}
# These need no extra, or a case below tests them.
_NO_TARGETS_OF_OWN = {
    "clean",
    "format",
    "help",
    "lint",
    "playground",
    "test-all",
    "test-fast",
    "test-lowest",
}


def _makefile():
    return (_ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_extra_is_tried():
    setup = configparser.ConfigParser()
    setup.read(_ROOT / "setup.cfg")
    extras = {*setup["options.extras_require"]}
    assert extras == {*_RUNS, *_OF_TARGETS}
    for target in _OF_TARGETS.values():
        assert f"\n{target}:" in _makefile()


def test_every_target_is_tried():
    targets = {*re.findall(r"^([a-z][a-z-]*):", _makefile(), re.MULTILINE)}
    (tried,) = re.findall(r"^ALL = ((?:.*\\\n)*.*)$", _makefile(), re.MULTILINE)
    tried = re.findall(r"[a-z][a-z-]+", tried)
    assert targets <= {*tried, *_NO_TARGETS_OF_OWN}


def _lowest_versions():
    """Return the lower bounds of the requirements as lines for pip."""
    setup = configparser.ConfigParser()
    setup.read(_ROOT / "setup.cfg")
    requires = setup["options"]["install_requires"]
    requires += setup["options.extras_require"]["tensorflow"]
    found = re.findall(r"^([\w-]+)>=([\d.]+),", requires, re.M)
    return [f"{name}=={version}" for name, version in found]


@pytest.mark.environments
@pytest.mark.parametrize("extra", _RUNS)
def test_an_extra_is_enough(extra, tmp_path):
    backend = extra if extra in ("jax", "torch") else "tensorflow"
    package = ["--editable", f"{_ROOT}[{extra}]"]
    if extra == "torch":  # Other versions may install gigabytes of CUDA.
        package.append("torch==2.13.0")
    _run_alone(tmp_path, package, _RUNS[extra], backend)


@pytest.mark.environments
def test_the_lowest_versions_are_enough(tmp_path):
    lowest = _lowest_versions()
    assert len(lowest) == 9
    package = ["--editable", f"{_ROOT}[tensorflow]", *lowest]
    _run_alone(tmp_path, package, _RUNS["tensorflow"])


@pytest.mark.environments
def test_type_checkers_find_the_package(tmp_path):
    page = (_ROOT / "README.md").read_text(encoding="utf-8")
    (package,) = re.findall(r"^    pip install -e '\.(.*)'$", page, re.M)
    python = tmp_path / "venv/bin/python"
    (tmp_path / "user.py").write_text(_TYPED)

    def run(*command):
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True
        )

    run(sys.executable, "-m", "venv", "venv").check_returncode()
    install = [python, "-m", "pip", "install", "--quiet"]
    run(*install, "-e", f"{_ROOT}{package}").check_returncode()
    run(*install, "mypy", "pyright").check_returncode()
    for checker in (["mypy"], ["pyright", "--pythonpath", python]):
        result = run(python, "-m", *checker, "user.py")
        print(result.stdout, result.stderr)
        assert result.returncode == 1, result.stderr
        found = re.findall(
            r"user\.py:(\d+):.*?(?:error|note|information): (.*)", result.stdout
        )
        reported = {int(line): text for line, text in reversed(found)}
        assert {*reported} == {*_REPORTED}
        for line, words in _REPORTED.items():
            assert re.search(words, reported[line]), reported[line]
            assert not re.search(r'"(Any|Unknown)"', reported[line])
    shutil.rmtree(tmp_path / "venv")


def _run_alone(tmp_path, packages, programs, backend="tensorflow"):
    """Run the model and more programs in a new environment."""
    shutil.copytree(_ROOT / "tfrecords/sample", tmp_path / "sample")
    python = tmp_path / "venv/bin/python"

    def run(*command):
        result = subprocess.run(
            command,
            cwd=tmp_path,
            env={
                **{k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
                "TF_CPP_MIN_LOG_LEVEL": "3",
                "HF_HUB_OFFLINE": "1",
                "KERAS_BACKEND": backend,
            },
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stdout + result.stderr
        print(result.stdout)

    run(sys.executable, "-m", "venv", "venv")
    run(python, "-m", "pip", "install", "--quiet", *packages)
    run(python, "-m", "pip", "check")
    for program in (["-c", _MODEL], *programs):
        run(python, *program)
    shutil.rmtree(tmp_path / "venv")  # The package has more than a gigabyte.
