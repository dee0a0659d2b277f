import types

import numpy as np
import pytest

from keras_bert.tasks.training.collapse import are_numbers_nearly_constant
from keras_bert.tasks.training.collapse import is_nearly_constant
from keras_bert.tasks.training.collapse import probe_indices
from keras_bert.tasks.training.collapse import warn_if_collapsed
from keras_bert.tasks.training.collapse import warn_if_unchanged


@pytest.mark.parametrize(
    ("answers", "targets", "expected"),
    [
        ([1, 1, 1], [0, 1, 1], True),
        ([1, 1, 1], [0, 0, 0], False),  # Only one label occurs.
        ([], [], False),
        ([[1, 0], [1, 0]], [[1, 0], [1, 1]], True),
        # A collapsed model on CoLA: 2 of 527 predictions differ.
        ([0] * 2 + [1] * 525, [0] * 162 + [1] * 365, True),
        ([0] * 20 + [1] * 507, [0] * 162 + [1] * 365, False),
        # A few of a rare label are found.
        ([1] * 2 + [0] * 998, [1] * 10 + [0] * 990, False),
    ],
)
def test_one_answer_to_nearly_all_is_noticed(answers, targets, expected):
    found = is_nearly_constant(np.array(answers), np.array(targets))
    assert found is expected


@pytest.mark.parametrize(
    ("spread", "targets", "expected"),
    [(0.007, [0, 5], True), (0.5, [0, 5], False), (0.0, [3, 3], False)],
)
def test_numbers_that_hardly_differ_are_noticed(spread, targets, expected):
    numbers = np.array([2.5 - spread, 2.5 + spread])
    assert are_numbers_nearly_constant(numbers, np.array(targets)) is expected


def test_examples_that_tell_are_spread_over_all():
    assert probe_indices(3).tolist() == [0, 1, 2]
    some = probe_indices(100_000)
    assert len({*some.tolist()}) == 512
    assert (some[0], some[-1]) == (0, 99_999)


@pytest.mark.parametrize(
    ("accuracy", "targets", "expected"),
    [
        (0.3, [0, 1], True),
        (0.6, [0, 1], False),
        (0.8, [0, 1, 1, 1, 1], True),
        (0.9, [0, 1, 1, 1, 1], False),
        (0.35, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], True),
        (1.0, [1, 1], False),
    ],
)
@pytest.mark.parametrize("name", ["accuracy", "logits_accuracy"])
def test_a_training_accuracy_of_the_commonest_label_is_noticed(
    caplog, name, accuracy, targets, expected
):
    task = types.SimpleNamespace(_collapse=lambda examples: False)
    learned = types.SimpleNamespace(  # The last example has no weight.
        targets=np.array([*targets, targets[0]]),
        weights=np.array([1.0] * len(targets) + [0.0]),
    )
    history = {"val_accuracy": [1.0], name: [0.0, accuracy]}
    warn_if_collapsed(task, None, learned, history)
    assert ("training accuracy in the last" in caplog.text) == expected


@pytest.mark.parametrize(
    ("losses", "is_warned"),
    [([0.69, 0.688], True), ([0.69, 0.6], False), ([0.69], False)],
)
def test_a_loss_that_has_not_moved_is_reported(losses, is_warned, caplog):
    warn_if_unchanged(losses)
    assert ("hardly decreased" in caplog.text) is is_warned
