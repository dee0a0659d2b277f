"""Models that skip most of the padding."""

import keras
import numpy as np
import tensorflow as tf

from keras_bert.layers.attention.attention import AttentionContext
from keras_bert.layers.attention.self_attention import SelfAttention
from keras_bert.layers.blocks.feed_forward import FeedForward
from keras_bert.layers.blocks.gated_feed_forward import GatedFeedForward
from keras_bert.layers.blocks.residual_block import ResidualBlock

# TensorFlow caches data for each matrix product shape, so only a few shapes are
# used. In attention, the number of rows is 1, 2, 3, 4, 6, 8, 12, 16, 24 and so
# on, and the number of positions is 8 times one of these. Elsewhere, the number
# of tokens is a multiple of 4, or of 16 for many tokens.
_FEW_SIZES = (1, *(size << power for power in range(20) for size in (2, 3)))
_POSITION_STEP = 8
_MANY_TOKENS = 128
_NUM_CHUNKS = 2


def packed_model(model, num_chunks=_NUM_CHUNKS):
    """Build an equivalent model that packs all tokens into one matrix.

    Only attention needs rows of equal length. Other layers of a block process
    each token independently.

    Args:
        model: functional `keras.Model`. Packing applies to each
            `PostNormBlock` and `PreNormBlock` with `SelfAttention`, also in
            nested models, unless the block has a `context` input. Other layers
            are unchanged.
        num_chunks: int, number of chunks that each matrix product of a float32
            block is split into. TensorFlow computes them in parallel.

    Returns:
        A functional `keras.Model` with the same inputs and outputs, for
        inference on TensorFlow. If `num_chunks` is above 1, blocks that compute
        in float32 have copies of their weights. Positions after the last token
        of a row contain the hidden states of this token.
    """
    blocks = _PackedBlocks(num_chunks)

    def call(layer, *arguments, **named):
        if _can_be_packed(layer) and "context" not in named:
            return blocks.call(layer, *arguments, **named)
        if any(map(_can_be_packed, getattr(layer, "layers", []))):
            return packed_model(layer, num_chunks)(*arguments, **named)
        return layer(*arguments, **named)

    # Otherwise the optimizer and the losses would be copied as well.
    model = keras.Model(model.input, model.output)
    return keras.models.clone_model(
        model, clone_function=lambda layer: layer, call_function=call
    )


def renew_copies(packed):
    """Refresh the copied weights of a `packed_model`."""
    for layer in packed.layers:
        if isinstance(layer, _PackedBlock):
            layer.copy_weights()
        elif isinstance(layer, keras.Model):
            renew_copies(layer)


def row_lengths(mask):
    """Return the length of each row without trailing padding.

    Args:
        mask: int32 `(batch_size, ..., seq_length)`; 1 at tokens.

    Returns:
        int32 `(batch_size,)`, at least 1. If an example has several sequences,
        the length of the longest one.
    """
    ends = tf.where(mask > 0, tf.range(tf.shape(mask)[-1]) + 1, 0)
    return tf.maximum(tf.reduce_max(ends, axis=[*range(1, ends.shape.rank)]), 1)


def _can_be_packed(layer):
    """Return True if `_PackedBlock` can replace a layer."""
    attention = getattr(layer, "self_attention", None)
    is_block = _calls_as(layer, ResidualBlock)
    # Block-sparse attention has different block borders in a longer grid.
    is_plain = getattr(type(attention), "attend", None) is SelfAttention.attend
    return is_block and is_plain and _calls_as(attention, SelfAttention)


def _calls_as(layer, *classes):
    call = getattr(type(layer), "call", None)
    return call in [x.call for x in classes]


class _PackedBlocks:
    """Sequence of blocks for packed tokens."""

    def __init__(self, num_chunks):
        self._num_chunks = num_chunks
        # All calls of a block share one copy of its weights.
        self._packed = {}
        # Keys are tensor `id`s. The tensors are kept, so that ids are not
        # reused.
        self._grids = {}
        self._tokens = {}

    def call(self, block, states, mask, query_positions=None):
        if id(mask) not in self._grids:
            self._grids[id(mask)] = _Grid()(mask), mask
        grid, _ = self._grids[id(mask)]
        if id(states) not in self._tokens:
            self._tokens[id(states)] = _Pack()(states, **grid), states
        tokens, _ = self._tokens[id(states)]
        if block not in self._packed:
            self._packed[block] = _PackedBlock(block, self._num_chunks)
        packed = self._packed[block]
        outputs = packed(tokens, **grid, query_positions=query_positions)
        if query_positions is not None:
            return outputs
        states = _Unpack()(outputs, states, grid["tokens_at"])
        self._tokens[id(states)] = outputs, states
        return states


