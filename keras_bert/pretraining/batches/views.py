"""Views of masked batches that other objectives learn from."""

import tensorflow as tf

from keras_bert import features
from keras_bert.pretraining.batches.epochs import map_batches


def left_to_right_batches(dataset):
    """Batches in which every token is predicted from those before it.

    The labels are put back where [MASK] stands, and the output at a position
    predicts the token at the next. So the same records, static or dynamic,
    serve both objectives.

    Args:
        dataset: batches of `pretraining.dataset`.

    Returns:
        A `tf.data.Dataset` of such batches with `max_seq_length` - 1
        predictions and no next-sentence labels.

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
    if numbers is not None:  # No text is predicted from another one.
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


def token_batches(dataset):
    """Batches in which every token counts, not the masked ones only.

    Args:
        dataset: batches of `pretraining.dataset`.

    Returns:
        A `tf.data.Dataset` of such batches without next-sentence labels. The
        inputs also have the labels, as `masked_lm_ids`, and the weights have
        `tokens`, float32 `(batch_size, max_seq_length)`, 1.0 at all tokens,
        special ones too, and 0.0 at padding.
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
    """The ids before some were masked."""
    is_real = tf.cast(weights > 0, tf.int32)  # [B, P]
    rows = tf.range(tf.shape(ids)[0])[:, None] + tf.zeros_like(positions)
    places = tf.stack([rows, positions], axis=-1)
    shape = tf.shape(ids)
    count = tf.scatter_nd(places, is_real, shape)
    originals = tf.scatter_nd(places, is_real * labels, shape)
    return tf.where(count > 0, originals, ids)
