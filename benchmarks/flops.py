"""Number of operations of the matrix products of a model.

A multiplication and an addition are two. Attention counts its own; all other
layers are matrices, which each position meets once.
"""

import math

from keras_bert.models.heads import EVERY
from keras_bert.models.heads import MASKED
from keras_bert.models.heads import POOLED
from keras_bert.models.heads import reads_of


def training_flops(backbone, heads, seq_length, num_predictions):
    """Operations of a training step, per example.

    The backward pass is twice the forward one. The last block is counted at
    the positions that the heads look at; of the others it needs the keys and
    the values.

    Args:
        backbone: `Backbone`.
        heads: dict of its pre-training heads by part, which a model has.
        seq_length: int.
        num_predictions: int, masked tokens in an example.

    Returns:
        int
    """
    read = {reads_of(part) for part in heads}
    num_looked_at = num_predictions + (POOLED in read)
    if EVERY in read:
        num_looked_at = seq_length
    *blocks, last = backbone.blocks
    forward = seq_length * _matrices(backbone.embeddings)
    forward += sum(_at(block, seq_length, seq_length) for block in blocks)
    forward += _at(last, seq_length, num_looked_at)
    if MASKED in read and backbone.mask_queries:
        forward += _at(last, seq_length, seq_length)  # The first of two runs.
    if POOLED in read:
        forward += _matrices(backbone.pooler)
    counts = {MASKED: num_predictions, EVERY: seq_length, POOLED: 1}
    forward += sum(
        counts[reads_of(part)] * _of_head(head) for part, head in heads.items()
    )
    return 3 * forward


def encoding_flops(backbone, seq_length):
    """Operations of the encoder at all positions, forward, per example.

    Args:
        backbone: `Backbone`.
        seq_length: int.

    Returns:
        int
    """
    blocks = [_at(block, seq_length, seq_length) for block in backbone.blocks]
    return seq_length * _matrices(backbone.embeddings) + sum(blocks)


def _of_head(head):
    """The products of one vector in a head, with the table that it shares."""
    table = getattr(head, "embeddings", None)
    if table is None:
        return _matrices(head)
    shared = 2 * table.vocab_size * table.embedding_size
    transform = getattr(head, "transform", None)
    return shared if transform is None else _matrices(transform) + shared


def _at(block, seq_length, num_queries):
    """A block whose outputs are computed at some positions."""
    attention = block.self_attention.flops(seq_length, num_queries)
    return attention + num_queries * _matrices(block.feed_forward)


def _matrices(layer):
    """The products of one vector with each matrix inside a layer."""
    kernels = [x.shape for x in layer.weights if x.name == "kernel"]
    return 2 * sum(map(math.prod, kernels))
