"""Conversion of masked batches to batches for other objectives."""

import tensorflow as tf

from keras_bert import features
from keras_bert.pretraining.batches.epochs import map_batches

_CLS_SEGMENT = 2


def left_to_right_batches(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """Convert masked batches to batches for causal language modeling.

    Masked tokens are restored, and each position predicts the next token. The
    same static or dynamic records can therefore be used for both objectives.

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


def span_boundary_batches(
    dataset: tf.data.Dataset, max_span_length: int = 15
) -> tf.data.Dataset:
    """Add the boundaries of masked spans to masked batches.

    Consecutive masked tokens are a span. Its boundaries are the tokens before
    and after it.

    Args:
        dataset: batches of `pretraining.dataset`.
        max_span_length: maximum number of tokens of a span that are predicted
            from its boundaries.

    Returns:
        Batches with the inputs `span_boundaries` and `span_positions` of
        `SpanBoundaryHead`, and with labels and weights of `sbo_logits` instead
        of `nsp_logits`. The weights are 0.0 in spans next to [CLS] or [SEP].

    References:
        [SpanBERT](https://arxiv.org/abs/1907.10529), section 3.2
    """
    return map_batches(
        dataset, lambda *batch: _add_boundaries(*batch, max_span_length)
    )


def _add_boundaries(inputs, labels, weights, max_span_length):
    ids = inputs[features.INPUT_IDS.name]
    positions = inputs[features.MASKED_LM_POSITIONS.name]
    labels, weights = labels["mlm_logits"], weights["mlm_logits"]
    end = tf.reduce_sum(inputs[features.INPUT_MASK.name], 1, keepdims=True) - 1
    rank = tf.zeros_like(positions) + tf.range(tf.shape(positions)[1])
    # Position minus rank is constant within a span and increases from span to
    # span.
    span = tf.where(weights > 0, positions - rank, ids.shape[1])
    first = tf.searchsorted(span, span)
    last = tf.searchsorted(span, span, "right") - 1
    left = tf.gather(positions, first, batch_dims=1) - 1
    right = tf.gather(positions, last, batch_dims=1) + 1
    is_inside = (weights > 0) & (left > 0) & (right < end)
    is_inside &= rank - first < max_span_length
    left, right, position = (
        tf.where(is_inside, x, 0) for x in (left, right, rank - first)
    )
    # The last token of a row is [SEP], which also separates documents.
    sep_id = tf.gather(ids, tf.maximum(end, 0), batch_dims=1)
    for boundary in (left, right):
        is_inside &= tf.gather(ids, boundary, batch_dims=1) != sep_id
    return (
        {
            **inputs,
            features.SPAN_BOUNDARIES.name: tf.stack([left, right], axis=-1),
            features.SPAN_POSITIONS.name: position,
        },
        {"mlm_logits": labels, "sbo_logits": labels},
        {"mlm_logits": weights, "sbo_logits": tf.cast(is_inside, tf.float32)},
    )


def permuted_batches(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """Convert masked batches to batches for permutation language modeling.

    The masked tokens are restored and predicted in random order. The first
    token, [CLS], moves to the end and gets segment 2, as in fine-tuning:
    A [SEP] B [SEP] [CLS].

    Args:
        dataset: batches of `pretraining.dynamic_dataset` with
            `substitutes=(0.0, 0.0)`, where random ids replace all masked
            tokens. These ids determine the order, which therefore depends on
            the seed, the epoch and the example.

    Returns:
        Batches without next-sentence labels. The inputs also contain
        `permutation_ranks`, int32 `(batch_size, max_seq_length)`: the rank of
        each predicted token in the order, from 1; 0 at all other positions.

    References:
        [XLNet](https://arxiv.org/abs/1906.08237), sections 2.2 and 2.3
    """
    return map_batches(dataset, _permute)


def _permute(inputs, labels, weights):
    labels, weights = labels["mlm_logits"], weights["mlm_logits"]
    ids = inputs[features.INPUT_IDS.name]
    positions = inputs[features.MASKED_LM_POSITIONS.name]
    keys = tf.gather(ids, positions, batch_dims=1)
    keys = tf.where(weights > 0, keys, keys.dtype.max)
    order = tf.argsort(keys, axis=1, stable=True)
    ranks = tf.where(weights > 0, tf.argsort(order, axis=1) + 1, 0)
    # [B, P, S]
    is_position = tf.one_hot(positions, ids.shape[1], dtype=tf.int32)
    ranks = tf.reduce_sum(is_position * ranks[:, :, None], axis=1)  # [B, S]
    ids = _restored(ids, positions, labels, weights)
    segments = inputs[features.SEGMENT_IDS.name]
    index = tf.range(ids.shape[1])[None]
    end = tf.reduce_sum(inputs[features.INPUT_MASK.name], 1, keepdims=True) - 1
    # The position before the move: all tokens but the first move by one.
    source = tf.where(index < end, index + 1, index)
    source = tf.where(index == end, 0, source)
    ids, segments, ranks = (
        tf.gather(x, source, batch_dims=1) for x in (ids, segments, ranks)
    )
    moved = tf.where(positions > 0, positions - 1, end)
    return (
        {
            **inputs,
            features.INPUT_IDS.name: ids,
            features.SEGMENT_IDS.name: tf.where(
                index == end, _CLS_SEGMENT, segments
            ),
            features.MASKED_LM_POSITIONS.name: tf.where(
                weights > 0, moved, positions
            ),
            features.PERMUTATION_RANKS.name: ranks,
        },
        {"mlm_logits": labels},
        {"mlm_logits": weights},
    )


def _restored(ids, positions, labels, weights):
    """Return the original ids, without masks."""
    is_real = tf.cast(weights > 0, tf.int32)  # [B, P]
    rows = tf.range(tf.shape(ids)[0])[:, None] + tf.zeros_like(positions)
    indices = tf.stack([rows, positions], axis=-1)
    shape = tf.shape(ids)
    count = tf.scatter_nd(indices, is_real, shape)
    originals = tf.scatter_nd(indices, is_real * labels, shape)
    return tf.where(count > 0, originals, ids)
