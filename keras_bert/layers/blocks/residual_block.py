"""Base class for Transformer blocks with residual connections."""

import typing

from keras import ops

from keras_bert.layers.arguments import Shape
from keras_bert.layers.layer import Layer
from keras_bert.layers.positions import gather_positions
from keras_bert.layers.recompute import recomputable
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors

_OLD_FIELDS = {
    "position": "positions",
    "text": "text_numbers",
    "query_states": "query_inputs",
}


class ResidualBlock(Layer):
    """Base class for blocks with attention, feed-forward and residuals.

    Subclasses set the layers `self_attention` and `feed_forward`, and override
    the methods that apply layer normalization. These methods map float `(...,
    hidden_size)` to the same shape, and also accept packed tokens without a
    batch axis.

    Attributes:
        recomputes: whether training computes the block again in the backward
            pass, instead of storing its activations. Can be assigned.
    """

    recomputes: bool = False

    @property
    def sees_neighbours(self) -> bool:
        """Whether texts packed in one sequence would affect each other."""
        return getattr(self.self_attention, "sees_neighbours", False)

    def __call__(
        self,
        *args: typing.Any,
        about: Tensors | None = None,
        **kwargs: typing.Any,
    ) -> Tensor:
        # `.keras` files from earlier releases use different names for the
        # context and some of its fields.
        if about is not None:
            names = {
                _OLD_FIELDS.get(name, name): x for name, x in about.items()
            }
            kwargs["context"] = names
        return super().__call__(*args, **kwargs)

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
        attended = self.self_attention(
            self.attention_input(inputs),
            attention_mask,
            query_positions,
            context,
            training=training,
        )
        inputs = (context or {}).get("query_inputs", inputs)
        if query_positions is not None:
            inputs = gather_positions(inputs, query_positions)
        states = self.with_attended(inputs, attended)
        output = self.feed_forward(
            self.feed_forward_input(states), training=training
        )
        return self.with_output(states, output)

    def compute_mask(self, inputs: Tensor, previous_mask: Tensor) -> Tensor:
        return previous_mask

    def attention_input(self, inputs: Tensor) -> Tensor:
        """Return the input of `self_attention`, normalized if needed."""
        return inputs

    def with_attended(self, inputs: Tensor, attended: Tensor) -> Tensor:
        """Add the output of `self_attention` to the hidden states."""
        return inputs + ops.cast(attended, self.compute_dtype)

    def feed_forward_input(self, states: Tensor) -> Tensor:
        """Return the input of `feed_forward`, normalized if needed."""
        return states

    def with_output(self, states: Tensor, output: Tensor) -> Tensor:
        """Add the output of `feed_forward` to the hidden states."""
        return states + ops.cast(output, self.compute_dtype)

    def attention_weights(
        self,
        inputs: Tensor,
        attention_mask: Tensor | None = None,
        context: Tensors | None = None,
    ) -> Tensor:
        """Return the attention weights of `self_attention`.

        Args:
            inputs, attention_mask, context: call arguments.

        Returns:
            float `(batch_size, num_heads, seq_length, seq_length)`.
        """
        return self.self_attention.attention_weights(
            self.attention_input(inputs), attention_mask, context
        )

    def compute_output_shape(
        self, inputs_shape: Shape, query_positions_shape: Shape | None = None
    ) -> Shape:
        return self.self_attention.compute_output_shape(
            inputs_shape, query_positions_shape
        )
