"""Tabs of the page: fields, an answer to them and its picture."""

import dataclasses
import math
from collections.abc import Callable

from keras_bert.tasks.fine_tuning.columns import checked_texts

MAX_CHARACTERS = 20_000


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of a tab.

    Args:
        name: str, the argument of `Tab.answer` that it fills.
        label: str.
        value: the first value.
    """

    name: str
    label: str
    value: object

    def asked(self, text):
        """Return the value of an address; the first value if it is invalid."""
        try:
            return self.checked(type(self.value)(text))
        except ValueError:
            return self.value

    def checked(self, value):
        """Return a valid value for `Tab.answer`, or raise ValueError."""
        raise NotImplementedError

    def check(self, is_valid, text):
        """Raise ValueError with a text about the field unless it is valid."""
        if not is_valid:
            raise ValueError(f'The field "{self.label}" {text}')


@dataclasses.dataclass(frozen=True)
class TextField(Field):
    """A text box.

    Args:
        num_lines: int, the least height. Enter shows the answer in a box of
            one line, Shift and Enter in higher ones.
        is_optional: bool; an optional text may be empty.
    """

    num_lines: int = 1
    is_optional: bool = False

    def checked(self, value):
        if self.is_optional and not f"{value or ''}".strip():
            return ""
        is_text = isinstance(value, str) and value.strip()
        self.check(is_text, "is empty. Write something into it.")
        self.check(
            len(value) <= MAX_CHARACTERS,
            f"must be at most {MAX_CHARACTERS:,} characters. Received: "
            f"{len(value):,}.",
        )
        checked_texts([value])
        return value


@dataclasses.dataclass(frozen=True)
class LinesField(TextField):
    """A text box for a number of texts, one a line."""

    least: int = 1
    most: int = 100

    def asked(self, text):
        return text

    def checked(self, value):
        lines = [x.strip() for x in super().checked(value).splitlines()]
        lines = [line for line in lines if line]
        self.check(
            self.least <= len(lines) <= self.most,
            f"must have {self.least} to {self.most} lines. Received: "
            f"{len(lines)}.",
        )
        return lines


@dataclasses.dataclass(frozen=True)
class NumberField(Field):
    """A slider; its numbers are integers if `low` is."""

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
    """One of a few words."""

    choices: tuple

    def checked(self, value):
        choices = ", ".join(self.choices)
        text = f"must be one of {choices}. Received: {str(value)[:40]}."
        self.check(value in self.choices, text)
        return value


@dataclasses.dataclass(frozen=True)
class Tab:
    """One view of a model.

    Args:
        name: str, for programs.
        title: str, for readers.
        about: str, a sentence or two above the fields.
        fields: function from a `ShownModel` to a list of fields.
        answer: function from the `ShownModel` and the checked values of the
            fields, by their names, to plain data. It raises ValueError with a
            sentence for input that has no answer.
        picture: function from that data to `Html`.
        lacking: function from a `ShownModel` to the name of a missing part,
            such as "a masked-LM head", or "".
    """

    name: str
    title: str
    about: str
    fields: Callable
    answer: Callable
    picture: Callable
    lacking: Callable = lambda model: ""

    def ask(self, model, **values):
        """Check the values of fields and answer them.

        Fields without a value have their first one.
        """
        return self.answer(
            model,
            **{
                field.name: field.checked(values.get(field.name, field.value))
                for field in self.fields(model)
            },
        )
