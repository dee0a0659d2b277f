import json

import numpy as np
import pytest

from keras_bert.cli.fine_tuning.tagging_run import tagging_report
from keras_bert.tasks.labelled.conll import TaggedSentences
from keras_bert.tasks.tags.tags import Tags


def _sure(places, sure, num_labels=3):
    """Return one row of scores per word, with this certainty at each label."""
    rest = (1 - np.array(sure)) / (num_labels - 1)
    rows = np.repeat(rest[:, np.newaxis], num_labels, axis=1)
    rows[np.arange(len(sure)), places] = sure
    return rows.astype(np.float32)


def _sentences(*tags):
    words = tuple(tuple(f"w{n}" for n in range(len(row))) for row in tags)
    lines = tuple(
        tuple(10 * index + n for n in range(len(row)))
        for index, row in enumerate(tags)
    )
    return TaggedSentences("x.conll", words, tags, lines)


def test_sentences_come_by_their_most_confident_wrong_tag():
    sentences = _sentences(("I-X", "I-X"), ("O", "I-X"), ("O", "O"))
    found = [
        _sure([1, 0], [0.75, 0.5]),
        _sure([0, 0], [0.75, 0.875]),
        _sure([0, 0], [0.75, 0.5]),
    ]
    report, mistakes = tagging_report(
        Tags(["O", "B-X", "I-X"]), sentences, found
    )
    # Neither of two entities is found whole; one prediction is wrong.
    assert report["scores"] == {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert [(x["label"], x["support"]) for x in report["labels"]] == [("X", 2)]
    assert sum(x["count"] for x in report["calibration"]["bins"]) == 6
    assert [x["probability"] for x in mistakes] == [0.875, 0.5]
    assert mistakes[0] == {
        "place": "x.conll, line 11",
        "probability": 0.875,
        "wrong": [
            {
                "word": "w1",
                "label": "B-X",  # The file uses IOB1, the model IOB2.
                "prediction": "O",
                "probability": 0.875,
            }
        ],
        "text": "w0 w1",
    }
    assert json.loads(json.dumps([report, mistakes])) == [report, mistakes]


def test_plain_tags_have_a_confusion_matrix():
    report, mistakes = tagging_report(
        Tags(["NOUN", "VERB", "X"]),
        _sentences(("NOUN", "VERB"), ("VERB",)),
        [_sure([0, 0], [0.5, 0.75]), _sure([1], [0.5])],
    )
    assert report["scores"]["accuracy"] == pytest.approx(2 / 3)
    assert report["confusion_matrix"] == [[1, 0, 0], [1, 1, 0], [0, 0, 0]]
    assert [x["place"] for x in mistakes] == ["x.conll, line 1"]
