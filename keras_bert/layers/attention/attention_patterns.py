"""Attention patterns: causal attention and sliding windows.

A pattern is a callable that takes query positions and key positions, two int32
tensors that broadcast to each other. It returns a bool tensor, True if the
query attends to the key. A pattern with arguments is an object with `__call__`
and `get_config`, and is registered with Keras, so that its layer can be saved.
If a pattern has an int attribute `reach`, no query attends to keys farther
away, and attention in long sequences is computed in blocks.
"""

import dataclasses
import typing
from collections.abc import Callable

import keras
from keras import ops

from keras_bert import checks
from keras_bert.typing import Tensor

Pattern: typing.TypeAlias = Callable[[Tensor, Tensor], Tensor]
"""Attention pattern, a callable of query positions and key positions."""

# Up to this length, full attention is faster than blocks.
_LONGEST_FULL = 512


@keras.saving.register_keras_serializable("keras_bert")
def causal(query_positions: Tensor, key_positions: Tensor) -> Tensor:
    """Causal pattern: a token attends to itself and to earlier tokens.

    Args:
        query_positions: int32 tensor.
        key_positions: int32 tensor that broadcasts with it.

    Returns:
        bool tensor, True where the query attends to the key.

    Example:

    >>> attention = keras_bert.layers.SelfAttention(
    ...     8, num_heads=2, pattern=keras_bert.layers.causal
    ... )
    >>> attention(keras.ops.ones((1, 4, 8))).shape
    TensorShape([1, 4, 8])

    References:
        [Attention Is All You Need](https://arxiv.org/abs/1706.03762),
        section 3.2.3
    """
    return key_positions <= query_positions


@dataclasses.dataclass(frozen=True)
@keras.saving.register_keras_serializable("keras_bert")
class Window:
    """Sliding-window pattern: a token attends to nearby tokens only.

    Args:
        reach: maximum distance on each side. A window has
            `2 * reach + 1` tokens.

    Call arguments:
        query_positions: int32 tensor.
        key_positions: int32 tensor that broadcasts with it.

    Returns:
        bool tensor, True where the query attends to the key.

    Example:

    >>> attention = keras_bert.layers.SelfAttention(
    ...     8, num_heads=2, pattern=keras_bert.layers.Window(64)
    ... )
    >>> attention(keras.ops.ones((1, 4, 8))).shape
    TensorShape([1, 4, 8])

    References:
        [Longformer](https://arxiv.org/abs/2004.05150), section 3.1
    """

    reach: int

    def __post_init__(self) -> None:
        checks.at_least(1, reach=self.reach)

    def __call__(
        self, query_positions: Tensor, key_positions: Tensor
    ) -> Tensor:
        return ops.abs(query_positions - key_positions) <= self.reach

    def get_config(self) -> dict[str, typing.Any]:
        return {"reach": self.reach}

    @classmethod
    def from_config(cls, config: dict[str, typing.Any]) -> typing.Self:
        return cls(**config)


def max_full_length(pattern: Pattern | None) -> int | None:
    """Return the length above which attention is computed in blocks.

    Args:
        pattern: function of query and key positions, or None.

    Returns:
        The length, or None if the pattern has no `reach`.
    """
    reach = getattr(pattern, "reach", None)
    return None if reach is None else max(_LONGEST_FULL, 4 * reach)


def uses_blocks(
    pattern: Pattern | None, seq_length: int | Tensor
) -> bool | Tensor:
    """Return whether a sequence is long enough for block-local attention.

    Args:
        pattern: function of query and key positions, or None.
        seq_length: length, or int32 scalar tensor.

    Returns:
        False if the pattern has no `reach`; a bool scalar tensor if
        `seq_length` is a tensor.
    """
    longest = max_full_length(pattern)
    return longest is not None and seq_length > longest
