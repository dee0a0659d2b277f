"""Argument checks with uniform error messages.

Each function takes arguments by name, and raises ValueError for the first
invalid one:

    checks.at_least(1, epochs=epochs, batch_size=batch_size)

    ValueError: `epochs` must be an integer, at least 1. Received: epochs=0.
"""

import dataclasses
import functools
import math
import numbers
import typing

from keras_bert.messages import brief


def at_least(least, **values):
    """Raise ValueError unless all values are integers of at least `least`."""
    expected = f"an integer, at least {least}"
    _require(lambda x: _is_integer(x) and x >= least, expected, values)


def even(least, **values):
    """Raise ValueError unless all values are even and at least `least`."""
    expected = f"an even integer, at least {least}"
    _require(
        lambda x: _is_integer(x) and x >= least and x % 2 == 0, expected, values
    )


def between(least, most, **values):
    """Raise ValueError unless all values are integers in [least, most]."""
    expected = f"an integer from {least} to {most}"
    _require(lambda x: _is_integer(x) and least <= x <= most, expected, values)


def positive(**values):
    """Raise ValueError unless all values are finite numbers above 0."""
    _require(lambda x: _is_number(x) and x > 0, "a number above 0", values)


def not_negative(**values):
    """Raise ValueError unless all values are finite numbers of at least 0."""
    expected = "a number, at least 0"
    _require(lambda x: _is_number(x) and x >= 0, expected, values)


def share(**values):
    """Raise ValueError unless all values are numbers in [0, 1)."""
    expected = "a number, at least 0 and below 1"
    _require(lambda x: _is_number(x) and 0 <= x < 1, expected, values)


def fraction(**values):
    """Raise ValueError unless all values are numbers in (0, 1]."""
    expected = "a number above 0, at most 1"
    _require(lambda x: _is_number(x) and 0 < x <= 1, expected, values)


def probability(**values):
    """Raise ValueError unless all values are numbers in [0, 1]."""
    expected = "a number from 0 to 1"
    _require(lambda x: _is_number(x) and 0 <= x <= 1, expected, values)


def one_of(choices, **values):
    """Raise ValueError unless all values are among the choices."""
    expected = f"one of {', '.join(map(str, choices))}"
    scalar = str | int | float | None  # Arrays have no truth value.
    _require(lambda x: isinstance(x, scalar) and x in choices, expected, values)


def flag(**values):
    """Raise ValueError unless all values are bool."""
    _require(lambda x: isinstance(x, bool), "True or False", values)


class Check(functools.partial):
    """Check of a field of a `Checked` dataclass, for `typing.Annotated`.

    Args:
        check: function of this module.
        *args: positional arguments of `check`.
    """

    def __repr__(self):
        return f"{self.func.__name__}({', '.join(map(repr, self.args))})"


def check_of(field):
    """Return the `Check` in the annotation of a dataclass field, or None."""
    return next(iter(getattr(field.type, "__metadata__", ())), None)


class Checked:
    """Base class for dataclasses that check their fields on initialization.

    The check of a field is in its annotation. If this includes None, None is
    valid.
    """

    def __post_init__(self):
        for field in dataclasses.fields(self):
            check, value = check_of(field), getattr(self, field.name)
            if check is None:
                continue
            is_optional = type(None) in typing.get_args(field.type.__origin__)
            if value is not None or not is_optional:
                check(**{field.name: value})


def _require(is_right, expected, values):
    for name, value in values.items():
        if not is_right(value):
            raise ValueError(
                f"`{name}` must be {expected}. Received: {name}={brief(value)}."
            )


def _is_integer(value):
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _is_number(value):
    is_real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    try:
        return is_real and math.isfinite(value)
    except OverflowError:  # An int above the largest float.
        return False
