"""Number of operations of the matrix products of a model.

A multiplication and an addition count as two. Attention layers count their own
operations; each other layer multiplies each position by its matrices once.
"""

import math

from keras_bert.layers.heads.span_boundary_head import SpanBoundaryHead
from keras_bert.models.family import family_of
from keras_bert.models.heads import EVERY
from keras_bert.models.heads import MASKED
from keras_bert.models.heads import POOLED
from keras_bert.models.heads import add_heads
from keras_bert.models.heads import reads_of
from keras_bert.models.two_streams import TwoStreamBackbone
from keras_bert.pretraining.objectives.objectives import OBJECTIVES


def pretraining_flops(config, objective, seq_length, num_predictions):
    """Return the operations per example of a training step of an objective.

    A student is counted without its teacher.

    Args:
        config: config of the model.
        objective: str, name of the objective.
        seq_length: int.
        num_predictions: int, masked tokens per example.

    Returns:
        int
    """
    chosen = OBJECTIVES[objective]
    models = {config: chosen.parts}
    if "generator_size" in chosen.fields:
        generator = config.generator(chosen.fields["generator_size"])
        models[generator] = ["masked_lm_head"]
    total = 0
    for each, parts in models.items():
        family = family_of(each.model_type)
        backbone = family.backbone(each)
        heads = family.heads(each, backbone.embeddings)
        heads = {part: heads[part] for part in parts if part in heads}
        add_heads(backbone, heads, "pretrainer")  # Builds the weights.
        # Students and boundaries read all tokens of the last block.
        if objective in ("distillation", "mlm_sbo"):
            total += training_flops(backbone, heads, seq_length, seq_length)
        else:
            total += training_flops(
                backbone, heads, seq_length, num_predictions
            )
    if objective == "mlm_sbo":
        boundaries = SpanBoundaryHead(backbone.embeddings)
        boundaries.build((None, seq_length, each.hidden_size))
        masked = _of_head(heads["masked_lm_head"])
        total += 3 * num_predictions * (masked + _of_head(boundaries))
        total -= 3 * seq_length * masked
    return total


def training_flops(backbone, heads, seq_length, num_predictions):
    """Return the number of operations of a training step per example.

    The backward pass counts twice as much as the forward pass. The last block
    is counted at the positions that the heads read, plus the keys and values
    of the other positions.

    Args:
        backbone: `Backbone`.
        heads: dict of the pre-training heads of the model, by part.
        seq_length: int.
        num_predictions: int, masked tokens per example.

    Returns:
        int
    """
    read = {reads_of(part) for part in heads}
    num_read = num_predictions + (POOLED in read)
    if EVERY in read:
        num_read = seq_length
    *blocks, last = backbone.blocks
    forward = seq_length * _matrices(backbone.embeddings)
    forward += sum(_at(block, seq_length, seq_length) for block in blocks)
    forward += _at(last, seq_length, num_read)
    if MASKED in read and backbone.mask_queries:
        # With two streams, all blocks but the last run twice; otherwise, the
        # last one does.
        is_two = isinstance(backbone, TwoStreamBackbone)
        again = blocks if is_two else [last]
        forward += sum(_at(x, seq_length, seq_length) for x in again)
    if POOLED in read:
        forward += _matrices(backbone.pooler)
    counts = {MASKED: num_predictions, EVERY: seq_length, POOLED: 1}
    forward += sum(
        counts[reads_of(part)] * _of_head(head) for part, head in heads.items()
    )
    return 3 * forward


def encoding_flops(backbone, seq_length):
    """Return the operations of a forward pass of the encoder per example.

    Args:
        backbone: `Backbone`.
        seq_length: int.

    Returns:
        int
    """
    blocks = [_at(block, seq_length, seq_length) for block in backbone.blocks]
    return seq_length * _matrices(backbone.embeddings) + sum(blocks)


def _of_head(head):
    """Return the operations of a head per vector, with shared embeddings."""
    table = getattr(head, "embeddings", None)
    if table is None:
        return _matrices(head)
    shared = 2 * table.vocab_size * table.embedding_size
    names = "transform", "second_transform"
    transforms = [getattr(head, name, None) for name in names]
    return shared + sum(_matrices(x) for x in transforms if x is not None)


def _at(block, seq_length, num_queries):
    """Return the operations of a block for `num_queries` output positions."""
    attention = block.self_attention.flops(seq_length, num_queries)
    return attention + num_queries * _matrices(block.feed_forward)


def _matrices(layer):
    """Return the operations to multiply a vector by each matrix of a layer."""
    kernels = [x.shape for x in layer.weights if x.name == "kernel"]
    return 2 * sum(map(math.prod, kernels))
