"""Answers that say whether their text was too long and is cut."""

import numpy as np
import pytest

from keras_bert import tasks

_LONG = "the dog eats meat and seeds " * 3  # The model takes 12 tokens.
_LABELS = ["x", "y"]


def _of_pairs(bert):
    classifier = tasks.TextClassifier(bert, labels=_LABELS)
    classifier.settings["is_pair"] = True
    return classifier


_SINGLE = ["the dog", _LONG, "", "a cat"], [False, True, False, False]
_PAIRS = [("a", "cat"), ("a", _LONG), (_LONG, "a")], [False, True, True]
_CHOICES = [("a", ["cat", "dog"]), ("a", ["cat", _LONG])], [False, True]
_TASKS = {
    "classifier": (
        lambda bert: tasks.TextClassifier(bert, labels=_LABELS),
        *_SINGLE,
    ),
    "of_pairs": (_of_pairs, *_PAIRS),
    "several": (
        lambda bert: tasks.TextClassifier(
            bert, labels=_LABELS, multi_label=True
        ),
        *_SINGLE,
    ),
    "regressor": (tasks.TextRegressor, *_SINGLE),
    "tagger": (
        lambda bert: tasks.TokenClassifier(bert, labels=["O", "B-X", "I-X"]),
        *_SINGLE,
    ),
    "chooser": (tasks.MultipleChoice, *_CHOICES),
}


@pytest.fixture
def bert(make_bert):
    return make_bert()


@pytest.mark.parametrize("name", _TASKS)
def test_a_graph_tells_of_cut_texts(bert, name):
    make, texts, expected = _TASKS[name]
    task = make(bert)
    columns = [*zip(*texts)] if isinstance(texts[0], tuple) else [texts]
    answers = task.predict_texts(*map(list, columns))
    assert tuple(answers) == task.outputs
    assert answers["truncated"].numpy().tolist() == expected


@pytest.mark.parametrize("name", ["classifier", "of_pairs", "chooser"])
def test_python_tells_of_cut_texts(bert, name):
    make, texts, expected = _TASKS[name]
    answers = make(bert).predict(texts)
    assert [answer["truncated"] for answer in answers] == expected


def test_each_of_several_labels_tells_of_its_text(bert):
    make, texts, expected = _TASKS["several"]
    task = make(bert)
    answers = task.decode(task.encode(texts), np.ones((len(texts), 2)))
    assert [[x["truncated"] for x in labels] for labels in answers] == [
        [is_cut] * 2 for is_cut in expected
    ]


def test_what_is_read_in_windows_is_not_cut(bert):
    task = tasks.TextClassifier(bert, labels=_LABELS, windows="mean")
    assert [x["truncated"] for x in task.predict([_LONG, "a"])] == [False] * 2
