"""Base classes for tabs and their fields."""

import dataclasses
import math
from collections.abc import Callable

from keras_bert.tasks.columns import checked_texts

MAX_CHARACTERS = 20_000


@dataclasses.dataclass(frozen=True)
class Field:
    """Base class for the input fields of a tab.

    Args:
        name: str, name of the argument of `Tab.answer`.
        label: str, label on the page.
        value: default value.
    """

    name: str
    label: str
    value: object

    def from_query(self, text):
        """Parse a value from the URL, or return the default if invalid."""
        try:
            return self.checked(type(self.value)(text))
        except ValueError:
            return self.value

    def checked(self, value):
        """Convert a value for `Tab.answer`, or raise ValueError."""
        raise NotImplementedError

    def check(self, is_valid, text):
        """Raise ValueError with the field's name if a value is invalid."""
        if not is_valid:
            raise ValueError(f'The field "{self.label}" {text}')


@dataclasses.dataclass(frozen=True)
class TextField(Field):
    """Text box.

    Args:
        num_lines: int, minimum height. Enter submits a box of one line; Shift
            and Enter submit a larger box.
        is_optional: bool, whether the text may be empty.
    """

    num_lines: int = 1
    is_optional: bool = False

    def checked(self, value):
        if self.is_optional and not f"{value or ''}".strip():
            return ""
        is_text = isinstance(value, str) and value.strip()
        self.check(is_text, "is empty. Enter a text.")
        self.check(
            len(value) <= MAX_CHARACTERS,
            f"must be at most {MAX_CHARACTERS:,} characters. Received: "
            f"{len(value):,} characters.",
        )
        checked_texts([value])
        return value


@dataclasses.dataclass(frozen=True)
class LinesField(TextField):
    """Text box for `min_lines` to `max_lines` texts, one per line."""

    min_lines: int = 1
    max_lines: int = 100

    def from_query(self, text):
        return text

    def checked(self, value):
        lines = [x.strip() for x in super().checked(value).splitlines()]
        lines = [line for line in lines if line]
        self.check(
            self.min_lines <= len(lines) <= self.max_lines,
            f"must have {self.min_lines} to {self.max_lines} lines. Received: "
            f"{len(lines)} lines.",
        )
        return lines


@dataclasses.dataclass(frozen=True)
class NumberField(Field):
    """Slider from `low` to `high` with values of the type of `low`."""

    low: float
    high: float
    step: float = 1

    def checked(self, value):
        is_number = isinstance(value, int | float) and math.isfinite(value)
        is_number = is_number and not isinstance(value, bool)
        self.check(
            is_number and self.low <= value <= self.high,
            f"must be a number from {self.low} to {self.high}. Received: "
            f"{str(value)[:40]}.",
        )
        return type(self.low)(value)


@dataclasses.dataclass(frozen=True)
class ChoiceField(Field):
    """Radio buttons for a choice among a few values."""

    choices: tuple

    def checked(self, value):
        choices = ", ".join(self.choices)
        text = f"must be one of {choices}. Received: {str(value)[:40]}."
        self.check(value in self.choices, text)
        return value


@dataclasses.dataclass(frozen=True)
class Tab:
    """Tab of the page with fields, a computation and a picture.

    Args:
        name: str, name of the endpoint.
        title: str, title on the page.
        description: str, one or two sentences above the fields.
        fields: callable that takes a `PlaygroundModel` and returns a list of
            fields.
        answer: callable that computes the result from the `PlaygroundModel` and
            the checked values of the fields (keyword arguments). It raises
            ValueError for invalid input.
        picture: callable that converts the result to `Html`.
        missing_part: callable that takes a `PlaygroundModel` and returns the
            name of the missing part, such as "a masked-LM head", or "" if the
            tab is available.
    """

    name: str
    title: str
    description: str
    fields: Callable
    answer: Callable
    picture: Callable
    missing_part: Callable = lambda model: ""

    def ask(self, model, **values):
        """Check the values of the fields and compute the result.

        Fields without a value take their default.
        """
        return self.answer(
            model,
            **{
                field.name: field.checked(values.get(field.name, field.value))
                for field in self.fields(model)
            },
        )
