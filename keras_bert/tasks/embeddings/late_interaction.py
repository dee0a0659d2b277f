"""Models that embed texts as one vector for each token (ColBERT)."""

import keras
import numpy as np
from keras import ops

from keras_bert import features
from keras_bert.losses.similarity import unit

_IDS = features.INPUT_IDS.name
_MASK = features.INPUT_MASK.name


def document_model(pretrained, dense, skipped_ids=()):
    """Add dense layers to an encoder and normalize the token vectors.

    Args:
        pretrained: `PretrainedModel` of the encoder.
        dense: list of `keras.layers.Dense`.
        skipped_ids: list of int, ids of tokens without a vector.

    Returns:
        A functional `keras.Model` that maps the encoder's inputs to a dict
        with `embedding`, float32 `(batch_size, seq_length, dim)`. The vectors
        of skipped tokens and of padding are 0.
    """
    inputs = pretrained.backbone.inputs
    mask = inputs[_MASK]
    if len(skipped_ids):
        is_kept = np.ones(pretrained.config.vocab_size, np.int32)
        is_kept[skipped_ids] = 0
        mask *= ops.take(is_kept, inputs[_IDS], axis=0)
    vectors = _vectors(pretrained.backbone.states[-1], dense, mask)
    return keras.Model(inputs, {"embedding": vectors})


def query_model(pretrained, dense, length, mask_id, attend):
    """Like `document_model`, with query expansion.

    Args:
        pretrained, dense: see `document_model`.
        length: int, number of tokens of each query.
        mask_id: int, id of the mask token, which expands shorter queries.
        attend: bool, whether tokens attend to the mask tokens.

    Returns:
        A `keras.Model` like that of `document_model`, with `embedding` of shape
        `(batch_size, length, dim)`.

    References:
        [ColBERT](https://arxiv.org/abs/2004.12832), section 3.2
    """
    backbone = pretrained.backbone
    encoder = keras.Model(backbone.inputs, backbone.states[-1])
    states = _ExpandedQueries(encoder, length, mask_id, attend)(backbone.inputs)
    vectors = _vectors(states, dense)
    return keras.Model(backbone.inputs, {"embedding": vectors})


def _vectors(states, dense, mask=None):
    for layer in dense:
        states = layer(states)
    vectors = unit(ops.cast(states, "float32"))
    if mask is None:
        return vectors
    return vectors * ops.cast(ops.expand_dims(mask, -1), "float32")


class _ExpandedQueries(keras.layers.Layer):
    """Layer that pads queries with mask tokens and encodes them.

    Mask tokens may have the attention mask of padding. `packed_model` would
    skip them if the encoder were not hidden in this layer.

    Args:
        encoder: `keras.Model` that returns hidden states.
        length, mask_id, attend: see `query_model`.

    Call arguments:
        inputs: dict of int32 `(batch_size, seq_length)`, inputs of the encoder.

    Returns:
        `(batch_size, length, hidden_size)`, the hidden states of all tokens.
    """

    def __init__(self, encoder, length, mask_id, attend):
        super().__init__(dtype=encoder.dtype_policy)
        self._encoder = encoder
        self._length, self._mask_id, self._attend = length, mask_id, attend

    def call(self, inputs, training=None):
        padding = [[0, 0], [0, self._length]]
        expanded = {
            name: ops.pad(x, padding)[:, : self._length]
            for name, x in inputs.items()
        }
        mask = expanded[_MASK]
        ids = ops.where(mask > 0, expanded[_IDS], self._mask_id)
        expanded[_IDS] = ids
        if self._attend:
            expanded[_MASK] = ops.ones_like(mask)
        return self._encoder(expanded, training=training)

    def compute_output_spec(self, inputs, training=None):
        states = self._encoder.output
        shape = (None, self._length, states.shape[-1])
        return keras.KerasTensor(shape, states.dtype)
