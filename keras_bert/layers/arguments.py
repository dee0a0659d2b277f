"""Default values, shape checks and initializers shared by the layers."""

import typing
from collections.abc import Callable

import keras

from keras_bert.typing import Tensor

Shape: typing.TypeAlias = tuple[typing.Any, ...]
Initializer: typing.TypeAlias = keras.initializers.Initializer | str | None
Activation: typing.TypeAlias = Callable[[Tensor], Tensor] | str | None

DROPOUT = 0.1
EPSILON = 1e-12
_STANDARD_DEVIATION = 0.02


def check_token_shapes(tokens, **others):
    """Raise ValueError unless the tensors have one value per token.

    Sizes that are unknown until the graph runs are not compared.

    Args:
        tokens: tensor `(batch_size, seq_length, ...)`.
        **others: tensors `(batch_size, seq_length)` by argument name, or None.
    """
    num_rows, length = tokens.shape[:2]
    for name, other in others.items():
        shape = (num_rows, length) if other is None else tuple(other.shape)
        if (
            len(shape) != 2
            or shape[0] not in (num_rows, 1, None)
            and num_rows not in (1, None)
            or shape[1] != length
            and None not in (shape[1], length)
        ):
            raise ValueError(
                f"`{name}` must have the shape (batch_size, seq_length) of the "
                f"tokens, ({num_rows}, {length}). Received: shape {shape}."
            )


def clone_initializer(initializer):
    """Copy an initializer, so that two weights get different values."""
    return initializer.__class__.from_config(initializer.get_config())


def get_initializer(identifier=None):
    """Return a Keras initializer; None gives BERT's truncated normal.

    Args:
        identifier: argument of `keras.initializers.get`, or None.
    """
    return keras.initializers.get(
        identifier
        or keras.initializers.TruncatedNormal(stddev=_STANDARD_DEVIATION)
    )
