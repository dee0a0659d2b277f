import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_bert.tasks import scores as metrics
from keras_bert.tasks.labelled.glue_tasks import GLUE_TASKS


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
    import scipy.stats

    x, y = map(list, zip(*pairs))
    for ours, theirs in (
        (metrics.pearson(x, y), scipy.stats.pearsonr(x, y)[0]),
        (metrics.spearman(x, y), scipy.stats.spearmanr(x, y)[0]),
    ):
        assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(
    "task, labels, predictions, expected",
    [
        (
            "cola",
            ["1", "1", "0", "0"],
            ["1", "1", "1", "0"],
            {"matthews_correlation": 1 / math.sqrt(3)},
        ),
        (
            "mrpc",
            ["1", "1", "0", "0"],
            ["1", "1", "1", "0"],
            {"accuracy": 0.75, "f1": 0.8},
        ),
        (
            "stsb",
            ["1.000", "2", "3", "4"],
            np.array([1, 1, 2, 3], "float32"),
            {
                "pearson": 3.5 / math.sqrt(5 * 2.75),
                "spearman": 4.5 / math.sqrt(5 * 4.5),
                "mean": (3.5 / math.sqrt(5 * 2.75) + 4.5 / math.sqrt(5 * 4.5))
                / 2,
            },
        ),
        (
            "mnli",
            ["neutral", "entailment", "contradiction", "neutral"],
            ["neutral", "entailment", "neutral", "neutral"],
            {"accuracy": 0.75},
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


@pytest.mark.parametrize("task", GLUE_TASKS)
def test_one_and_the_same_prediction_has_scores_too(task):
    name = GLUE_TASKS[task].label_names[0] if task != "stsb" else "2.5"
    scores = metrics.glue_scores(task, [name] * 3, [name] * 3)
    assert set(scores.values()) <= {0.0, 1.0}


@pytest.mark.parametrize(
    ("task", "labels", "predictions", "message"),
    [
        ("mrpc", ["0"], [1], "`predictions` of mrpc .*'0', '1'.*: 1 at i"),
        (
            "rte",
            ["entailment", "neutral"],
            ["entailment"],
            "`labels` of rte .* Received: 'neutral' at index 1",
        ),
        ("snli", ["0"], ["0"], "Received: task='snli'"),
        ("stsb", [1.0, 2.0], [1.0, "five"], "`predictions` must be.*five"),
        ("stsb", [1.0, 2.0], [1.0, math.nan], "`predictions` must be.*nan"),
        ("stsb", [1.0], 1.0, "`predictions` must be.*Received: 1.0"),
        ("stsb", ["1"], ["1", "0"], r"\(2,\) predictions for \(1,\) labels"),
        ("cola", [], [], r"Received: \(0,\) predictions for \(0,\) labels"),
    ],
)
def test_scores_that_cannot_be_are_refused(task, labels, predictions, message):
    with pytest.raises(ValueError, match=message):
        metrics.glue_scores(task, labels, predictions)
