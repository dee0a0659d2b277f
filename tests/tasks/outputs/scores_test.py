import functools
import math

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_bert.tasks.outputs import scores as metrics


@pytest.mark.parametrize("correlate", [metrics.pearson, metrics.spearman])
def test_correlation_of_a_constant_is_zero(correlate):
    assert correlate([1.0, 2.0, 3.0], [2.5, 2.5, 2.5]) == 0.0
    assert correlate([2.5, 2.5, 2.5], [1.0, 2.0, 3.0]) == 0.0
    assert correlate([1.0], [2.0]) == 0.0


_FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(_FLOATS, _FLOATS), min_size=1, max_size=8))
@settings(deadline=None)
def test_correlations_of_any_numbers_are_from_minus_one_to_one(pairs):
    for correlate in (metrics.pearson, metrics.spearman):
        assert -1.0 <= correlate(*zip(*pairs)) <= 1.0


_PAIRS = st.lists(st.tuples(*[st.integers(-3, 3)] * 2), min_size=2).filter(
    lambda pairs: all(len({*column}) > 1 for column in zip(*pairs))
)


@given(_PAIRS)
@settings(deadline=None)
def test_correlations_equal_those_of_scipy(pairs):
    x, y = map(list, zip(*pairs))
    for ours, theirs in (
        (metrics.pearson(x, y), scipy.stats.pearsonr(x, y)[0]),
        (metrics.spearman(x, y), scipy.stats.spearmanr(x, y)[0]),
    ):
        assert ours == pytest.approx(theirs, abs=1e-12)


_P, _S = 3.5 / math.sqrt(5 * 2.75), 4.5 / math.sqrt(5 * 4.5)


@pytest.mark.parametrize(
    "task, labels, predictions, expected",
    [
        ("cola", "1100", "1110", {"matthews_correlation": 1 / math.sqrt(3)}),
        ("mrpc", "1100", "1110", {"accuracy": 0.75, "f1": 0.8}),
        (
            "stsb",
            ["1.000", "2", "3", "4"],
            np.array([1, 1, 2, 3], "float32"),
            {"pearson": _P, "spearman": _S, "mean": (_P + _S) / 2},
        ),
        (
            "ax",
            ["contradiction", "entailment", "neutral", "neutral"],
            ["contradiction", "entailment", "entailment", "neutral"],
            {"matthews_correlation": 0.7},
        ),
    ],
)
def test_each_task_of_glue_has_its_scores(task, labels, predictions, expected):
    scores = metrics.glue_scores(task, labels, predictions)
    assert scores == pytest.approx(expected)
    assert [*scores] == [*expected]
    assert all(type(score) is float for score in scores.values())


_f1 = functools.partial(sklearn.metrics.f1_score, zero_division=0.0)


def _pairs(most):
    place = st.integers(0, most)
    pairs = st.tuples(place, place)
    return st.lists(pairs, min_size=1, max_size=30).map(np.array)


@settings(deadline=None, max_examples=100)
@given(
    st.integers(2, 5).flatmap(lambda n: st.tuples(st.just(n), _pairs(n - 1)))
)
def test_scores_of_labels_are_those_of_scikit_learn(example):
    num_labels, pairs = example
    labels, predictions = pairs.T
    matrix = metrics.confusion_matrix(labels, predictions, num_labels)
    scores = metrics.label_scores(matrix)
    expected = {
        "accuracy": sklearn.metrics.accuracy_score(labels, predictions),
        "macro_f1": _f1(labels, predictions, average="macro"),
    }
    if num_labels == 2:
        expected["f1"] = _f1(labels, predictions)
        expected["matthews_correlation"] = 0.0
        if len({*pairs.flat}) > 1:
            expected["matthews_correlation"] = (
                sklearn.metrics.matthews_corrcoef(labels, predictions)
            )
    assert scores == pytest.approx(expected)


_MARKS = st.lists(st.booleans(), min_size=3, max_size=3)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(_MARKS, _MARKS), min_size=1, max_size=6))
def test_scores_of_several_labels_are_those_of_scikit_learn(rows):
    labels, predictions = map(np.array, zip(*rows))
    scores = metrics.multi_label_scores(labels, predictions)
    expected = {
        "accuracy": sklearn.metrics.accuracy_score(labels, predictions),
        "micro_f1": _f1(labels, predictions, average="micro"),
        "macro_f1": _f1(labels, predictions, average="macro"),
    }
    assert scores == pytest.approx(expected)


@settings(deadline=None, max_examples=50)
@given(_pairs(3))
def test_the_table_is_that_of_scikit_learn(pairs):
    labels, predictions = pairs.T
    matrix = metrics.confusion_matrix(labels, predictions, 4)
    table = metrics.label_table(matrix, [*"abcd"])
    columns = sklearn.metrics.precision_recall_fscore_support(
        labels, predictions, labels=range(4), zero_division=0.0
    )
    for row, name, expected in zip(table, "abcd", zip(*columns), strict=True):
        assert [*row] == ["label", "precision", "recall", "f1", "support"]
        assert row["label"] == name
        assert [*row.values()][1:] == pytest.approx(expected)


def test_ranks_count_weights():
    random = np.random.default_rng(0)
    pair = random.integers(0, 9, (2, 30))
    weights = random.integers(0, 4, 30)
    found = metrics.spearman(*pair, weights)
    expected = metrics.spearman(*pair.repeat(weights, axis=1))
    assert found == pytest.approx(expected)
    assert found != pytest.approx(metrics.spearman(*pair))


def test_weighted_scores_are_those_of_scikit_learn():
    random = np.random.default_rng(0)
    labels, answers = random.integers(0, 3, (2, 40))
    weights = random.uniform(0, 0.1, 40)
    matrix = metrics.confusion_matrix(labels, answers, 3, weights)
    found = metrics.label_scores(matrix)
    expected = _f1(labels, answers, average="macro", sample_weight=weights)
    assert found["macro_f1"] == pytest.approx(expected)
    x, y = random.normal(size=(2, 40))
    covariance = np.cov(x, y, aweights=weights)
    expected = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert metrics.pearson(x, y, weights) == pytest.approx(expected)
