"""Sampling of ELECTRA's replaced tokens from the logits of a generator."""

import typing

import keras
from keras import ops

from keras_bert.layers.arguments import Shape
from keras_bert.layers.dropout import ReplicaSeedGenerator
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor

_FIXED_SEED = 0


@keras.saving.register_keras_serializable("keras_bert")
class TokenReplacement(Layer):
    """Layer that replaces masked tokens with samples from a generator.

    No gradient flows through the sampling. In training, every call samples
    different tokens; the seed state is saved with the model. In inference,
    equal inputs give equal samples.

    Args:
        seed: random seed. If None, a random seed is used.

    Call arguments:
        input_ids: int32 `(batch_size, seq_length)`, with masked tokens.
        masked_lm_positions: int32 `(batch_size, num_predictions)`, positions
            of the masked tokens; position 0 is padding.
        masked_lm_ids: int32 `(batch_size, num_predictions)`, original ids of
            the masked tokens.
        mlm_logits: float32 `(batch_size, num_predictions, vocab_size)`.
        training: bool, whether each call samples different tokens.

    Returns:
        Two int32 tensors `(batch_size, seq_length)`: the ids after replacement,
        and labels, 1 at replaced tokens, else 0. If a sample equals the
        original token, the label is 0.

    Example:

    >>> layer = keras_bert.layers.TokenReplacement()
    >>> logits = keras.ops.array([[[0.0, 0.0, 99.0]]])
    >>> ids, is_replaced = layer(
    ...     keras.ops.array([[1, 0, 1]]),
    ...     keras.ops.array([[1]]),
    ...     keras.ops.array([[1]]),
    ...     logits,
    ... )
    >>> ids.numpy().tolist(), is_replaced.numpy().tolist()
    ([[1, 2, 1]], [[0, 1, 0]])

    References:
        [ELECTRA](https://arxiv.org/abs/2003.10555), section 2
    """

    output_dtype = "int32"

    def __init__(self, seed: int | None = None, **kwargs: typing.Any):
        super().__init__(**kwargs)
        self.seed_generator = ReplicaSeedGenerator(seed)

    def call(
        self,
        input_ids: Tensor,
        masked_lm_positions: Tensor,
        masked_lm_ids: Tensor,
        mlm_logits: Tensor,
        training: bool | None = None,
    ) -> tuple[Tensor, Tensor]:
        logits = ops.stop_gradient(ops.cast(mlm_logits, "float32"))
        drawn = keras.random.categorical(
            ops.reshape(logits, (-1, logits.shape[-1])),
            1,
            seed=self.seed_generator if training else _FIXED_SEED,
        )
        drawn = ops.reshape(drawn, ops.shape(masked_lm_ids))  # [B, P]
        is_real = masked_lm_positions > 0
        is_replaced = ops.logical_and(is_real, drawn != masked_lm_ids)
        # Padding rewrites the first token, which is never masked.
        drawn = ops.where(is_real, drawn, input_ids[:, :1])
        return (
            _put(input_ids, masked_lm_positions, drawn),
            _put(ops.zeros_like(input_ids), masked_lm_positions, is_replaced),
        )

    def compute_output_shape(
        self, input_ids_shape: Shape
    ) -> tuple[Shape, Shape]:
        return input_ids_shape, input_ids_shape


def _put(values, positions, updates):
    """Write updates `(batch_size, num_positions)` into int32 values."""
    rows = ops.arange(ops.shape(values)[0], dtype="int32")[:, None]
    rows = ops.broadcast_to(rows, ops.shape(positions))
    indices = ops.reshape(ops.stack([rows, positions], axis=-1), (-1, 2))
    updates = ops.reshape(ops.cast(updates, "int32"), (-1,))
    return ops.scatter_update(values, indices, updates)
