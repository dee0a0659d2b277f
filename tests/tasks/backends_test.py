"""Tasks on JAX and PyTorch without TensorFlow, and on two devices."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from keras_bert import save_pretrained
from keras_bert import tasks
from keras_bert.checkpoints import PretrainedModel
from tests import tiny
from tests.tasks import on_backend

_ROOT = pathlib.Path(__file__).parents[2]
_TEXTS = ["the dog", "a cat", "the bird", "meat and fish", "a fish", "seeds"]
_LONG = ["the dog eats meat and seeds " * 3, "a cat"]
_PAIRS = [[text, "a bird"] for text in _TEXTS]
_MATCHES = [["the dog", "meat"], ["a cat", "fish"], ["a bird", "seeds"]]
_WORDS = [["the", "dogs", "sees"], ["a", "cat", "eats", "the", "fish"]]
_TAGS = [["O", "B-A", "O"], ["O", "B-A", "O", "B-F", "I-F"]]
_CHOICES = [["the dog", ["sees", "eats"]], ["a cat", ["eats", "sees the"]]]
_SQUAD = tiny.squad(
    ("the dog eats meat", {"1": ("eats", "meat")}),
    (f"the cat sees fish. {_LONG[0]}", {"2": ("sees", "fish")}),
)
_ASKED = [["eats", "the dog eats meat"], ["sees", _LONG[0]]]
_POOLINGS = ["cls", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]
_LABELS, _NUMBERS = {"labels": ["x", "y"]}, [0, 0, 0, 1, 1, 1]
_ENTITIES = {"labels": ["O", "B-A", "I-A", "B-F", "I-F"]}
_LSTM = {"lstm_size": 4, "dropout": 0.0}
_CLOSE = {"rtol": 1e-5, "atol": 1e-5}
# Adam amplifies the last digits of small gradients.
_LEARNED = {"rtol": 1e-3, "atol": 1e-3}
_PROGRAM = """
import sys
sys.modules["tensorflow"] = sys.modules["tensorflow_text"] = None
from tests.tasks import on_backend
on_backend.main(sys.argv[1])
"""
# Class, options, texts to predict, and arguments of `fit`.
_CASES = {
    "classifier": ("TextClassifier", _LABELS, _TEXTS, [_TEXTS, _NUMBERS]),
    "embedder": (
        "TextEmbedder",
        {"pooling": _POOLINGS, "truncate_dim": 65},
        _TEXTS,
        [_MATCHES],
    ),
    "masks": ("FillMask", {}, ["the [MASK]", "a [MASK] sees a [MASK]."], []),
    "windows": (
        "TextClassifier",
        {**_LABELS, "windows": "mean"},
        _LONG,
        [_LONG, [0, 1]],
    ),
    "regressor": ("TextRegressor", {}, _PAIRS, [_PAIRS, [1, 2, 3, 4, 5, 6]]),
    "ranker": ("PairRanker", {}, _PAIRS, [_PAIRS, _NUMBERS]),
    "gpt": ("TextClassifier", _LABELS, _TEXTS, [_TEXTS, _NUMBERS]),
    "tagger": ("TokenClassifier", _ENTITIES, _TEXTS, [_WORDS, _TAGS]),
    "answerer": ("QuestionAnswerer", {"doc_stride": 3}, _ASKED, [_SQUAD]),
    "chooser": ("MultipleChoice", {}, _CHOICES, [_CHOICES, [0, 1]]),
    "features": (
        "FeatureTextClassifier",
        {**_LABELS, **_LSTM},
        _TEXTS,
        [_TEXTS, _NUMBERS],
    ),
}
# A program runs several cases, because importing a backend takes seconds.
_GROUPS = [
    "masks",
    "classifier embedder",
    "windows regressor ranker",
    "tagger answerer",
    "chooser features gpt",
]


def _run(program, *arguments, **environment):
    result = subprocess.run(
        [sys.executable, *program, *arguments],
        cwd=_ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(_ROOT),
            "TF_CPP_MIN_LOG_LEVEL": "3",
            **environment,
        },
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def _encoder(name):
    bert = tiny.make_bert(
        max_position_embeddings=20,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    if name != "gpt":
        return bert
    config = tiny.config("openai-gpt", V=bert.config.vocab_size)
    return PretrainedModel.from_config(config, bert.tokenizer_settings)


@pytest.mark.smoke("masks-jax")
@pytest.mark.parametrize(
    "backend",
    # Torch is only installed for the parity tests.
    ["jax", pytest.param("torch", marks=pytest.mark.parity)],
)
@pytest.mark.parametrize("names", _GROUPS)
def test_a_backend_without_tensorflow_learns_the_same(backend, names, tmp_path):
    cases = {}
    for name in names.split():
        kind, options, texts, examples = _CASES[name]
        cases[name] = {"kind": kind, "texts": texts, "examples": examples}
        task = getattr(tasks, kind)(_encoder(name), **options)
        if kind == "FillMask":
            save_pretrained(task.pretrained, tmp_path / name)
        else:
            task.save(tmp_path / name)
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    _run(
        ["-c", _PROGRAM],
        str(tmp_path),
        KERAS_BACKEND=backend,
        JAX_PLATFORMS="cpu",
        # Compiling takes most of the time.
        XLA_FLAGS="--xla_backend_optimization_level=0",
    )
    found = json.loads((tmp_path / "found.json").read_text())
    for name, case in cases.items():
        if case["examples"]:
            directory = on_backend.learned(tmp_path / name)
            task = getattr(tasks, case["kind"]).from_pretrained(directory)
            read = on_backend.outputs(task, case["texts"])
            np.testing.assert_allclose(read, found[name]["learned"], **_CLOSE)
        if name == "gpt":  # Its head has dropout.
            continue
        expected = on_backend.results(tmp_path / name, case)
        assert {*found[name]} == {*expected}
        for key, values in expected.items():
            close = _LEARNED if key == "learned" else _CLOSE
            message = f"{name}, {key}"
            np.testing.assert_allclose(
                found[name][key], values, **close, err_msg=message
            )


@pytest.mark.exhaustive
def test_two_devices_learn_what_one_does():
    found = _run([str(pathlib.Path(__file__).parent / "two_devices.py")])
    found = json.loads(found.splitlines()[-1])
    assert found["replicas"] == 2
    # Adam amplifies the last digits of small gradients.
    assert found["weights"] < 2e-4
    assert found["moved"] > 5e-3
    assert found["probabilities"] < 1e-5
    one, two = found["accuracies"]
    assert one == two > 0.8
