"""A classifier trained on JAX, and by two devices at once."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from keras_bert.tasks import load_task

pytestmark = pytest.mark.exhaustive

_ROOT = pathlib.Path(__file__).parents[2]

_JAX = """
import json
import sys

import keras
import numpy as np

from keras_bert.tasks import TextClassifier

assert keras.backend.backend() == "jax"
keras.utils.set_random_seed(1)
texts = ["the dog", "a cat", "the bird", "meat and fish", "a fish", "seeds"]
labels = [0, 0, 0, 1, 1, 1]
classifier = TextClassifier.from_pretrained(sys.argv[1], labels=["x", "y"])
before = classifier.model.get_weights()
history = classifier.fit(
    texts,
    labels,
    validation_data=(texts, labels),
    epochs=20,
    batch_size=3,
    learning_rate=3e-3,
    layer_decay=0.9,
    parallel_parts=2,
    verbose=0,
).history
classifier.save(sys.argv[2])
again = TextClassifier.from_pretrained(sys.argv[2])
np.testing.assert_allclose(
    again.probabilities(texts), classifier.probabilities(texts), atol=1e-6
)
print(json.dumps({
    "texts": texts,
    "probabilities": classifier.probabilities(texts).tolist(),
    "answers": [answer["label"] for answer in classifier.predict(texts)],
    "loss": history["loss"],
    "best": max(history["val_accuracy"]),
    "scores": classifier.evaluate(texts, labels),
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


@pytest.mark.parametrize("family", ["bert", "gpt"])
def test_what_jax_has_learned_tensorflow_answers(family, bert, tmp_path):
    from keras_bert import save_pretrained
    from keras_bert.checkpoints import PretrainedModel
    from keras_bert.models.openai_gpt_config import OpenAIGPTConfig

    if family == "gpt":
        config = OpenAIGPTConfig(bert.config.vocab_size, 32, 16, 2, 2)
        settings = bert.tokenizer_settings
        bert = PretrainedModel.from_config(config, settings)
    save_pretrained(bert, tmp_path / "bert")
    found = _run(
        ["-c", _JAX],
        str(tmp_path / "bert"),
        str(tmp_path / "tuned"),
        KERAS_BACKEND="jax",
        JAX_PLATFORMS="cpu",
    )
    # A language model of the texts is most of the other's loss.
    if family == "bert":
        assert found["answers"] == ["x"] * 3 + ["y"] * 3
        assert found["loss"][-1] < 0.5 * found["loss"][0]
        assert found["best"] == 1.0
    assert found["loss"][-1] < found["loss"][0]
    assert found["scores"]["accuracy"] == found["best"]
    classifier = load_task(tmp_path / "tuned")
    np.testing.assert_allclose(
        classifier.probabilities(found["texts"]),
        found["probabilities"],
        atol=1e-5,
    )


@pytest.fixture(scope="module")
def two_devices():
    path = pathlib.Path(__file__).parent / "two_devices.py"
    return _run([str(path)])


@pytest.mark.parametrize("way", ["by hand", "fit"])
def test_two_devices_learn_what_one_does(two_devices, way):
    assert two_devices[f"{way}: replicas"] == 2
    # Adam makes much of the last digits of small gradients.
    assert two_devices[f"{way}: weights"] < 2e-4
    assert two_devices[f"{way}: moved"] > 5e-3


def test_two_devices_answer_as_one_does(two_devices):
    assert two_devices["fit: probabilities"] < 1e-5
    one, two = two_devices["fit: accuracies"]
    assert one == two > 0.8
