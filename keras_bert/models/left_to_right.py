"""Autoregressive decoding with a cache of keys and values."""

from keras import ops

from keras_bert import features
from keras_bert.layers.attention.attention import AttentionContext
from keras_bert.layers.attention.attention import attend_to_next
from keras_bert.layers.blocks.post_norm_block import PostNormBlock


class LeftToRight:
    """Decoder with a key-value cache that computes one token per step.

    The cache contains the keys and values of all blocks, so a step computes
    only one position.

    Args:
        backbone: `Backbone` of `PostNormBlock`s with causal attention.
        head: layer that maps the last hidden states to logits.
    """

    def __init__(self, backbone, head):
        if not all(isinstance(x, PostNormBlock) for x in backbone.blocks):
            raise ValueError(
                "Each block must be a PostNormBlock. Received: "
                f"{[type(block).__name__ for block in backbone.blocks]}."
            )
        self._backbone, self._head = backbone, head

    def read(self, ids, size):
        """Compute the key-value cache of prompts.

        Args:
            ids: int32 `(batch_size, length)`, ids of the prompts.
            size: int or int32 scalar tensor, maximum length of the sequences.

        Returns:
            The cache: a list with a [keys, values] list for each block. Both
            are float `(batch_size, num_heads, size, head_size)`.
        """
        cache = []
        padding = [(0, 0), (0, 0), (0, size - ops.shape(ids)[1]), (0, 0)]

        def context(attention, projected):
            heads = attention.heads(projected)
            cache.append([ops.pad(x, padding) for x in heads[1:]])
            return attention.attend(heads, AttentionContext())

        self._run(self._embedded(ids), context)
        return cache

    def step(self, cache, ids, positions):
        """Compute the logits of the next token at one position per sequence.

        Args:
            cache: cache, as returned by `read` or by the previous step.
            ids: int32 `(batch_size, size)`, ids of the sequences.
            positions: int32 `(batch_size, 1)`, position of the current token.
                The cache must hold all earlier positions.

        Returns:
            float32 logits `(batch_size, 1, vocab_size)`, and the new cache.
        """
        before, cache = iter(cache), []

        def context(attention, projected):
            query, *new = attention.heads(projected)
            pairs = zip(next(before), new, strict=True)
            cache.append([_put(old, x, positions) for old, x in pairs])
            key, value = cache[-1]
            return attend_to_next(
                query * attention.scale,
                key,
                value,
                AttentionContext(query_positions=positions),
                attention.pattern,
                ops.convert_to_tensor,
            )

        embedded = ops.take_along_axis(
            self._embedded(ids), ops.expand_dims(positions, -1), axis=1
        )
        return self._head(self._run(embedded, context)), cache

    def _embedded(self, ids):
        inputs = {x: ops.zeros_like(ids) for x in self._backbone.inputs}
        inputs[features.INPUT_IDS.name] = ids
        del inputs[features.INPUT_MASK.name]
        return self._backbone.embeddings(**inputs)

    def _run(self, states, context):
        for block in self._backbone.blocks:
            attention = block.self_attention
            attended = context(attention, attention.query_key_value(states))
            attended = attention.attention_output(attention.join(attended))
            states = block.with_attended(states, attended)
            states = block.with_output(states, block.feed_forward(states))
        return states


def _put(cache, new, positions):
    """Write the keys or values of one position per sequence to the cache."""
    shape = ops.shape(cache)  # [B, N, T, D]
    rows = ops.reshape(ops.arange(shape[0] * shape[1]), shape[:2])
    indices = ops.reshape(rows * shape[2] + positions, (-1, 1))
    flat, new = (ops.reshape(x, (-1, shape[3])) for x in (cache, new))
    return ops.reshape(ops.scatter_update(flat, indices, new), shape)
