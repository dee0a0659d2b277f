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

pytestmark = pytest.mark.environments

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
_WITHOUT_TENSORFLOW = """
import importlib.util
assert importlib.util.find_spec("tensorflow") is None
import keras_bert
classifier = keras_bert.TextClassifier.from_pretrained("classifier")
assert classifier.evaluate(["a", "b"], [0, 1])["accuracy"] <= 1
try:
    classifier.export_saved_model("served")
except ModuleNotFoundError as error:
    assert "pip install 'keras-bert-tf[tensorflow]'" in str(error)
else:
    raise SystemExit("a SavedModel was exported without TensorFlow")
"""
_PAGE = """
import keras_bert.playground.page
from keras_bert.playground import server
server.check_installed()
"""
_DATA_SET = "import keras_bert.files.tfds_builder as a; a.import_tfds()"
_SPARSE = """
import keras_bert
embedder = keras_bert.SparseEmbedder.from_pretrained(keras_bert.TINY_MODEL)
assert embedder.embed(["a"]).nnz
"""
_SERVER = """
import uvicorn
from keras_bert.serve import make_app
assert make_app().state.server.models
"""


def _program(command):
    return ["-m", "keras_bert.cli.console", *command.split()]


# Programs to run for each extra, after `_MODEL`.
_RUNS = {
    "tensorflow": _program(
        "export_saved_model --input_dir=classifier --output_dir=served"
    ),
    "jax": ["-c", _WITHOUT_TENSORFLOW],
    "torch": ["-c", _WITHOUT_TENSORFLOW],
    "vocabulary": _program(
        "learn_vocabulary --input_file=sample/text.txt --vocab_size=60 "
        "--output_dir=learned --kind=sentencepiece"
    ),
    "tflite": _program(
        "export_tflite --input_dir=classifier --output_file=phone.tflite"
    ),
    "onnx": _program("export_onnx --input_dir=classifier --output_dir=onnx"),
    "openvino": _program(
        "export_onnx --input_dir=classifier --output_dir=a --format=openvino"
    ),
    "tfds": ["-c", _DATA_SET],
    "tensorflow,sparse": ["-c", _SPARSE],
    "beam": _program(
        "create_pretraining_data_beam --input_file=sample/text.txt "
        "--vocab_file=sample/vocab.txt --output_dir=records"
    ),
    "playground": ["-c", _PAGE],
    "tensorflow,serve": ["-c", _SERVER],
}


def _lowest_versions():
    """Return the lower bounds of the requirements as lines for pip."""
    setup = configparser.ConfigParser()
    setup.read(_ROOT / "setup.cfg")
    requires = setup["options"]["install_requires"]
    requires += setup["options.extras_require"]["tensorflow"]
    found = re.findall(r"^([\w-]+)>=([\d.]+),", requires, re.M)
    return [f"{name}=={version}" for name, version in found]


@pytest.mark.parametrize("extra", _RUNS)
def test_an_extra_is_enough(extra, tmp_path):
    backend = extra if extra in ("jax", "torch") else "tensorflow"
    package = [f"{_ROOT}[{extra}]"]
    if extra == "torch":  # Other versions may install gigabytes of CUDA.
        package.append("torch==2.13.0")
    _run_alone(tmp_path, package, _RUNS[extra], backend)


def test_the_lowest_versions_are_enough(tmp_path):
    lowest = _lowest_versions()
    assert len(lowest) == 9
    package = [f"{_ROOT}[tensorflow]", *lowest]
    _run_alone(tmp_path, package, _RUNS["tensorflow"])


def _run_alone(tmp_path, packages, program, backend="tensorflow"):
    """Run the model and a program in a new environment."""
    shutil.copytree(_ROOT / "tfrecords/sample", tmp_path / "sample")
    environment = {**os.environ, "KERAS_BACKEND": backend}
    environment.pop("PYTHONPATH", None)
    python = tmp_path / "venv/bin/python"
    for command in (
        [sys.executable, "-m", "venv", "venv"],
        [python, "-m", "pip", "install", "--quiet", "--editable", *packages],
        [python, "-m", "pip", "check"],
        [python, "-c", _MODEL],
        [python, *program],
    ):
        result = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stdout + result.stderr
    shutil.rmtree(tmp_path / "venv")  # The package has more than a gigabyte.
