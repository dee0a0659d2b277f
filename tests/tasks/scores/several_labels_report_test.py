import json

import numpy as np
import pytest

from keras_bert.tasks.scores.several_labels_report import several_labels_report


class _Classifier:
    labels = ["a", "b"]

    def probabilities(self, texts):
        return np.array([[float(x) for x in t.split()] for t in texts])


def test_texts_come_by_their_most_confident_wrong_decision():
    texts = ["0.75 0.125", "0.25 0.75", "0.625 0.5", "0.125 0.0625"]
    labels = [("a",), (), ("b", "a"), ("b",)]
    report, mistakes = several_labels_report(_Classifier(), texts, labels)
    assert [
        (x["row"], x["label"], x["prediction"], x["probability"])
        for x in mistakes
    ] == [(3, ["b"], [], 0.9375), (1, [], ["b"], 0.75)]
    assert mistakes[0]["text"] == "0.125 0.0625"
    # Of 4 texts 2 have all their labels; of a 2 are right; of b 1 is right,
    # 1 wrong and 1 missed.
    assert report["scores"] == {
        "accuracy": 0.5,
        "micro_f1": pytest.approx(2 * 3 / (2 * 3 + 2)),
        "macro_f1": pytest.approx((1 + 1 / 2) / 2),
    }
    assert [x["support"] for x in report["labels"]] == [2, 2]
    assert sum(x["count"] for x in report["calibration"]["bins"]) == 8
    assert json.loads(json.dumps([report, mistakes])) == [report, mistakes]
