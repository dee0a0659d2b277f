"""Auxiliary language-model loss during fine-tuning (GPT-1).

References:
    [Improving Language Understanding by Generative Pre-Training](
    https://openai.com/research/language-unsupervised), section 3.2
"""

import keras
import numpy as np
from keras import ops

from keras_bert import features
from keras_bert.losses.cross_entropy import sparse_cross_entropy

# Name of the auxiliary language-model output.
LANGUAGE_MODEL = "language_model"


def with_language_model(pretrained):
    """Add the language-model loss to a model as a second output.

    Args:
        pretrained: `PretrainedModel` with a task head. Its family must be
            left-to-right with tied embeddings, so that the language-model head
            has no weights.

    Returns:
        A `keras.Model` with shared weights. The output `LANGUAGE_MODEL`
        is the mean loss of all tokens except the first, float32
        `(batch_size, 1)`.
    """
    model, backbone = pretrained.task_model, pretrained.backbone
    heads = pretrained.family.heads(pretrained.config, backbone.embeddings)
    ids, mask = (
        model.input[feature.name]
        for feature in (features.INPUT_IDS, features.INPUT_MASK)
    )
    logits = heads["masked_lm_head"](backbone.states[-1][:, :-1])
    losses = _NextTokens(dtype="float32")(logits, ids, mask)
    return keras.Model(model.input, {**model.output, LANGUAGE_MODEL: losses})


class _NextTokens(keras.layers.Layer):
    """Layer that computes the mean next-token loss of each text."""

    def call(self, logits, ids, mask):
        weights = ops.cast(mask[:, 1:], "float32")
        losses = sparse_cross_entropy(ids[:, 1:], logits) * weights
        num_tokens = ops.maximum(ops.sum(weights, axis=1, keepdims=True), 1.0)
        return ops.sum(losses, axis=1, keepdims=True) / num_tokens

    def compute_output_spec(self, logits, ids, mask):
        return keras.KerasTensor((logits.shape[0], 1), "float32")


def no_targets(indices):
    """Return placeholder targets, which `PrecomputedLoss` ignores."""
    return np.zeros_like(indices)


class PrecomputedLoss(keras.losses.Loss):
    """Loss that averages an output that is already a loss."""

    def call(self, y_true, y_pred):
        return ops.mean(y_pred, axis=-1)
