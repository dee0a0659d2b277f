"""Checks name the argument, the expected and the received value."""

import dataclasses
from typing import Annotated

import numpy as np
import pytest

from keras_bert import checks


@pytest.mark.parametrize(
    "check, right, wrong, expected",
    [
        (lambda **x: checks.at_least(1, **x), 1, 0, "an integer, at least 1"),
        (lambda **x: checks.at_least(1, **x), np.int64(2), 2.0, "an integer"),
        (lambda **x: checks.at_least(0, **x), 0, True, "an integer"),
        (lambda **x: checks.between(1, 3, **x), 3, 4, "from 1 to 3"),
        (checks.positive, 1e-9, 0, "above 0"),
        (checks.positive, np.float32(0.5), float("inf"), "above 0"),
        (checks.not_negative, 0, -1e-9, "at least 0"),
        (checks.share, 0.0, 1.0, "at least 0 and below 1"),
        (checks.fraction, 1.0, 0.0, "above 0, at most 1"),
        (checks.probability, 1, 1.5, "from 0 to 1"),
        (checks.probability, 0, "0.5", "from 0 to 1"),
        (lambda **x: checks.one_of(("a", "b"), **x), "b", "c", "one of a, b"),
        (checks.flag, False, 0, "True or False"),
        (lambda **x: checks.one_of({"a": 1}, **x), "a", [1], "one of a"),
        (lambda **x: checks.one_of(["a"], **x), "a", np.ones(2), "one of a"),
    ],
)
def test_values(check, right, wrong, expected):
    check(size=right)
    with pytest.raises(ValueError) as error:
        check(size=right, other=wrong)
    assert str(error.value).startswith("`other` must be ")
    assert expected in str(error.value)
    assert str(error.value).endswith(f"Received: other={wrong!r}.")


def test_integers_above_all_floats_are_not_numbers():
    with pytest.raises(ValueError, match="`rate` must be a number above 0"):
        checks.positive(rate=10**400)


def test_dataclasses_check_their_fields():
    @dataclasses.dataclass
    class Options(checks.Checked):
        steps: Annotated[int, checks.Check(checks.at_least, 1)] = 3
        patience: Annotated[int | None, checks.Check(checks.at_least, 1)] = None

    assert Options() == Options(3, None)
    for wrong in {"steps": None}, {"steps": 0}, {"patience": 0}:
        with pytest.raises(ValueError, match=f"`{[*wrong][0]}` must be"):
            Options(**wrong)
