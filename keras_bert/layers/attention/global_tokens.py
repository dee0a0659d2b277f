"""Selection of the global tokens of sliding-window attention."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import check_token_shapes
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class GlobalTokens(Layer):
    """Layer that creates `global_tokens` for `AttentionContext` from a mask.

    Args:
        max_tokens: maximum number of global tokens in a sequence. Later global
            tokens are treated as ordinary tokens.

    Call arguments:
        global_mask: int or bool `(batch_size, seq_length)`; 1 at global tokens.
        attention_mask: int or bool `(batch_size, seq_length)`; 1 at tokens, 0
            at padding. A global token must not be padding. Eager calls raise an
            error for such a token; traced functions ignore it.

    Returns:
        float `(batch_size, max_tokens, seq_length)` in the compute dtype: a
        one-hot vector for the position of each global token, then zero vectors.

    Example:

    >>> is_global = keras.ops.array([[1, 0, 0, 1]])
    >>> chosen = keras_bert.layers.GlobalTokens(3)(
    ...     is_global, keras.ops.ones((1, 4))
    ... )
    >>> chosen.numpy().tolist()
    [[[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]]]

    References:
        [Longformer](https://arxiv.org/abs/2004.05150), section 3.1
    """

    def __init__(self, max_tokens: int, **kwargs: typing.Any):
        super().__init__(**kwargs)
        checks.at_least(1, max_tokens=max_tokens)
        self.max_tokens = max_tokens

    def call(self, global_mask: Tensor, attention_mask: Tensor) -> Tensor:
        check_token_shapes(global_mask, attention_mask=attention_mask)
        is_global = ops.cast(global_mask, "bool")
        is_token = ops.cast(attention_mask, "bool")
        _check_no_padding(is_global, is_token)
        is_global = ops.logical_and(is_global, is_token)
        counts = ops.cumsum(ops.cast(is_global, "int32"), axis=1)
        numbers = ops.where(is_global, counts, 0)  # [B, S]
        rows = ops.reshape(ops.arange(1, self.max_tokens + 1), (1, -1, 1))
        chosen = ops.equal(ops.expand_dims(numbers, 1), rows)
        return ops.cast(chosen, self.compute_dtype)

    def compute_output_shape(
        self, global_mask_shape: Shape, attention_mask_shape: Shape
    ) -> Shape:
        num_rows, length = global_mask_shape
        return num_rows, self.max_tokens, length


def _check_no_padding(is_global, is_token):
    """Raise ValueError if padding is global and the values are known."""
    try:
        is_global, is_token = map(ops.convert_to_numpy, (is_global, is_token))
    except Exception:
        return  # Each backend raises a different error for traced tensors.
    wrong = is_global & ~is_token
    if wrong.any():
        row, position = (int(x[0]) for x in wrong.nonzero())
        raise ValueError(
            "A global token must not be padding: clear `global_mask` where "
            "`attention_mask` is 0. Received: a global token at position "
            f"{position} of row {row}, which is padding."
        )
