"""`sample_weight` and `steps_per_epoch` of `fit` and `evaluate`."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert import tasks
from keras_bert.tasks.training.batches import TrainingBatches
from tests import tiny
from tests.tasks.cases import CASES
from tests.tasks.cases import WORDS
from tests.tasks.cases import Case

pytestmark = pytest.mark.usefixtures("eager_steps")

_PLAIN = [["x" if word < "e" else "y" for word in x] for x in WORDS]
_CASES = {
    **CASES,
    "tags": Case("TokenClassifier", {"labels": ["x", "y"]}, (WORDS, _PLAIN)),
}
_WEIGHTED = "classifier windows several regressor tagger tags chooser".split()


def _make(name):
    keras.utils.set_random_seed(1)
    kind, options, examples, _ = _CASES[name]
    task = getattr(tasks, kind)(tiny.make_bert(), **options)
    tiny.widened(task.model, seed=3)
    return task, *examples


@pytest.mark.parametrize("name", _WEIGHTED)
def test_a_weight_is_a_number_of_copies(name):
    task, texts, labels = _make(name)
    weights = [2, 0, 3, 1, 1, 2]
    copies = [n for n, w in enumerate(weights) for _ in range(w)]
    repeated = [texts[n] for n in copies], [labels[n] for n in copies]
    found = _scores(task, texts, labels, weights)
    assert found == pytest.approx(_scores(task, *repeated), 1e-5)
    halved = np.array(weights) / 2
    assert found == pytest.approx(_scores(task, texts, labels, halved))


def _scores(task, *data):
    found = task.evaluate(*data)
    # Copies of a text can differ in the last digit, and are then no ties.
    found.pop("spearman", None)
    return found


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("classifier", 1), ("windows", 1), ("regressor", 9), ("tagger", "B-X")],
)
def test_examples_of_weight_zero_are_not_learned(name, wrong):
    def learned(labels, weights):
        task, texts, _ = _make(name)
        recipe = {"epochs": 2, "batch_size": 8, "learning_rate": 0.1}
        task.fit(texts, labels, sample_weight=weights, verbose=0, **recipe)
        return task.model.get_weights()

    _, texts, labels = _make(name)
    others = [wrong] * 6
    if name == "tagger":
        others = [[wrong] * len(words) for words in texts]
    others[3] = labels[3]  # The long text.
    weights = [0.0] * 3 + [1.0] + [0.0] * 2
    found = learned(labels, weights)
    expected = learned(others, weights)
    for value, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(value, other)
    assert not all(map(np.array_equal, found, learned(labels, None)))


def test_weights_come_from_a_dataset_and_validate():
    weights = np.array([1, 2, 0.5, 0, 1, 1], "float32")
    recipe, losses = {"epochs": 1, "verbose": 0}, []
    for is_dataset in (True, False):
        task, *examples = _make("classifier")
        columns = (*examples, weights)
        if is_dataset:
            data = tf.data.Dataset.from_tensor_slices(columns)
            history = task.fit(data, validation_data=data.batch(2), **recipe)
        else:
            recipe |= {"validation_data": columns, "sample_weight": weights}
            history = task.fit(*examples, **recipe)
        losses.append(history.history["loss"])
        accuracy = task.evaluate(*columns)["accuracy"]
        assert history.history["val_accuracy"] == [accuracy]
    assert losses[0] == losses[1]


class _Passes:
    def epoch_batches(self, batch_size, seed, epoch):
        return [4 * epoch + n for n in range(4)]


def test_epochs_of_steps_continue_within_a_pass():
    batches = TrainingBatches(_Passes(), 2, 3, 0, steps=3)
    assert [batches[number] for number in range(9)] == [*range(9)]


def test_endless_datasets_need_steps():
    task, texts, labels = _make("classifier")
    data = tf.data.Dataset.from_tensor_slices((texts, labels)).repeat()
    with pytest.raises(ValueError, match="endless.*steps_per_epoch"):
        task.fit(data, verbose=0)
    with pytest.raises(ValueError, match="endless"):
        task.predict(data.map(lambda text, label: text))
    recipe = {"steps_per_epoch": 3, "batch_size": 2, "epochs": 2, "verbose": 0}
    history = task.fit(data.batch(2), **recipe)
    assert history.params["steps"] == 3
    assert task.model.optimizer.iterations == 6
    embedder = tasks.TextEmbedder(tiny.make_bert())
    pairs = tf.data.Dataset.from_tensor_slices((texts[:2], texts[2:4]))
    embedder.fit(pairs.repeat(), **recipe)
    assert embedder.model.optimizer.iterations == 6
