import numpy as np
import pytest

from keras_bert.tasks.fine_tuning.collapse import one_label_throughout
from keras_bert.tasks.fine_tuning.collapse import warn_if_collapsed


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([1, 1, 1], True),
        ([1, 0, 1], False),
        ([1], False),
        ([], False),
        ([[1, 0], [1, 0]], True),
        ([[1, 0], [1, 1]], False),
    ],
)
def test_one_label_is_told_from_several(labels, expected):
    assert one_label_throughout(np.array(labels)) is expected


@pytest.mark.parametrize("has_collapsed", [False, True])
def test_only_a_collapse_is_told(has_collapsed, caplog):
    class Task:
        def has_collapsed(self, examples):
            assert examples == "examples"
            return has_collapsed

    warn_if_collapsed(Task(), "examples")
    assert ("smaller learning rate" in caplog.text) == has_collapsed
