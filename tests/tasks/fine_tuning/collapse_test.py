import numpy as np
import pytest

from keras_bert.tasks.fine_tuning.collapse import examples_to_tell
from keras_bert.tasks.fine_tuning.collapse import is_one_throughout
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
    assert is_one_throughout(np.array(labels)) is expected


def test_a_share_of_one_answer_may_do():
    texts = ["no"] * 19 + ["yes"]
    assert not is_one_throughout(texts)
    assert is_one_throughout(texts, share=0.95)
    assert not is_one_throughout(["yes", *texts], share=0.95)


def test_examples_that_tell_are_spread_over_all():
    assert examples_to_tell(3).tolist() == [0, 1, 2]
    some = examples_to_tell(100_000)
    assert len({*some.tolist()}) == 512
    assert (some[0], some[-1]) == (0, 99_999)


@pytest.mark.parametrize("has_collapsed", [False, True])
def test_only_a_collapse_is_told(has_collapsed, caplog):
    class Task:
        remedies = "a smaller learning rate"

        def has_collapsed(self, examples):
            assert examples == "examples"
            return has_collapsed

    warn_if_collapsed(Task(), "examples")
    assert ("smaller learning rate" in caplog.text) == has_collapsed
