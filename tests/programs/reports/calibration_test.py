import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_bert.programs.reports.calibration import calibration


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
