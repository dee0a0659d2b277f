"""Tasks trained with JAX, and on two devices."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from keras_bert import save_pretrained
from keras_bert.checkpoints import PretrainedModel
from keras_bert.models.families.openai_gpt.config import OpenAIGPTConfig
from keras_bert.tasks import load_task

pytestmark = pytest.mark.exhaustive

_ROOT = pathlib.Path(__file__).parents[2]
_TEXTS = ["the dog", "a cat", "the bird", "meat and fish", "a fish", "seeds"]
_WORDS = [["the", "dogs", "sees"], ["a", "cat", "eats", "the", "fish"]]
_TAGS = [["O", "B-A", "O"], ["O", "B-A", "O", "B-F", "I-F"]]
_QUESTIONS = [["the dog", ["sees", "eats"]], ["a cat", ["eats", "sees the"]]]
_LABELS = {"labels": ["x", "y"]}
_ENTITIES = {"labels": ["O", "B-A", "I-A", "B-F", "I-F"]}
# Task, arguments, examples and metric of the best epoch.
_CASES = {
    "bert": ("TextClassifier", _LABELS, _TEXTS, [0, 0, 0, 1, 1, 1], "accuracy"),
    "gpt": ("TextClassifier", _LABELS, _TEXTS, [0, 0, 0, 1, 1, 1], None),
    "tagger": ("TokenClassifier", _ENTITIES, _WORDS, _TAGS, "f1"),
    "chooser": ("MultipleChoice", {}, _QUESTIONS, [0, 1], "accuracy"),
}
_PROGRAM = """
import json, sys
import keras
from keras_bert import tasks

assert keras.backend.backend() == "jax"
keras.utils.set_random_seed(1)
source, target, case = sys.argv[1:]
kind, arguments, texts, labels, metric = json.loads(case)
task = getattr(tasks, kind).from_pretrained(source, **arguments)
history = task.fit(
    texts,
    labels,
    validation_data=(texts, labels),
    epochs=40,
    batch_size=3,
    learning_rate=3e-3,
    layer_decay=0.9,
    parallel_parts=2,
    verbose=0,
).history
task.save(target)
print(json.dumps({
    "logits": [x.tolist() for x in task.logits(task.labelled(texts, labels))],
    "loss": history["loss"],
    "scores": task.evaluate(texts, labels),
}))
"""


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
    return json.loads(result.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", _CASES)
def test_what_jax_has_learned_tensorflow_answers(name, make_bert, tmp_path):
    bert = make_bert(max_position_embeddings=32)
    if name == "gpt":
        config = OpenAIGPTConfig(bert.config.vocab_size, 32, 16, 2, 2)
        bert = PretrainedModel.from_config(config, bert.tokenizer_settings)
    save_pretrained(bert, tmp_path / "bert")
    found = _run(
        ["-c", _PROGRAM],
        str(tmp_path / "bert"),
        str(tmp_path / "tuned"),
        json.dumps(_CASES[name]),
        KERAS_BACKEND="jax",
        JAX_PLATFORMS="cpu",
    )
    _, _, texts, labels, metric = _CASES[name]
    # Most of GPT's loss comes from language modeling.
    assert found["loss"][-1] < found["loss"][0] * (0.5 if metric else 1)
    assert metric is None or found["scores"][metric] == 1.0
    task = load_task(tmp_path / "tuned")
    logits = task.logits(task.labelled(texts, labels))
    for one, other in zip(logits, found["logits"], strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_two_devices_learn_what_one_does():
    found = _run([str(pathlib.Path(__file__).parent / "two_devices.py")])
    assert found["replicas"] == 2
    # Adam amplifies the last digits of small gradients.
    assert found["weights"] < 2e-4
    assert found["moved"] > 5e-3
    assert found["probabilities"] < 1e-5
    one, two = found["accuracies"]
    assert one == two > 0.8
