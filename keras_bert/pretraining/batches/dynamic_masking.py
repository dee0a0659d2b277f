"""Dynamic masking, which samples new masks in each epoch.

The rules are the same as in `examples/masking.py`, in a tf.data graph. The
random numbers depend on the seed, the epoch and the index of the example in the
epoch: the seed is the key of a Philox generator, the epoch the upper half of
its counter and the index the lower half. Therefore, the masks do not depend on
the batch size or the number of threads.

References:
    [RoBERTa](https://arxiv.org/abs/1907.11692), section 4.1
    [Parallel Random Numbers: As Easy as 1, 2, 3](
    https://doi.org/10.1145/2063384.2063405)
"""

import functools

import numpy as np
import tensorflow as tf

from keras_bert.pretraining.records import span_masking
from keras_bert.pretraining.records.masking import choose_word_spans

_RANGE = 2**31 - 1
_NUMBERS_PER_COUNT = 4  # Philox generates four 32-bit integers at a time.


def draw_numbers(num_examples, count, seed, epoch, first_index):
    """Generate the random numbers of consecutive examples.

    Args:
        num_examples: int32 scalar.
        count: int, number of random numbers per example.
        seed: int.
        epoch: int64 scalar.
        first_index: int64 scalar, index of the first example in the epoch.

    Returns:
        int32 `(num_examples, count)`, uniform from 0 to 2**31 - 2.
    """
    counts = -(-count // _NUMBERS_PER_COUNT)
    numbers = tf.raw_ops.StatelessRandomUniformIntV2(
        shape=[num_examples, counts * _NUMBERS_PER_COUNT],
        key=tf.constant([seed % 2**64], tf.uint64),
        counter=tf.cast([first_index * counts, epoch], tf.uint64),
        alg=tf.random.Algorithm.PHILOX.value,
        minval=0,
        maxval=_RANGE,
    )
    return numbers[:, :count]


def mask_tokens_in_graph(
    input_ids, maskable, rules, seed, epoch, first_index, word_starts=None
):
    """Choose the tokens to predict in consecutive examples and mask them.

    Args:
        input_ids: int32 `(num_examples, seq_length)`.
        maskable: bool `(num_examples, seq_length)`, True at words, False at
            [CLS], [SEP] and padding.
        rules: `MaskingRules`.
        seed: int.
        epoch: int64 scalar.
        first_index: int64 scalar, index of the first example in the epoch.
        word_starts: int32 `(num_examples, seq_length)`, 1 at pieces that begin
            a word, for whole-word masking. If None, single pieces are masked.

    Returns:
        Four tensors: the masked ids, int32 like `input_ids`; and three of
        shape `(num_examples, max_predictions_per_seq)`: the positions in
        ascending order (int32, padded with 0), the original ids (int32,
        padded with 0) and the weights (float32, 1.0, padded with 0.0).
    """
    seq_length = input_ids.shape[1]
    limit = rules.max_predictions_per_seq
    sizes = [seq_length, limit, limit, seq_length if rules.ngram > 1 else 0]
    numbers = draw_numbers(
        tf.shape(input_ids)[0], sum(sizes), seed, epoch, first_index
    )
    keys, draws, random_draws, run_draws = tf.split(numbers, sizes, axis=1)
    counts = rules.num_predictions(np.arange(seq_length + 1))
    num_maskable = tf.math.count_nonzero(maskable, axis=1)
    count = tf.gather(tf.constant(counts, tf.int32), num_maskable)
    if rules.ngram > 1:
        starts = maskable if word_starts is None else word_starts > 0
        steps = [int(step) for step in rules.span_length_thresholds(_RANGE)]
        lengths = tf.searchsorted(steps, tf.reshape(run_draws, [-1]), "right")
        chosen = tf.numpy_function(
            choose_word_spans,
            [
                -keys,
                1 + tf.reshape(lengths, tf.shape(keys)),
                starts,
                maskable,
                count,
            ],
            tf.bool,
            stateful=False,
        )
        keys = tf.where(tf.ensure_shape(chosen, maskable.shape), 1, -1)
    elif word_starts is None:
        keys = tf.where(maskable, keys, -1)
    else:
        chosen = _whole_words(keys, word_starts, maskable, count)
        keys = tf.where(chosen, 1, -1)
    keys, positions = tf.math.top_k(keys, limit)  # [B, P]
    predicted = (keys >= 0) & (tf.range(limit) < count[:, None])
    positions = tf.sort(tf.where(predicted, positions, seq_length))
    predicted = positions < seq_length
    positions = tf.where(predicted, positions, 0)
    labels = tf.gather(input_ids, positions, batch_dims=1)
    substitutes = _substitutes(labels, draws, random_draws, rules)
    # Padded predictions repeat the first prediction or, without predictions,
    # write [CLS] to position 0, where it already is.
    written = tf.where(predicted, positions, positions[:, :1])
    substitutes = tf.where(predicted, substitutes, labels)
    masked_ids = tf.tensor_scatter_nd_update(
        input_ids,
        tf.stack([_rows(written), written], axis=-1),
        tf.where(predicted, substitutes, substitutes[:, :1]),
    )
    return (
        masked_ids,
        positions,
        tf.where(predicted, labels, 0),
        tf.cast(predicted, tf.float32),
    )


def mask_spans(
    input_ids, maskable, rules, seed, epoch, first_index, word_starts, words
):
    """Choose the spans to predict in consecutive examples and mask them.

    Args:
        input_ids, maskable, seed, epoch, first_index: see
            `mask_tokens_in_graph`.
        rules: `SpanMaskingRules`.
        word_starts: see `mask_tokens_in_graph`.
        words: int32 array, corpus tokens to sample random words from.

    Returns:
        Four tensors, see `mask_tokens_in_graph`.
    """
    num_rows, seq_length = tf.shape(input_ids)[0], input_ids.shape[1]
    count = span_masking.NUMBERS_PER_TOKEN * seq_length
    numbers = draw_numbers(num_rows, count, seed, epoch, first_index)
    starts = maskable if word_starts is None else word_starts > 0
    masked = tf.numpy_function(
        functools.partial(span_masking.mask_spans, words=words, rules=rules),
        [input_ids, maskable, starts, tf.cast(numbers, tf.float64) / _RANGE],
        [tf.int32, tf.int32, tf.int32, tf.float32],
        stateful=False,
    )
    lengths = [seq_length, *[rules.max_predictions_per_seq] * 3]
    return [
        tf.ensure_shape(x, [input_ids.shape[0], length])
        for x, length in zip(masked, lengths, strict=True)
    ]


def _substitutes(labels, draws, random_draws, rules):
    """Choose the ids that replace the masked tokens."""
    mask_below, keep_below = map(int, rules.thresholds(_RANGE))
    random_ids = random_draws % rules.vocab_size
    return tf.where(
        draws < mask_below,
        rules.mask_id,
        tf.where(draws < keep_below, labels, random_ids),
    )


def _whole_words(keys, word_starts, maskable, wanted):
    """Select whole words in random order until no more words fit.

    The result equals `choose_word_spans` with spans of one word. For speed,
    each iteration takes as many words as fit, up to the first one that does
    not. This word and all longer ones are then excluded.
    """
    seq_length = keys.shape[1]
    word = tf.maximum(tf.cumsum(word_starts, axis=1) - 1, 0)  # [B, S]
    order = tf.math.top_k(keys, seq_length).indices
    sizes = _count_by_row(word, tf.cast(maskable, tf.int32))
    sizes = tf.gather(sizes, order, batch_dims=1)  # [B, S], in random order.

    def some_fit(sizes, room, taken):
        return tf.reduce_any((sizes > 0) & (sizes <= room))

    def take(sizes, room, taken):
        sizes = tf.where(sizes <= room, sizes, 0)
        fits = (sizes > 0) & (tf.cumsum(sizes, axis=1) <= room)
        room -= tf.reduce_sum(tf.where(fits, sizes, 0), axis=1, keepdims=True)
        return tf.where(fits, 0, sizes), room, taken | fits

    _, _, taken = tf.while_loop(
        some_fit, take, (sizes, wanted[:, None], tf.zeros_like(sizes, bool))
    )
    taken = _count_by_row(order, tf.cast(taken, tf.int32))
    return maskable & (tf.gather(taken, word, batch_dims=1) > 0)


def _count_by_row(columns, values):
    """Sum the values of each row that have the same column index.

    The arguments and the result are int32 `[B, S]`.
    """
    num_rows, seq_length = tf.shape(values)[0], values.shape[1]
    sums = tf.math.unsorted_segment_sum(
        values, _rows(values) * seq_length + columns, num_rows * seq_length
    )
    return tf.reshape(sums, [num_rows, seq_length])


def _rows(values):
    """Return the row index of each element of `[B, ...]`."""
    rows = tf.range(tf.shape(values)[0])
    return tf.broadcast_to(rows[:, None], tf.shape(values))
