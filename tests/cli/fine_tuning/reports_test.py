import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_bert.cli.fine_tuning.reports import calibration
from keras_bert.cli.fine_tuning.reports import classifier_report
from keras_bert.cli.fine_tuning.reports import regressor_report
from keras_bert.cli.fine_tuning.reports import several_labels_report
from keras_bert.tasks.labelled.glue_tasks import glue_task


class _Classifier:
    labels = ["0", "1"]

    def probabilities(self, texts):
        second = np.array([float(text) for text in texts], np.float32)
        return np.stack([1 - second, second], axis=1)


class _Regressor:
    def predict(self, texts):
        return [float(text) for text in texts]

    def evaluate(self, texts, labels):
        return {"mean_squared_error": 1.0}


def test_mistakes_come_by_how_sure_they_are():
    texts = ["0.9", "0.25", "0.75", "0.625", "0.125"]
    report, mistakes = classifier_report(
        _Classifier(), range(5), texts, ["1", "1", "0", "0", "0"]
    )
    assert [(x["place"], x["text"], x["probability"]) for x in mistakes] == [
        (1, "0.25", 0.75),
        (2, "0.75", 0.75),
        (3, "0.625", 0.625),
    ]
    assert mistakes[0]["label"] == "1"
    assert mistakes[0]["prediction"] == "0"
    assert report["confusion_matrix"] == [[1, 2], [1, 1]]
    assert report["scores"]["accuracy"] == 2 / 5
    assert [row["support"] for row in report["labels"]] == [3, 2]
    assert sum(x["count"] for x in report["calibration"]["bins"]) == 5
    assert json.loads(json.dumps([report, mistakes])) == [report, mistakes]


def test_official_scores_are_added():
    report, _ = classifier_report(
        _Classifier(), "ab", ["0.9", "0.1"], ["1", "1"], glue_task("mrpc")
    )
    assert report["scores"]["accuracy"] == 0.5
    assert report["scores"]["f1"] == pytest.approx(2 / 3)


def test_the_largest_errors_of_numbers_come_first():
    report, mistakes = regressor_report(
        _Regressor(), "abc", ["1", "2", "5"], [1.5, 5.0, 4.0], glue_task("stsb")
    )
    assert [x["place"] for x in mistakes] == ["b", "c", "a"]
    assert mistakes[0] == {
        "place": "b",
        "label": 5.0,
        "prediction": 2.0,
        "text": "2",
    }
    assert report["scores"]["mean_squared_error"] == 1.0
    # Ranks 1, 3, 2 and 1, 2, 3.
    assert report["scores"]["spearman"] == pytest.approx(0.5)


class _SeveralLabels:
    labels = ["a", "b"]

    def probabilities(self, texts):
        return np.array([[float(x) for x in t.split()] for t in texts])


def test_texts_come_by_their_most_confident_wrong_decision():
    texts = ["0.75 0.125", "0.25 0.75", "0.625 0.5", "0.125 0.0625"]
    labels = [("a",), (), ("b", "a"), ("b",)]
    report, mistakes = several_labels_report(
        _SeveralLabels(), range(4), texts, labels
    )
    assert [
        (x["place"], x["label"], x["prediction"], x["probability"])
        for x in mistakes
    ] == [(3, ["b"], [], 0.9375), (1, [], ["b"], 0.75)]
    assert mistakes[0]["text"] == "0.125 0.0625"
    # 2 of 4 texts have all labels right; label a is right twice; label b is
    # once right, once wrong and once missed.
    assert report["scores"] == {
        "accuracy": 0.5,
        "micro_f1": pytest.approx(2 * 3 / (2 * 3 + 2)),
        "macro_f1": pytest.approx((1 + 1 / 2) / 2),
    }
    assert [x["support"] for x in report["labels"]] == [2, 2]
    assert sum(x["count"] for x in report["calibration"]["bins"]) == 8
    assert json.loads(json.dumps([report, mistakes])) == [report, mistakes]


def test_bins_are_worked_out_by_hand():
    found = calibration([0.52, 0.58, 0.91, 1.0, 0.95], [1, 0, 1, 1, 0])
    assert found["bins"] == [
        {
            "confidence": pytest.approx(0.55),
            "accuracy": 0.5,
            "count": 2,
        },
        {
            "confidence": pytest.approx(2.86 / 3),
            "accuracy": pytest.approx(2 / 3),
            "count": 3,
        },
    ]
    error = (2 * 0.05 + 3 * (2.86 / 3 - 2 / 3)) / 5
    assert found["expected_error"] == pytest.approx(error)


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40)
)
def test_every_answer_is_in_one_bin(pairs):
    confidences, is_right = map(np.array, zip(*pairs))
    found = calibration(confidences, is_right)
    counts = [x["count"] for x in found["bins"]]
    assert sum(counts) == len(pairs)
    rights = [x["count"] * x["accuracy"] for x in found["bins"]]
    assert sum(rights) == pytest.approx(is_right.sum())
    assert 0 <= found["expected_error"] <= 1
