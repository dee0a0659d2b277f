import keras
import numpy as np
import pytest

from keras_bert.tasks import MultipleChoice
from keras_bert.tasks.labelled.multiple_choice import MultipleChoiceExample

_QUESTIONS = [
    ("the dog", ["eats meat", "eats seeds", "sees"]),
    ("the bird", ["eats meat", "eats seeds .", "and"]),
    ("a cat", ["and", "fish", "sees"]),
    ("a fish", ["dogs and cats", "seeds", "the the"]),
]
_LABELS = [0, 1, 1, 2]


@pytest.fixture
def chooser(bert):
    return MultipleChoice(bert)


@pytest.fixture(scope="module")
def trained(make_bert):
    """Return a model trained on the questions; no test changes it."""
    keras.utils.set_random_seed(1)
    chooser = MultipleChoice(make_bert())
    chooser.fit(
        _QUESTIONS,
        _LABELS,
        epochs=60,
        learning_rate=3e-3,
        batch_size=2,
        verbose=0,
    )
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


def test_questions_may_be_read_ones(trained):
    assert trained.evaluate(_read(_LABELS)) == {"accuracy": 1.0}
    unlabelled = _read([None] * 4)
    assert trained.predict(unlabelled) == trained.predict(_QUESTIONS)
    plain = trained._labelled(_QUESTIONS, _LABELS)
    for other in (
        trained._labelled(_read(_LABELS)),
        trained._labelled(unlabelled, np.array(_LABELS)),
        trained._labelled(unlabelled, np.array(_LABELS)[:, np.newaxis]),
        trained._labelled(unlabelled, np.eye(3)[_LABELS]),
        trained._labelled(
            [
                {"text": text, "choices": choices, "label": label}
                for (text, choices), label in zip(_QUESTIONS, _LABELS)
            ]
        ),
        trained._labelled(
            [(text, tuple(choices)) for text, choices in _QUESTIONS], _LABELS
        ),
    ):
        np.testing.assert_array_equal(other.targets, plain.targets)
        for name, values in plain.rows.values.items():
            np.testing.assert_array_equal(other.rows.values[name], values)


def test_two_questions_to_validate_on_are_no_questions_and_labels(chooser):
    history = chooser.fit(
        _read(_LABELS),
        validation_data=_read(_LABELS)[:2],
        epochs=1,
        verbose=0,
    ).history
    accuracy = chooser.evaluate(_read(_LABELS)[:2])["accuracy"]
    assert history["val_accuracy"] == [accuracy]


@pytest.mark.parametrize(
    ("questions", "labels", "message"),
    [
        ([], [], r"Received: .*\[\]"),
        ("ab", [0], "must be a list. Received: 'ab'"),
        (["ab"], [0], "two or more choices. Received: 'ab' at index 0"),
        ([("a", ["b"])], [0], r"Received: \('a', \['b'\]\) at index 0"),
        ([("a", "bc")], [0], r"Received: \('a', 'bc'\) at index 0"),
        ([("a", ["b", "c"], 0)], [0], "pair of a context .* at index 0"),
        (
            [("a", ["b", "c"]), ("a", ["b", "c", "d"])],
            [0, 0],
            "same number of choices, 2.*3 choices at index 1",
        ),
        ([("a", ["b", None])], [0], "at index 0: .*None at index 2"),
        ([("a", ["b", "\ud800"])], [0], "at index 0: .*surrogate"),
        ([("a", ["b", "c"])], [2], "from 0 to 1. Received: 2 at index 0"),
        ([("a", ["b", "c"])], [True], "Received: True at index 0"),
        ([("a", ["b", "c"])], ["c"], "Received: 'c' at index 0"),
        ([("a", ["b", "c"])], [0, 1], "1 examples, 2 labels"),
        ([("a", ["b", "c"])], None, "Received: None at index 0"),
        (_read([0, None, 0, 0]), None, "Received: None at a.csv, line 3"),
    ],
)
def test_bad_examples_are_named(chooser, questions, labels, message):
    with pytest.raises(ValueError, match=message):
        chooser.fit(questions, labels)


def test_one_place_for_every_question_is_a_collapse(trained):
    turned = [
        (text, sorted(choices, key=lambda x, best=choices[label]: x != best))
        for (text, choices), label in zip(_QUESTIONS, _LABELS)
    ]
    assert [x["choice"] for x in trained.predict(turned)] == [0, 0, 0, 0]
    assert trained._collapse(trained._labelled(turned, _LABELS)) is True
    assert trained._collapse(trained._labelled(turned, [0] * 4)) is False
    right = trained._labelled(_QUESTIONS, _LABELS)
    assert trained._collapse(right) is False
