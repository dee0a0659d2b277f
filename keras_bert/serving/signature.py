"""Inputs and outputs of a served model."""

import dataclasses
import reprlib

from keras_bert.serving.errors import ServerError

STRING = "string"


@dataclasses.dataclass(frozen=True)
class TensorForm:
    """A tensor as the server describes it.

    Attributes:
        dtype: str, as TensorFlow names it: "string".
        rank: int, the number of its dimensions; None if it is open.
    """

    dtype: str
    rank: int | None


@dataclasses.dataclass(frozen=True)
class Signature:
    """A signature.

    Attributes:
        name: str.
        inputs: dict from names to `TensorForm`.
        outputs: tuple of str, names.
    """

    name: str
    inputs: dict
    outputs: tuple

    def check_names(self, names):
        """Raises ValueError unless these are the names of its inputs."""
        if {*names} != {*self.inputs}:
            raise ValueError(
                f"The signature {self.name!r} takes {_listed(self.inputs)}. "
                f"Received: {_listed(names)}."
            )

    def check(self, inputs):
        """Raises ValueError unless these are its inputs.

        Args:
            inputs: dict from names to lists with an item for each row.
        """
        self.check_names(inputs)
        for name, values in inputs.items():
            if not isinstance(values, list):
                raise ValueError(
                    f"{name!r} must be a list with an item for each row. "
                    f"Received: {reprlib.repr(values)}."
                )
            form = self.inputs[name]
            shapes = {_shape(name, value, form) for value in values}
            if len(shapes) > 1:
                raise ValueError(
                    f"All rows of {name!r} must be of one length. Received: "
                    f"{sorted(shapes)}."
                )
        counts = {name: len(values) for name, values in inputs.items()}
        if len({*counts.values()}) > 1:
            raise ValueError(
                f"All inputs must have as many rows. Received: {counts}."
            )


def signature_of(signatures, name):
    """Takes the one of several signatures, a dict, that has a name.

    Raises:
        ServerError: there is none of that name.
    """
    if name not in signatures:
        raise ServerError(
            f"The model has the signatures {_listed(signatures)}. Received: "
            f"{name!r}."
        )
    return signatures[name]


def _shape(name, value, form):
    """Measures the lists that make a row."""
    lengths, items = (), [value]
    while items and all(isinstance(item, list) for item in items):
        distinct = {len(item) for item in items}
        lengths += (len(items[0]),)
        items = [inner for item in items for inner in item]
        if len(distinct) > 1:
            break
    kinds = _kinds(form.dtype)
    is_rank = not items or form.rank in (None, len(lengths) + 1)
    if not is_rank or not all(_is_one(item, kinds) for item in items):
        raise ValueError(
            f"{name!r} must be {_words(form)} for each row. Received: "
            f"{reprlib.repr(value)}."
        )
    return lengths


def _is_one(value, kinds):
    return isinstance(value, kinds) and not isinstance(value, bool)


def _kinds(dtype):
    if dtype == STRING:
        return str
    return int if "int" in dtype else int | float


def _words(form):
    words = {str: "text", int: "whole number"}
    word = words.get(_kinds(form.dtype), "number")
    rank = form.rank or 1
    return f"{'a list of ' * (rank - 1)}{'a ' * (rank < 2)}{word}" + "s" * (
        rank > 1
    )


def _listed(names):
    return ", ".join(sorted(names)) or "nothing"
