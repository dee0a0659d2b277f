"""Queries of DeBERTa's enhanced mask decoder."""

import keras
from keras import ops

from keras_bert.layers.heads.tied_head import TiedLayer
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class MaskQueries(TiedLayer):
    """Sum of hidden states and absolute position embeddings.

    The position embeddings belong to the `embeddings` layer. They stay shared
    in copies and saved files of the model, as in `LMHead`.

    Args:
        embeddings: layer of the same model with the weight
            `position_embeddings`, `(num_positions, hidden_size)`.

    Call arguments:
        states: float `(batch_size, seq_length, hidden_size)`.
        positions: int32 `(batch_size, seq_length)`, positions of the tokens in
            their texts, for packed sequences. Defaults to the positions in the
            sequence.

    Returns:
        float `(batch_size, seq_length, hidden_size)` in the compute dtype.

    Example:

    >>> embeddings = keras_bert.layers.WordEmbeddings(
    ...     30,
    ...     8,
    ...     keras_bert.layers.LayerNorm(name="layer_norm"),
    ...     max_position_embeddings=16,
    ... )
    >>> states = embeddings(keras.ops.array([[2, 7, 9, 3]]))
    >>> keras_bert.layers.MaskQueries(embeddings)(states).shape
    TensorShape([1, 4, 8])

    References:
        [DeBERTa](https://arxiv.org/abs/2006.03654), section 3.2
    """

    def call(self, states: Tensor, positions: Tensor | None = None) -> Tensor:
        if positions is None:
            positions = ops.arange(ops.shape(states)[1])[None]
        rows = ops.take(self.embeddings.position_embeddings, positions, axis=0)
        return states + ops.cast(rows, self.compute_dtype)
