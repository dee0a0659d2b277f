"""Two sublayers, each added to the states, wherever these are normalized."""

from keras import ops

from keras_bert.layers.layer import Layer
from keras_bert.layers.positions import gather_positions

_OLD_FIELDS = {
    "position": "positions",
    "text": "text_numbers",
    "query_states": "query_inputs",
}


class ResidualBlock(Layer):
    """Attention, then a feed-forward net, each added to the states.

    A subclass has the layers `self_attention` and `feed_forward`, whose names
    are part of the paths of their weights, and normalizes by the methods here.
    Each takes and gives float `(..., hidden_size)`, also without an axis of
    the batch, as packed tokens are.
    """

    def __call__(self, *args, about=None, **kwargs):
        # `.keras` files of earlier releases name the context and some of its
        # fields otherwise.
        if about is not None:
            names = {
                _OLD_FIELDS.get(name, name): x for name, x in about.items()
            }
            kwargs["context"] = names
        return super().__call__(*args, **kwargs)

    def call(
        self,
        inputs,
        attention_mask=None,
        query_positions=None,
        context=None,
        training=None,
        mask=None,
    ):
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

    def compute_mask(self, inputs, previous_mask):
        return previous_mask

    def attention_input(self, inputs):
        """Normalize the states that `self_attention` reads, if at all."""
        return inputs

    def with_attended(self, inputs, attended):
        """Add to the states what `self_attention` makes of them."""
        return inputs + ops.cast(attended, self.compute_dtype)

    def feed_forward_input(self, states):
        """Normalize the states that `feed_forward` reads, if at all."""
        return states

    def with_output(self, states, output):
        """Add to the states what `feed_forward` makes of them."""
        return states + ops.cast(output, self.compute_dtype)

    def attention_weights(self, inputs, attention_mask=None, context=None):
        """Return the attention weights of `self_attention`.

        Args:
            inputs, attention_mask, context: the arguments of a call.

        Returns:
            float `(batch_size, num_heads, seq_length, seq_length)`.
        """
        return self.self_attention.attention_weights(
            self.attention_input(inputs), attention_mask, context
        )

    def compute_output_shape(self, inputs_shape, query_positions_shape=None):
        return self.self_attention.compute_output_shape(
            inputs_shape, query_positions_shape
        )