class _Grid(keras.layers.Layer):
    """Layer that maps packed tokens to padded rows for attention.

    Call arguments:
        mask: int32 `(batch_size, seq_length)`; 1 at tokens.

    Returns:
        A dict of int32 tensors: `grid_mask`, `(num_rows, num_positions)`, the
        mask padded to a grid of more rows and positions; `grid_indices`,
        `(num_tokens,)`, the index of each packed token in the flattened grid;
        and `tokens_at`, `(num_rows, num_positions)`, the index of the packed
        token at each position of the grid.
    """

    def call(self, inputs):
        num_rows, num_positions = tf.unstack(tf.shape(inputs))
        more_rows = [0, _rounded(num_rows, 1) - num_rows]
        more_positions = _rounded(num_positions, _POSITION_STEP)
        mask = tf.pad(inputs, [more_rows, [0, more_positions - num_positions]])
        ends = tf.pad(row_lengths(inputs), [more_rows])
        is_token = tf.sequence_mask(ends, more_positions)
        grid_indices = tf.where(tf.reshape(is_token, [-1]))[:, 0]
        grid_indices = tf.cast(grid_indices, tf.int32)
        # Compute at least one token, even for an empty batch.
        num_tokens = tf.maximum(tf.size(grid_indices), 1)
        # `-num_tokens % step` would be negative in ONNX, as in C.
        step = tf.where(num_tokens < _MANY_TOKENS, 4, 16)
        num_tokens = (num_tokens + step - 1) // step * step
        more_tokens = num_tokens - tf.size(grid_indices)
        # Padding repeats the last token of a row.
        starts = tf.cumsum(ends, exclusive=True)
        last = tf.expand_dims(ends - 1, 1)
        tokens_at = tf.minimum(tf.range(more_positions), last)
        tokens_at = tf.maximum(tokens_at + tf.expand_dims(starts, 1), 0)
        return {
            "grid_mask": mask,
            "grid_indices": tf.pad(grid_indices, [[0, more_tokens]]),
            "tokens_at": tokens_at,
        }

    def compute_output_spec(self, inputs):
        return {
            name: keras.KerasTensor(shape, "int32")
            for name, shape in (
                ("grid_mask", (None, None)),
                ("grid_indices", (None,)),
                ("tokens_at", (None, None)),
            )
        }


def _rounded(size, step):
    """Round an int32 scalar up to a multiple of `step`."""
    sizes = tf.constant(_FEW_SIZES) * step
    return sizes[tf.reduce_sum(tf.cast(sizes < size, tf.int32))]


class _Pack(keras.layers.Layer):
    """Layer that removes the padding of hidden states."""

    def call(self, inputs, grid_indices, grid_mask, tokens_at):
        shape, grid = tf.shape(inputs), tf.shape(grid_mask)
        missing = [[0, grid[0] - shape[0]], [0, grid[1] - shape[1]], [0, 0]]
        flat = tf.reshape(tf.pad(inputs, missing), [-1, inputs.shape[-1]])
        return tf.gather(flat, grid_indices)

    def compute_output_spec(self, inputs, **grid):
        return keras.KerasTensor((None, inputs.shape[-1]), inputs.dtype)


