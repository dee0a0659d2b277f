"""Programs in the process of the tests, and the files that they read."""

import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import warnings

import keras
import pytest
from absl import logging

from keras_bert import pretraining
from keras_bert import save_pretrained
from keras_bert.cli import console
from keras_bert.tasks import TextClassifier
from tests import tiny

_ROOT = pathlib.Path(__file__).parents[2]
_WORDS = "the a dog cat bird sees likes finds red old new house".split()
_ROWS = [f"the {x}\ta {x} sees\t{len(x) % 2}\n" for x in _WORDS]
_TABLE = "sentence\tpair\tlabel\n" + "".join(_ROWS)
_UNLABELLED = [f"{n}\tthe {x}\n" for n, x in enumerate(_WORDS)]
_TAGGED = "the O\ndog I-X\n\na O\ncat I-X\n"
_CHOICES = (
    "sent1,sent2,ending0,ending1,label\n"
    "the dog,it,sees,finds,0\n"
    "a cat,it,likes,sees,1\n"
)
_QUESTIONS = {"0": ("who sees", "dog"), "1": ("who finds", "cat")}
_SQUAD = tiny.squad(
    ("the dog sees red. the cat finds a bird.", {**_QUESTIONS, "2": ("", "")})
)
_POINT = '{"step": 1, "split": "train", "mlm_loss": 2.0}\n'
_DOCUMENTS = [
    "\n".join(f"The {x} {y} sees a {x}." for y in _WORDS[2:6]) for x in _WORDS
]
_TEXTS = {
    "text.txt": "\n\n".join(_DOCUMENTS),
    "masked.txt": "The [MASK] sees a dog.\n",
    **dict.fromkeys(("train.tsv", "dev.tsv"), _TABLE),
    **dict.fromkeys(("glue/train.tsv", "glue/dev.tsv"), _TABLE),
    "glue/test.tsv": "index\tsentence\n" + "".join(_UNLABELLED),
    **dict.fromkeys(("train.conll", "dev.conll"), _TAGGED),
    "test.conll": _TAGGED.replace("dog I-X", "dog I-Y"),
    **dict.fromkeys(("train.csv", "dev.csv"), _CHOICES),
    "squad.json": json.dumps(_SQUAD),
    "run/metrics.jsonl": _POINT,
}


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Return a folder with models and an input of every kind."""
    files = tmp_path_factory.mktemp("files")
    for name, text in _TEXTS.items():
        (files / name).parent.mkdir(exist_ok=True)
        (files / name).write_text(text)
    bert = tiny.make_bert(
        [*_WORDS, "."], num_hidden_layers=2, max_position_embeddings=16
    )
    bert.tokenizer.vocabulary.save(files / "vocab.txt")
    bert.config.to_json(files / "config.json")
    save_pretrained(bert, files / "bert")
    classifier = TextClassifier(bert, labels=["0", "1"])
    classifier.save(files / "classifier")
    if importlib.util.find_spec("apache_beam") is not None:
        classifier.export_saved_model(files / "served")
    pretraining.create_data(
        pretraining.open_sources([str(files / "text.txt")]),
        [str(files / "train.tfrecord")],
        pretraining.TextOptions(str(files / "vocab.txt")),
        pretraining.DataOptions(max_seq_length=16, max_predictions_per_seq=3),
    )
    return files


@pytest.fixture(scope="session")
def run():
    """Return a function that runs a program; returns exit code and output."""

    def run(tool, *arguments, folder=_ROOT):
        log = logging.get_absl_handler()
        logging.use_absl_handler()
        stdout, stderr = io.StringIO(), io.StringIO()
        with (
            pytest.MonkeyPatch.context() as patch,
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(stderr),
            warnings.catch_warnings(action="ignore"),
        ):
            patch.setattr(log.python_handler, "stream", stderr)
            patch.setattr(sys, "argv", [tool, *map(str, arguments)])
            patch.chdir(folder)
            code = _exit_code(tool)
        logging.set_verbosity(logging.WARNING)
        logging.get_absl_logger().root.removeHandler(log)
        keras.config.set_dtype_policy("float32")
        return code, stdout.getvalue(), stderr.getvalue()

    return run


def _exit_code(tool):
    try:
        console.run(tool)
    except SystemExit as error:
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
            return 1
        return error.code or 0
    return 0


@pytest.fixture(scope="session")
def run_alone():
    """Return a function like `run` that starts a new process."""

    def run_alone(tool, *arguments, folder=_ROOT):
        result = subprocess.run(
            [sys.executable, _ROOT / "tools" / f"{tool}.py", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        return result.returncode, result.stdout, result.stderr

    return run_alone
