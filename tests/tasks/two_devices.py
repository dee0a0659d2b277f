"""Fine-tune on one and on two logical CPU devices; print the differences.

This is a program, because devices must be split before TensorFlow starts.
"""

import contextlib
import json

import keras
import numpy as np
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2
)

from keras_bert.pretraining.job.strategies import make_strategy  # noqa: E402
from keras_bert.tasks import TextClassifier  # noqa: E402
from tests import tiny  # noqa: E402

_WORDS = "the a dog cat bird meat fish seeds".split()
# All texts have one length, so that both devices get the same width.
_TEXTS = [f"{a} {noun}" for a in ("the", "a") for noun in _WORDS[2:]]
_LABELS = [0, 0, 0, 1, 1, 1] * 2


def _train(strategy):
    scope = strategy.scope() if strategy else contextlib.nullcontext()
    with scope:
        keras.utils.set_random_seed(1)
        classifier = TextClassifier(tiny.make_bert(), labels=["x", "y"])
        before = classifier.model.get_weights()
        data, recipe = (_TEXTS, _LABELS), {"epochs": 15, "batch_size": 4}
        recipe |= {"learning_rate": 3e-3, "verbose": 0}
        classifier.fit(*data, validation_data=data, **recipe)
    return classifier, before


def _difference(ours, theirs):
    return max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs))


def main():
    two = make_strategy("mirrored")
    (one, before), (other, _) = _train(None), _train(two)
    weights = one.model.get_weights()
    found = {
        "replicas": two.num_replicas_in_sync,
        "weights": _difference(weights, other.model.get_weights()),
        "moved": _difference(weights, before),
        "accuracies": [
            task.evaluate(_TEXTS, _LABELS)["accuracy"] for task in (one, other)
        ],
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