class _PackedBlock(keras.layers.Layer):
    """Transformer block for packed tokens, `(num_tokens, hidden_size)`."""

    def __init__(self, block, num_chunks):
        super().__init__(dtype=block.dtype_policy)
        self.block = block
        self._num_chunks = num_chunks
        self._copies = []
        attention, feed_forward = block.self_attention, block.feed_forward
        self.query_key_value = self._split(
            attention.query_key_value, 3, attention.head_size
        )
        self.attention_output = self._split(attention.attention_output)
        self.feed_forward = None
        if _calls_as(feed_forward, FeedForward, GatedFeedForward):
            intermediate = feed_forward.intermediate
            num_blocks = intermediate.units // feed_forward.intermediate_size
            self.feed_forward = [
                self._split(intermediate, num_blocks),
                self._split(feed_forward.feed_forward_output),
            ]

    def _split(self, layer, num_blocks=1, step=1):
        """Split a `FlatDense` into chunks of units that run in parallel.

        Two threads compute the chunks, and smaller matrices fit the caches. The
        units of the layer consist of `num_blocks` blocks, such as query, key
        and value. Each chunk has an equal share of each block, in multiples of
        `step` units.
        """
        # In bfloat16 or int8, matrix products are too fast to gain from
        # threads.
        is_fast = self.compute_dtype != "float32" or layer.quantization_mode
        if is_fast or self._num_chunks == 1:
            return [layer]
        units = np.arange(layer.units).reshape(num_blocks, -1, step)
        chunks = [
            chunk.ravel()
            for chunk in np.array_split(units, self._num_chunks, axis=1)
            if chunk.size
        ]
        copies = [layer.select_units(chunk) for chunk in chunks]
        self._copies += [
            (copy, layer, chunk)
            for copy, chunk in zip(copies, chunks, strict=True)
        ]
        return copies

    def copy_weights(self):
        """Copy the current weights from the original block."""
        for copy, layer, units in self._copies:
            copy.copy_units(layer, units)

    def call(
        self, inputs, grid_mask, grid_indices, tokens_at, query_positions=None
    ):
        attention = self.block.self_attention
        read = self.block.attention_input(inputs)
        if query_positions is not None:
            num_rows = tf.shape(query_positions)[0]
            more_rows = [0, tf.shape(grid_mask)[0] - num_rows]
            query_positions = tf.pad(query_positions, [more_rows, [0, 0]])

        size, length = attention.head_size, tf.shape(grid_mask)[1]

        def context(layer):
            # Gather the head vectors. Transposing them would take a quarter of
            # the time of a short text.
            num_heads = layer.units // (3 * size)
            number = tf.reshape(tf.range(3 * num_heads), [3, 1, num_heads, 1])
            wanted = 3 * num_heads * tokens_at[:, tf.newaxis] + number
            heads = tf.gather(tf.reshape(layer(read), [-1, size]), wanted)
            context = attention.attend(
                tf.unstack(heads), AttentionContext(grid_mask, query_positions)
            )  # [R, N, Q, D]
            if query_positions is not None:
                context = tf.transpose(context[:num_rows], [0, 2, 1, 3])
                shape = num_rows, tf.shape(context)[1], num_heads * size
                return tf.reshape(context, shape)
            rows = (
                grid_indices // length * num_heads * length
                + grid_indices % length
            )
            wanted = rows[:, tf.newaxis] + tf.range(num_heads) * length
            context = tf.gather(tf.reshape(context, [-1, size]), wanted)
            return tf.reshape(context, [-1, num_heads * size])

        context = tf.concat([*map(context, self.query_key_value)], axis=-1)
        states = inputs
        if query_positions is not None:
            asked = tf.gather(tokens_at, query_positions, batch_dims=1)
            states = tf.gather(inputs, asked[:num_rows])
        attended = _outputs(self.attention_output, context)
        states = self.block.with_attended(states, attended)
        output = self._feed_forward(self.block.feed_forward_input(states))
        return self.block.with_output(states, output)

    def _feed_forward(self, read):
        if self.feed_forward is None:
            return self.block.feed_forward(read)
        intermediate, output = self.feed_forward
        inner = [self.block.feed_forward.inner(x(read)) for x in intermediate]
        return _outputs(output, tf.concat(inner, axis=-1))

    def compute_output_spec(self, inputs, query_positions=None, **grid):
        shape = inputs.shape
        if query_positions is not None:
            shape = (*query_positions.shape, shape[-1])
        return keras.KerasTensor(shape, self.compute_dtype)


def _outputs(layers, inputs):
    return tf.concat([layer(inputs) for layer in layers], axis=-1)


class _Unpack(keras.layers.Layer):
    """Layer that moves packed hidden states back to padded positions."""

    def call(self, inputs, states, tokens_at):
        shape = tf.shape(states)
        return tf.gather(inputs, tokens_at[: shape[0], : shape[1]])

    def compute_output_spec(self, inputs, states, tokens_at):
        return keras.KerasTensor(states.shape, inputs.dtype)
