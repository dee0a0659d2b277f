"""`sample_weight` and `steps_per_epoch` of `fit` and `evaluate`."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from sklearn import metrics as reference

from keras_bert import tasks
from keras_bert.tasks import scores
from keras_bert.tasks.batches.fine_tuning import epochs_of_batches
from tests import tiny

_TEXTS = ["the dog", "a cat", "the bird", "meat and fish", "seeds"]
_PAIRS = [[text, "a bird"] for text in _TEXTS]
_WORDS = [["the", "dogs", "sees"], ["a", "cat", "eats", "the", "fish"]]
_TAGS = [["O", "B-A", "O"], ["O", "B-A", "O", "B-F", "I-F"]]
_PLAIN = [["x", "y", "x"], ["y", "y", "x", "y", "x"]]
_LONG = ["the dog eats meat and seeds " * 3, "a cat"]
# Class, arguments, examples, labels.
_CASES = {
    "labels": (
        "TextClassifier",
        {"labels": ["x", "y"]},
        _TEXTS,
        [0, 1, 0, 0, 1],
    ),
    "windows": (
        "TextClassifier",
        {"labels": ["x", "y"], "windows": "mean"},
        _LONG,
        [0, 1],
    ),
    "several": (
        "TextClassifier",
        {"labels": ["x", "y"], "multi_label": True},
        _TEXTS,
        [["x"], ["x", "y"], [], ["y"], ["x"]],
    ),
    "numbers": ("TextRegressor", {}, _PAIRS, [1, 2, 2, 4, 3]),
    "entities": (
        "TokenClassifier",
        {"labels": ["O", "B-A", "I-A", "B-F", "I-F"]},
        _WORDS,
        _TAGS,
    ),
    "tags": ("TokenClassifier", {"labels": ["x", "y"]}, _WORDS, _PLAIN),
    "choices": (
        "MultipleChoice",
        {},
        [["the dog", ["sees", "eats"]], ["a cat", ["eats", "sees the"]]],
        [0, 1],
    ),
}


def _make(name):
    keras.utils.set_random_seed(1)
    kind, arguments, texts, labels = _CASES[name]
    task = getattr(tasks, kind)(tiny.make_bert(), **arguments)
    tiny.widened(task.model, seed=3)
    return task, texts, labels


@pytest.mark.parametrize("name", _CASES)
def test_a_weight_is_a_number_of_copies(name):
    task, texts, labels = _make(name)
    weights = [2, 0, 3, 1, 1][: len(texts)]
    copies = [n for n, w in enumerate(weights) for _ in range(w)]
    repeated = [texts[n] for n in copies], [labels[n] for n in copies]
    found = _scores(task, texts, labels, weights)
    assert found == pytest.approx(_scores(task, *repeated), abs=1e-6)
    halved = np.array(weights) / 2
    assert found == pytest.approx(_scores(task, texts, labels, halved))


def _scores(task, *data):
    found = task.evaluate(*data)
    # Copies of a text can differ in the last digit, and are then no ties.
    found.pop("spearman", None)
    return found


def test_weights_change_the_scores():
    task, texts, labels = _make("labels")
    every = [task.evaluate([x], [y])["accuracy"] for x, y in zip(texts, labels)]
    assert {*every} == {0.0, 1.0}
    found = task.evaluate(texts, labels, sample_weight=every)
    assert found["accuracy"] == 1.0


def test_ranks_count_weights():
    random = np.random.default_rng(0)
    pair = random.integers(0, 9, (2, 30))
    weights = random.integers(0, 4, 30)
    found = scores.spearman(*pair, weights)
    expected = scores.spearman(*pair.repeat(weights, axis=1))
    assert found == pytest.approx(expected)
    assert found != pytest.approx(scores.spearman(*pair))


@pytest.mark.parametrize("name", ["labels", "windows", "entities", "numbers"])
def test_examples_of_weight_zero_are_not_learned(name):
    task, texts, labels = _make(name)
    recipe = {"epochs": 2, "batch_size": 8, "verbose": 0, "learning_rate": 0.1}
    weights = [1.0] + [0.0] * (len(texts) - 1)
    task.fit(texts, labels, sample_weight=weights, **recipe)
    found = task.model.get_weights()
    other, _, _ = _make(name)
    wrong = [*labels[:1], *labels[:0:-1]]
    if name == "entities":
        wrong = [labels[0], ["B-F"] * len(labels[1])]
    elif name == "windows":
        wrong = [0, 0]
    other.fit(texts, wrong, sample_weight=weights, **recipe)
    for value, expected in zip(found, other.model.get_weights(), strict=True):
        np.testing.assert_array_equal(value, expected)
    unweighted, _, _ = _make(name)
    unweighted.fit(texts, labels, **recipe)
    values = unweighted.model.get_weights()
    assert not all(map(np.array_equal, found, values))


def test_weights_come_from_a_dataset_and_validate():
    found = []
    for form in ("lists", "dataset"):
        task, texts, labels = _make("labels")
        weights = np.array([1, 2, 0.5, 0, 1], "float32")
        columns = texts, labels, weights
        if form == "dataset":
            data = tf.data.Dataset.from_tensor_slices(columns)
            data = {"texts": data, "validation_data": data.batch(2)}
        else:
            data = {
                "texts": texts,
                "labels": labels,
                "sample_weight": weights,
                "validation_data": columns,
            }
        history = task.fit(**data, epochs=1, verbose=0)
        found.append(history.history)
        evaluated = task.evaluate(*columns)
        assert evaluated["accuracy"] == history.history["val_accuracy"][0]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "weights",
    [[1, 2], [1, 1, 1, 1, -1], [0] * 5, [1, 1, 1, 1, np.nan], ["a"] * 5],
)
def test_wrong_weights_are_refused(weights):
    task, texts, labels = _make("labels")
    with pytest.raises(ValueError, match="sample_weight.*5 numbers"):
        task.fit(texts, labels, sample_weight=weights, verbose=0)


def test_weighted_scores_are_those_of_scikit_learn():
    random = np.random.default_rng(0)
    labels, answers = random.integers(0, 3, (2, 40))
    weights = random.uniform(0, 0.1, 40)
    matrix = scores.confusion_matrix(labels, answers, 3, weights)
    np.testing.assert_allclose(
        matrix,
        reference.confusion_matrix(labels, answers, sample_weight=weights),
    )
    found = scores.label_scores(matrix)
    assert found["macro_f1"] == pytest.approx(
        reference.f1_score(
            labels, answers, average="macro", sample_weight=weights
        )
    )
    x, y = random.normal(size=(2, 40))
    covariance = np.cov(x, y, aweights=weights)
    expected = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert scores.pearson(x, y, weights) == pytest.approx(expected)


class _Passes:
    def epoch_batches(self, batch_size, seed, epoch):
        return [np.array([epoch, n]) for n in range(4)]


def test_epochs_of_steps_continue_within_a_pass():
    epochs = epochs_of_batches(_Passes(), 2, 3, 0, steps=3)
    found = [[tuple(batch) for batch in epoch] for epoch in epochs]
    assert found == [
        [(0, 0), (0, 1), (0, 2)],
        [(0, 3), (1, 0), (1, 1)],
        [(1, 2), (1, 3), (2, 0)],
    ]


def test_endless_datasets_need_steps():
    task, texts, labels = _make("labels")
    data = tf.data.Dataset.from_tensor_slices((texts, labels)).repeat()
    with pytest.raises(ValueError, match="endless.*steps_per_epoch"):
        task.fit(data, verbose=0)
    with pytest.raises(ValueError, match="endless"):
        task.predict(data.map(lambda text, label: text))
    history = task.fit(
        data.batch(2), steps_per_epoch=3, batch_size=2, epochs=2, verbose=0
    )
    assert history.params["steps"] == 3
    assert task.model.optimizer.iterations == 6
    embedder = tasks.TextEmbedder(tiny.make_bert())
    pairs = tf.data.Dataset.from_tensor_slices((texts[:2], texts[2:4]))
    pairs = pairs.repeat()
    embedder.fit(pairs, steps_per_epoch=2, batch_size=2, epochs=1, verbose=0)
    assert embedder.model.optimizer.iterations == 2
