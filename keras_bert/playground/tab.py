"""What a tab of the page is: fields, an answer to them and its picture."""

import dataclasses
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class TextField:
    """A box to write into.

    Args:
        name: str, the argument of `Tab.answer` that it fills.
        label: str.
        value: str, what stands in it at first.
        num_lines: int, how high it is.
    """

    name: str
    label: str
    value: str
    num_lines: int = 2


@dataclasses.dataclass(frozen=True)
class NumberField:
    """A slider; its numbers are whole if `step` is."""

    name: str
    label: str
    value: float
    low: float
    high: float
    step: float = 1


@dataclasses.dataclass(frozen=True)
class ChoiceField:
    """One of a few words."""

    name: str
    label: str
    value: str
    choices: tuple


@dataclasses.dataclass(frozen=True)
class Tab:
    """One thing that the page shows of a model.

    Args:
        name: str, for programs.
        title: str, for readers.
        about: str, what it shows, in a sentence or two.
        fields: function from a `ShownModel` to a list of fields.
        answer: function from the `ShownModel` and what the fields hold, by
            their names, to plain data. It raises ValueError with a sentence
            where there is no answer.
        picture: function from that data to `Html`.
        lacking: function from a `ShownModel` to what it lacks for the tab,
            such as "a masked-LM head", or "".
    """

    name: str
    title: str
    about: str
    fields: Callable
    answer: Callable
    picture: Callable
    lacking: Callable = lambda model: ""
