"""Transformer block with a parallel convolution, as in DeBERTa v2."""

import typing

import keras
from keras import ops

from keras_bert.layers.activations import gelu_erf
from keras_bert.layers.arguments import EPSILON
from keras_bert.layers.arguments import Activation
from keras_bert.layers.arguments import Shape
from keras_bert.layers.blocks.post_norm_block import PostNormBlock
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.layer_norm import LayerNorm
from keras_bert.layers.positions import gather_positions
from keras_bert.layers.recompute import recomputable
from keras_bert.messages import brief
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors


@keras.saving.register_keras_serializable("keras_bert")
class ConvolvedBlock(PostNormBlock):
    """`PostNormBlock` with a convolution of its inputs in parallel.

    The output of the convolution is added to the output of the block, and the
    sum is normalized. The inputs of the convolution are zero at padding.

    Args:
        self_attention, feed_forward: arguments of `PostNormBlock`.
        kernel_size: width of the convolution in tokens; must be odd.
        activation: Keras activation of the convolution.
        dropout: dropout rate applied to the output of the convolution.
        layer_norm_epsilon: small float added to the variance.

    Call arguments:
        inputs, attention_mask, query_positions, context: call arguments of
            `PostNormBlock`.

    Returns:
        float `(batch_size, num_queries, hidden_size)`.

    Example:

    >>> block = keras_bert.layers.ConvolvedBlock(
    ...     keras_bert.layers.SelfAttention(8, 2, name="self_attention"),
    ...     keras_bert.layers.FeedForward(8, 32, name="feed_forward"),
    ...     kernel_size=3,
    ... )
    >>> block(keras.ops.ones((1, 4, 8)), keras.ops.ones((1, 4))).shape
    TensorShape([1, 4, 8])

    References:
        [DeBERTa](https://arxiv.org/abs/2006.03654), appendix A.5, and the
        `ConvLayer` of microsoft/DeBERTa
    """

    sees_neighbours = True  # Packed sequences are not supported.

    def __init__(
        self,
        self_attention: keras.layers.Layer,
        feed_forward: keras.layers.Layer,
        kernel_size: int,
        activation: Activation = gelu_erf,
        dropout: float = 0.0,
        layer_norm_epsilon: float = EPSILON,
        **kwargs: typing.Any,
    ):
        super().__init__(
            self_attention, feed_forward, layer_norm_epsilon, **kwargs
        )
        if not isinstance(kernel_size, int) or kernel_size % 2 == 0:
            raise ValueError(
                "`kernel_size` must be an odd integer. "
                f"Received: kernel_size={brief(kernel_size)}."
            )
        self.kernel_size = kernel_size
        self.activation = keras.activations.get(activation)
        self.convolution_dropout = Dropout(
            dropout, dtype=self.dtype_policy, name="convolution_dropout"
        )
        self.convolution_layer_norm = LayerNorm(
            layer_norm_epsilon, dtype="float32", name="convolution_layer_norm"
        )

    def build(self, inputs_shape: Shape) -> None:
        super().build(inputs_shape)
        self.convolution = keras.layers.Conv1D(
            inputs_shape[-1],
            self.kernel_size,
            padding="same",
            dtype=self.dtype_policy,
            name="convolution",
        )
        self.convolution.build(inputs_shape)

    @recomputable
    def call(
        self,
        inputs: Tensor,
        attention_mask: Tensor | None = None,
        query_positions: Tensor | None = None,
        context: Tensors | None = None,
        training: bool | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        attention_mask = mask if attention_mask is None else attention_mask
        states = super().call(
            inputs, attention_mask, query_positions, context, training
        )
        if attention_mask is not None:
            mask = ops.expand_dims(ops.cast(attention_mask, inputs.dtype), -1)
            inputs = inputs * mask
        convolved = self.convolution(inputs)
        if query_positions is not None:
            convolved = gather_positions(convolved, query_positions)
        convolved = self.convolution_dropout(convolved, training=training)
        return self._add(
            states, self.activation(convolved), self.convolution_layer_norm
        )
