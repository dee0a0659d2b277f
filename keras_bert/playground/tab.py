"""Tabs of the page: fields, an answer to them and its picture."""

import dataclasses
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class TextField:
    """A box to write into.

    Args:
        name: str, the argument of `Tab.answer` that it fills.
        label: str.
        value: str, the text at first.
        num_lines: int, how high it is at least. In a box of one line Enter
            shows the answer, in higher ones Shift and Enter do.
    """

    name: str
    label: str
    value: str
    num_lines: int = 1

    def asked(self, text):
        """The value that an address asks for, given as text."""
        return text


@dataclasses.dataclass(frozen=True)
class NumberField:
    """A slider; its numbers are whole if `step` is."""

    name: str
    label: str
    value: float
    low: float
    high: float
    step: float = 1

    def asked(self, text):
        """The value that an address asks for; the first one if it cannot be."""
        try:
            number = type(self.value)(text)
        except ValueError:
            return self.value
        return number if self.low <= number <= self.high else self.value


@dataclasses.dataclass(frozen=True)
class ChoiceField:
    """One of a few words."""

    name: str
    label: str
    value: str
    choices: tuple

    def asked(self, text):
        """The value that an address asks for; the first one if it cannot be."""
        return text if text in self.choices else self.value


@dataclasses.dataclass(frozen=True)
class Tab:
    """One thing that the page shows of a model.

    Args:
        name: str, for programs.
        title: str, for readers.
        about: str, the text above it, a sentence or two.
        fields: function from a `ShownModel` to a list of fields.
        answer: function from the `ShownModel` and the values of the fields,
            by their names, to plain data. It raises ValueError with a
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


def fine_tuned_to(purpose, tasks):
    """A `Tab.lacking` that asks for a model with one of some tasks.

    Args:
        purpose: str, such as "tag words".
        tasks: class or union of classes of `keras_bert.tasks`.
    """
    reason = f"a model that was fine-tuned to {purpose}"
    return lambda model: "" if isinstance(model.task, tasks) else reason
