"""Layers that merge the choices axis into the batch axis, and restore it."""

import typing

import keras
from keras import ops

from keras_bert.layers.arguments import Shape
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class MergeChoices(Layer):
    """Reshape layer that merges the choices axis into the batch axis.

    Call arguments:
        choices: int32 `(batch_size, num_choices, seq_length)`.

    Returns:
        int32 `(batch_size * num_choices, seq_length)`.

    Example:

    >>> ids = keras.ops.ones((2, 4, 8), "int32")
    >>> keras_bert.layers.MergeChoices()(ids).shape
    TensorShape([8, 8])
    """

    output_dtype = "int32"

    def call(self, choices: Tensor) -> Tensor:
        return ops.reshape(choices, (-1, ops.shape(choices)[-1]))

    def compute_output_shape(self, choices_shape: Shape) -> Shape:
        batch_size, num_choices, seq_length = choices_shape
        is_known = None not in (batch_size, num_choices)
        return (batch_size * num_choices if is_known else None, seq_length)


@keras.saving.register_keras_serializable("keras_bert")
class SplitChoices(Layer):
    """Reshape layer that restores the choices axis after `MergeChoices`.

    Call arguments:
        scores: float32 `(batch_size * num_choices, 1)`.
        choices: int32 `(batch_size, num_choices, seq_length)`, the input of
            `MergeChoices`.

    Returns:
        float32 `(batch_size, num_choices)`.

    Example:

    >>> ids = keras.ops.ones((2, 4, 8), "int32")
    >>> scores = keras.ops.ones((8, 1))
    >>> keras_bert.layers.SplitChoices()(scores, ids).shape
    TensorShape([2, 4])
    """

    def __init__(self, **kwargs: typing.Any):
        # Scores stay float32 under every dtype policy.
        super().__init__(**{**kwargs, "dtype": "float32"})

    def call(self, scores: Tensor, choices: Tensor) -> Tensor:
        return ops.reshape(scores, ops.shape(choices)[:-1])

    def compute_output_shape(
        self, scores_shape: Shape, choices_shape: Shape
    ) -> Shape:
        return tuple(choices_shape[:-1])
