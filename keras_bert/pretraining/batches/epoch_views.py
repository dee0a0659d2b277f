"""Conversion of masked batches to batches for other objectives."""

import tensorflow as tf

from keras_bert import features
from keras_bert.pretraining.batches.epochs import map_batches


def left_to_right_batches(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """Convert masked batches to batches for causal language modeling.

    Masked tokens are restored, and each position predicts the next token. So
    the same records, static or dynamic, can be used for both objectives.

    Args:
        dataset: batches of `pretraining.dataset`.

    Returns:
        Batches with `max_seq_length` - 1 predictions and no next-sentence
        labels.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.1, "LTR & No NSP"
    """
    return map_batches(dataset, _predict_next)


def _predict_next(inputs, labels, weights):
    ids = _restored(
        inputs[features.INPUT_IDS.name],
        inputs[features.MASKED_LM_POSITIONS.name],
        labels["mlm_logits"],
        weights["mlm_logits"],
    )
    positions = tf.range(tf.shape(ids)[1] - 1)[None]
    positions = tf.tile(positions, [tf.shape(ids)[0], 1])
    is_token = inputs[features.INPUT_MASK.name][:, 1:]
    numbers = inputs.get(features.TEXT_NUMBERS.name)
    if numbers is not None:  # Do not predict a text from the previous text.
        is_token *= tf.cast(numbers[:, 1:] == numbers[:, :-1], tf.int32)
    return (
        {
            **inputs,
            features.INPUT_IDS.name: ids,
            features.MASKED_LM_POSITIONS.name: tf.ensure_shape(
                positions, is_token.shape
            ),
        },
        {"mlm_logits": ids[:, 1:]},
        {"mlm_logits": tf.cast(is_token, tf.float32)},
    )


def token_batches(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """Convert masked batches to batches with a loss on every token.

    Args:
        dataset: batches of `pretraining.dataset`.

    Returns:
        Batches without next-sentence labels. The inputs contain the labels as
        `masked_lm_ids`, and the weights contain `tokens`, float32
        `(batch_size, max_seq_length)`, 1.0 at all tokens, special tokens
        included, and 0.0 at padding.
    """
    return map_batches(dataset, _count_tokens)


def _count_tokens(inputs, labels, weights):
    is_token = tf.cast(inputs[features.INPUT_MASK.name], tf.float32)
    return (
        {**inputs, features.MASKED_LM_IDS.name: labels["mlm_logits"]},
        {"mlm_logits": labels["mlm_logits"]},
        {"mlm_logits": weights["mlm_logits"], "tokens": is_token},
    )


def _restored(ids, positions, labels, weights):
    """Return the original ids, without masks."""
    is_real = tf.cast(weights > 0, tf.int32)  # [B, P]
    rows = tf.range(tf.shape(ids)[0])[:, None] + tf.zeros_like(positions)
    places = tf.stack([rows, positions], axis=-1)
    shape = tf.shape(ids)
    count = tf.scatter_nd(places, is_real, shape)
    originals = tf.scatter_nd(places, is_real * labels, shape)
    return tf.where(count > 0, originals, ids)
