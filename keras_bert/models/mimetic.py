"""Initial weights that let attention find neighboring tokens."""

import numpy as np
from keras import ops

from keras_bert.models.backbone import Backbone


def initialize_mimetic(backbone: Backbone) -> None:
    """Initialize positions and attention so that heads see their neighbors.

    A small model with learned positions first learns only token frequencies.
    The loss then stays on a plateau until the heads learn to attend to
    neighboring tokens. This initialization lets them do so from the start: the
    position embeddings are sinusoids, and each head's key kernel is its query
    kernel, rotated by the head's offset (-1, 1, -2, 2, ...). Positions and
    queries are initialized twice as large as usual. The paper uses sinusoids
    and similar kernels, but no offsets. The architecture does not change.

    Args:
        backbone: `Backbone` with learned position embeddings, such as BERT's.
            Its weights are changed.

    Raises:
        ValueError: the backbone has no position embeddings of the hidden size.

    References:
        [Mimetic Initialization](https://arxiv.org/abs/2305.09828), section 3
    """
    table = getattr(backbone.embeddings, "position_embeddings", None)
    attentions = {
        id(block): getattr(block, "self_attention", None)
        for block in backbone.blocks
    }.values()
    sizes = {getattr(x, "hidden_size", None) for x in attentions}
    if table is None or sizes != {table.shape[1]}:
        raise ValueError(
            "The mimetic initialization requires learned position embeddings "
            "of the hidden size, as in BERT. Received: "
            f"{type(backbone.embeddings).__name__}."
        )
    length, size = table.shape
    frequencies = length ** -(np.arange(size // 2) / (size // 2))
    angles = np.arange(length)[:, None] * frequencies
    waves = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    table.assign(2 * ops.std(table) * 2**0.5 * waves)
    for attention in attentions:
        _align(attention, frequencies)


def _align(attention, frequencies):
    """Make each head attend to the position at the offset of the head."""
    kernel = attention.query_key_value.kernel
    query, _, value = np.split(ops.convert_to_numpy(kernel), 3, axis=1)
    query = 2 * query
    heads = np.arange(attention.num_heads)
    offsets = (heads // 2 + 1) * np.where(heads % 2, 1, -1)
    angles = np.outer(frequencies, np.repeat(offsets, attention.head_size))
    sines, cosines = np.split(query, 2)
    key = np.concatenate(
        [
            np.cos(angles) * sines + np.sin(angles) * cosines,
            np.cos(angles) * cosines - np.sin(angles) * sines,
        ]
    )
    kernel.assign(np.concatenate([query, key, value], axis=1))
