import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_bert.tasks.scores import confusion_matrix
from keras_bert.tasks.scores import label_scores
from keras_bert.tasks.scores import label_table
from keras_bert.tasks.scores import multi_label_scores


def _pairs(most):
    place = st.integers(0, most)
    pairs = st.tuples(place, place)
    return st.lists(pairs, min_size=1, max_size=30).map(np.array)


def test_rows_are_labels_and_columns_are_predictions():
    matrix = confusion_matrix([0, 0, 2, 2, 2], [0, 1, 2, 2, 0], 3)
    assert matrix.tolist() == [[1, 1, 0], [0, 0, 0], [1, 0, 2]]
    assert set(label_scores(matrix)) == {"accuracy", "macro_f1"}


@settings(deadline=None, max_examples=100)
@given(
    st.integers(2, 5).flatmap(lambda n: st.tuples(st.just(n), _pairs(n - 1)))
)
def test_scores_of_labels_are_those_of_scikit_learn(example):
    import sklearn.metrics

    num_labels, pairs = example
    labels, predictions = pairs.T
    scores = label_scores(confusion_matrix(labels, predictions, num_labels))
    expected = {
        "accuracy": sklearn.metrics.accuracy_score(labels, predictions),
        "macro_f1": sklearn.metrics.f1_score(
            labels, predictions, average="macro", zero_division=0.0
        ),
    }
    if num_labels == 2:
        expected["f1"] = sklearn.metrics.f1_score(
            labels, predictions, zero_division=0.0
        )
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
    import sklearn.metrics

    labels, predictions = map(np.array, zip(*rows))
    f1 = {
        f"{mean}_f1": sklearn.metrics.f1_score(
            labels, predictions, average=mean, zero_division=0.0
        )
        for mean in ("micro", "macro")
    }
    accuracy = sklearn.metrics.accuracy_score(labels, predictions)
    scores = multi_label_scores(labels, predictions)
    assert scores == pytest.approx({"accuracy": accuracy, **f1})


@settings(deadline=None, max_examples=50)
@given(_pairs(3))
def test_the_table_is_that_of_scikit_learn(pairs):
    import sklearn.metrics

    labels, predictions = pairs.T
    table = label_table(confusion_matrix(labels, predictions, 4), [*"abcd"])
    columns = sklearn.metrics.precision_recall_fscore_support(
        labels, predictions, labels=range(4), zero_division=0.0
    )
    for row, name, expected in zip(table, "abcd", zip(*columns), strict=True):
        assert [*row] == ["label", "precision", "recall", "f1", "support"]
        assert row["label"] == name
        assert [*row.values()][1:] == pytest.approx(expected)


def test_a_label_that_is_nowhere_does_not_count():
    scores = label_scores(confusion_matrix([0, 0, 1], [0, 0, 1], 3))
    assert scores == {"accuracy": 1.0, "macro_f1": 1.0}


def test_scores_of_several_labels_are_worked_out_by_hand():
    labels = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0]], bool)
    predictions = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 0]], bool)
    # True positives, misses, false positives: 1, 1, 0; then 1, 0, 1; then 0.
    assert multi_label_scores(labels, predictions) == pytest.approx(
        {
            "accuracy": 1 / 3,
            "micro_f1": 4 / 6,
            "macro_f1": (2 / 3 + 2 / 3 + 0) / 3,
        }
    )
