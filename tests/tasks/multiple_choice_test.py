import keras
import numpy as np
import pytest

from keras_bert.tasks import MultipleChoice
from keras_bert.tasks.multiple_choice_example import MultipleChoiceExample

_QUESTIONS = [
    ("the dog", ["eats meat", "eats seeds", "sees"]),
    ("the bird", ["eats meat", "eats seeds .", "and"]),
    ("a cat", ["and", "fish", "sees"]),
    ("a fish", ["dogs and cats", "seeds", "the the"]),
]
_LABELS = [0, 1, 1, 2]


@pytest.fixture(scope="module")
def trained(make_bert):
    """Return a model trained on the questions; no test changes it."""
    keras.utils.set_random_seed(1)
    chooser = MultipleChoice(make_bert())
    recipe = {"epochs": 60, "learning_rate": 3e-3, "batch_size": 2}
    chooser.fit(_QUESTIONS, _LABELS, verbose=0, **recipe)
    return chooser


def _read(labels):
    return [
        MultipleChoiceExample(text, tuple(choices), label, f"a.csv, line {n}")
        for n, ((text, choices), label) in enumerate(zip(_QUESTIONS, labels), 2)
    ]


def test_it_learns_the_right_choices(trained):
    answers = trained.predict(_QUESTIONS)
    assert [answer["choice"] for answer in answers] == _LABELS
    assert all(answer["probability"] > 0.8 for answer in answers)
    assert trained.evaluate(_QUESTIONS, _LABELS) == {"accuracy": 1.0}
    assert trained.evaluate(_QUESTIONS, [0, 1, 0, 0]) == {"accuracy": 0.5}


def test_questions_and_labels_have_many_forms(trained):
    unlabelled = _read([None] * 4)
    assert trained.predict(unlabelled) == trained.predict(_QUESTIONS)
    texts, choices = zip(*_QUESTIONS)
    columns = {"text": texts, "choices": choices, "label": _LABELS}
    tuples = [(text, tuple(several)) for text, several in _QUESTIONS]
    plain = trained._labelled(_QUESTIONS, _LABELS)
    for other in (
        trained._labelled(_read(_LABELS)),
        trained._labelled(unlabelled, np.array(_LABELS)),
        trained._labelled(unlabelled, np.array(_LABELS)[:, np.newaxis]),
        trained._labelled(unlabelled, np.eye(3)[_LABELS]),
        trained._labelled(columns),
        trained._labelled(tuples, _LABELS),
    ):
        np.testing.assert_array_equal(other.targets, plain.targets)
        for name, values in plain.rows.values.items():
            np.testing.assert_array_equal(other.rows.values[name], values)


def test_two_questions_to_validate_on_are_no_questions_and_labels(bert):
    chooser, read = MultipleChoice(bert), _read(_LABELS)
    recipe = {"validation_data": read[:2], "epochs": 1, "verbose": 0}
    history = chooser.fit(read, **recipe).history
    accuracy = chooser.evaluate(read[:2])["accuracy"]
    assert history["val_accuracy"] == [accuracy]


def test_one_place_for_every_question_is_a_collapse(trained):
    turned = [
        (text, sorted(choices, key=lambda x, best=choices[label]: x != best))
        for (text, choices), label in zip(_QUESTIONS, _LABELS)
    ]
    assert [x["choice"] for x in trained.predict(turned)] == [0, 0, 0, 0]
    assert trained._collapse(trained._labelled(turned, _LABELS)) is True
    right = trained._labelled(_QUESTIONS, _LABELS)
    assert trained._collapse(right) is False
