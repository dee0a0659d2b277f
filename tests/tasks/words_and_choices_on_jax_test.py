"""Taggers and choosers learn on JAX and answer the same on TensorFlow."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from keras_bert import save_pretrained
from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import TokenClassifier

_ROOT = pathlib.Path(__file__).parents[2]
_PROGRAM = """
import json, sys
import keras
from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import TokenClassifier

assert keras.backend.backend() == "jax"
keras.utils.set_random_seed(1)
recipe = dict(epochs=40, batch_size=2, learning_rate=3e-3, verbose=0)
words = [["the", "dogs", "sees"], ["a", "cat", "eats", "the", "fish"]]
tags = [["O", "B-A", "O"], ["O", "B-A", "O", "B-F", "I-F"]]
tagger = TokenClassifier.from_pretrained(
    sys.argv[1], labels=TokenClassifier.labels_of(tags)
)
tagger.fit(words, tags, validation_data=(words, tags), **recipe)
assert tagger.evaluate(words, tags)["f1"] == 1.0
tagger.save(sys.argv[2])
questions = [["the dog", ["sees", "eats"]], ["a cat", ["eats", "sees the"]]]
chooser = MultipleChoice.from_pretrained(sys.argv[1])
chooser.fit(questions, [0, 1], **recipe)
assert chooser.evaluate(questions, [0, 1]) == {"accuracy": 1.0}
chooser.save(sys.argv[3])
print(json.dumps({
    "words": words,
    "tags": tags,
    "logits": tagger.logits(tagger.labelled(words, tags))[1].tolist(),
    "questions": questions,
    "probabilities": chooser.probabilities(questions).tolist(),
}))
"""


@pytest.mark.exhaustive
def test_what_jax_has_learned_tensorflow_answers(make_bert, tmp_path):
    save_pretrained(make_bert(max_position_embeddings=32), tmp_path / "bert")
    places = [str(tmp_path / name) for name in ("bert", "tagger", "chooser")]
    result = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *places],
        env={
            **os.environ,
            "PYTHONPATH": str(_ROOT),
            "KERAS_BACKEND": "jax",
            "JAX_PLATFORMS": "cpu",
        },
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    theirs = json.loads(result.stdout.splitlines()[-1])
    words, tags = theirs["words"], theirs["tags"]
    tagger = TokenClassifier.from_pretrained(tmp_path / "tagger")
    assert tagger.predict_words(words) == tags
    np.testing.assert_allclose(
        tagger.logits(tagger.labelled(words, tags))[1],
        theirs["logits"],
        atol=1e-5,
    )
    chooser = MultipleChoice.from_pretrained(tmp_path / "chooser")
    np.testing.assert_allclose(
        chooser.probabilities(theirs["questions"]),
        theirs["probabilities"],
        atol=1e-5,
    )
