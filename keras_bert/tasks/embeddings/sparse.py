"""Sparse embedding models.

A text is embedded by the masked-LM head with pooling over the tokens. Queries
may also be embedded by a lookup of the weights of their word pieces.
"""

import keras
import numpy as np
from keras import ops

from keras_bert import features

POOLINGS = ("max", "sum")
ACTIVATIONS = ("relu", "log1p_relu")


def sparse_model(pretrained, pooling, activation):
    """Add a masked-LM head and pooling to an encoder (SPLADE).

    The weight of a word piece is log(1 + relu(logit)), pooled over the tokens
    of a text.

    Args:
        pretrained: `PretrainedModel` with a masked-LM head.
        pooling: str, "max" or "sum" over the tokens.
        activation: str, "relu", or "log1p_relu" to take the logarithm of
            1 + x twice.

    Returns:
        A functional `keras.Model` that maps the encoder's inputs to a dict
        with `embedding`, float32 `(batch_size, vocab_size)`. Rows must start
        with a token. Embeddings of rows without tokens are 0.

    References:
        [SPLADE v2](https://arxiv.org/abs/2109.10086), section 2.2
    """
    backbone = pretrained.backbone
    if backbone.mask_queries:
        raise ValueError(
            "A sparse embedder needs a masked-LM head that reads the hidden "
            "states of all tokens. Received: a model of the family "
            f"{pretrained.family.name}, whose head reads only masked tokens."
        )
    mask = backbone.inputs[features.INPUT_MASK.name]
    is_token = ops.cast(ops.expand_dims(mask, -1), "float32")  # [B, S, 1]
    states = ops.cast(backbone.states[-1], "float32")
    # Padding gets the states of the first token, which do not change a maximum.
    # Masking the logits would need another tensor of their size.
    states = is_token * states + (1.0 - is_token) * states[:, :1]
    logits = pretrained.heads["masked_lm_head"](states)  # [B, S, V]
    if pooling == "max":  # The activation is monotonic.
        weights = _activated(ops.max(logits, axis=1), activation)
    else:
        weights = ops.matmul(
            ops.transpose(is_token, (0, 2, 1)), _activated(logits, activation)
        )[:, 0]
    has_tokens = ops.max(mask, axis=-1, keepdims=True) > 0
    weights *= ops.cast(has_tokens, "float32")
    return keras.Model(backbone.inputs, {"embedding": weights})


def _activated(logits, activation):
    for _ in range(1 + ACTIVATIONS.index(activation)):
        logits = ops.log(1.0 + ops.relu(logits))  # TFLite has no `log1p`.
    return logits


def lookup_model(inputs, piece_weights):
    """Build a model that looks up the weights of the word pieces of a text.

    Args:
        inputs: dict of the inputs of an encoder.
        piece_weights: `PieceWeights`.

    Returns:
        A functional `keras.Model` with the output of `sparse_model`.
    """
    ids, mask = (
        inputs[feature.name]
        for feature in (features.INPUT_IDS, features.INPUT_MASK)
    )
    return keras.Model(inputs, {"embedding": piece_weights(ids, mask)})


class PieceWeights(keras.layers.Layer):
    """Layer with a weight for each word piece.

    Args:
        values: float `(vocab_size,)`, initial weights.
        special_ids: list of int, ids of special tokens, which have no weight.

    Call arguments:
        ids, mask: int32 `(batch_size, seq_length)`.

    Returns:
        float32 `(batch_size, vocab_size)`, the weights of the word pieces of
        each text, and 0 for others.
    """

    def __init__(self, values, special_ids, **kwargs):
        super().__init__(dtype="float32", **kwargs)
        self._is_piece = np.ones(values.shape, np.float32)
        self._is_piece[special_ids] = 0.0
        self.weight = self.add_weight(shape=values.shape, name="weight")
        self.weight.assign(values)

    def call(self, ids, mask):
        num_rows, size = ops.shape(ids)[0], self.weight.shape[0]
        cells = ids + size * ops.arange(num_rows, dtype=ids.dtype)[:, None]
        counts = ops.scatter(
            ops.reshape(cells, (-1, 1)),
            ops.reshape(mask, (-1,)),
            (num_rows * size,),
        )
        is_active = ops.reshape(counts, (-1, size)) > 0  # [B, V]
        return ops.cast(is_active, "float32") * self._is_piece * self.weight

    def compute_output_spec(self, ids, mask):
        return keras.KerasTensor((ids.shape[0], self.weight.shape[0]))
