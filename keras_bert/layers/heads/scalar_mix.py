"""Learned weighted sum of the layers of an encoder, as in ELMo."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import Shape
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class ScalarMix(Layer):
    """Learned weighted sum of the hidden states of several layers.

    The weights are a softmax of one scalar for each layer, and `gamma` scales
    the sum. The initial output is the mean of the layers.

    Args:
        num_layers: number of layers.

    Call arguments:
        states: float `(batch_size, ..., num_layers, hidden_size)`.

    Returns:
        float `(batch_size, ..., hidden_size)`.

    Example:

    >>> keras_bert.layers.ScalarMix(4)(keras.ops.ones((2, 5, 4, 8))).shape
    TensorShape([2, 5, 8])

    References:
        [ELMo](https://arxiv.org/abs/1802.05365), section 3.2, equation 1
    """

    def __init__(self, num_layers: int, **kwargs: typing.Any):
        super().__init__(**kwargs)
        checks.at_least(1, num_layers=num_layers)
        self.num_layers = num_layers

    def build(self, states_shape: Shape) -> None:
        if len(states_shape) < 3 or states_shape[-2] not in (
            None,
            self.num_layers,
        ):
            raise ValueError(
                "`states` must have the shape (batch_size, ..., "
                f"{self.num_layers}, hidden_size). "
                f"Received: shape {tuple(states_shape)}."
            )
        shape = (self.num_layers,)
        self.scores = self.add_exact_weight("scores", shape, "zeros")
        self.gamma = self.add_exact_weight("gamma", (), "ones")

    def call(self, states: Tensor) -> Tensor:
        weights = ops.softmax(self.scores) * self.gamma
        weights = ops.cast(weights, states.dtype)
        return ops.squeeze(ops.matmul(weights[None, :], states), axis=-2)

    def compute_output_shape(self, states_shape: Shape) -> Shape:
        *rest, _, hidden_size = states_shape
        return (*rest, hidden_size)
