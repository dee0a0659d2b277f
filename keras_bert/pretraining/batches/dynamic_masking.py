"""Dynamic masking, which samples new masks in each epoch.

The rules are the same as in `records/masking.py`, in a tf.data graph. The
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
from keras_bert.pretraining.records.masking_rules import MaskingRules
from keras_bert.pretraining.records.span_masking import SpanMaskingRules

_RANGE = 2**31 - 1
_NUMBERS_PER_COUNT = 4  # Philox generates four 32-bit integers at a time.


def draw_numbers(
    num_examples: tf.Tensor,
    count: int,
    seed: int,
    epoch: tf.Tensor,
    first_index: tf.Tensor,
) -> tf.Tensor:
    """Generate the random numbers of consecutive examples.

    Args:
        num_examples: int32 scalar.
        count: number of random numbers per example.
        seed: random seed, the key of the generator.
        epoch: int64 scalar.
        first_index: int64 scalar, index of the first example in the epoch.

    Returns:
        int32 `(num_examples, count)`, uniform from 0 to 2**31 - 2.
    """
    # Each example gets whole counter values, so that its numbers do not depend
    # on the other examples of the batch.
    counts = -(-count // _NUMBERS_PER_COUNT)
    numbers = tf.raw_ops.StatelessRandomUniformIntV2(
        shape=[num_examples, counts * _NUMBERS_PER_COUNT],
        key=tf.constant([seed % 2**64], tf.uint64),
        # 128 bits, the lower half first.
        counter=tf.cast([first_index * counts, epoch], tf.uint64),
        alg=tf.random.Algorithm.PHILOX.value,
        minval=0,
        maxval=_RANGE,
    )
    return numbers[:, :count]


def mask_tokens_in_graph(
    input_ids: tf.Tensor,
    maskable: tf.Tensor,
    rules: MaskingRules,
    seed: int,
    epoch: tf.Tensor,
    first_index: tf.Tensor,
    word_starts: tf.Tensor | None = None,
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor]:
    """Choose the tokens to predict in consecutive examples and mask them.

    Args:
        input_ids: int32 `(num_examples, seq_length)`.
        maskable: bool `(num_examples, seq_length)`, True at words, False at
            [CLS], [SEP] and padding.
        rules: number of predictions, spans and replacements.
        seed: random seed of the masks.
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
    # [B, S], [B, P], [B, P] and, for spans, [B, S].
    keys, draws, random_draws, run_draws = tf.split(numbers, sizes, axis=1)
    # The rules use NumPy, so compute a table for all lengths, (S + 1,).
    counts = rules.num_predictions(np.arange(seq_length + 1))
    num_maskable = tf.math.count_nonzero(maskable, axis=1)
    count = tf.gather(tf.constant(counts, tf.int32), num_maskable)  # [B]
    if rules.ngram > 1:
        starts = maskable if word_starts is None else word_starts > 0
        steps = [int(step) for step in rules.span_length_thresholds(_RANGE)]
        lengths = tf.searchsorted(steps, tf.reshape(run_draws, [-1]), "right")
        chosen = tf.numpy_function(
            choose_word_spans,
            [
                -keys,  # NumPy takes the smallest first, `top_k` the largest.
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
        # Numbers are at least 0. The key -1 excludes a position.
        keys = tf.where(maskable, keys, -1)
    else:
        chosen = _whole_words(keys, word_starts, maskable, count)
        keys = tf.where(chosen, 1, -1)
    keys, positions = tf.math.top_k(keys, limit)  # [B, P]
    # Chosen pieces of words and spans have the key 1, and are not more than
    # `count`. If single pieces are masked, `count` selects the largest keys.
    predicted = (keys >= 0) & (tf.range(limit) < count[:, None])
    # Padding is past the end while the positions are sorted, then 0.
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
    input_ids: tf.Tensor,
    maskable: tf.Tensor,
    rules: SpanMaskingRules,
    seed: int,
    epoch: tf.Tensor,
    first_index: tf.Tensor,
    word_starts: tf.Tensor | None,
    words: np.ndarray,
) -> list[tf.Tensor]:
    """Choose the spans to predict in consecutive examples and mask them.

    Args:
        input_ids, maskable, seed, epoch, first_index: see
            `mask_tokens_in_graph`.
        rules: number of predictions, span lengths and replacements.
        word_starts: see `mask_tokens_in_graph`.
        words: int32 `(num_words,)`, corpus tokens to sample random words from.

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
    # `numpy_function` loses the shapes: [B, S] and three times [B, P].
    lengths = [seq_length, *[rules.max_predictions_per_seq] * 3]
    return [
        tf.ensure_shape(x, [input_ids.shape[0], length])
        for x, length in zip(masked, lengths, strict=True)
    ]


def _substitutes(
    labels: tf.Tensor,
    draws: tf.Tensor,
    random_draws: tf.Tensor,
    rules: MaskingRules,
) -> tf.Tensor:
    """Choose the ids that replace the masked tokens."""
    # All [B, P]. The range is far larger than the vocabulary, so that the
    # remainder is nearly uniform.
    mask_below, keep_below = map(int, rules.thresholds(_RANGE))
    random_ids = random_draws % rules.vocab_size
    return tf.where(
        draws < mask_below,
        rules.mask_id,
        tf.where(draws < keep_below, labels, random_ids),
    )


def _whole_words(
    keys: tf.Tensor,
    word_starts: tf.Tensor,
    maskable: tf.Tensor,
    wanted: tf.Tensor,
) -> tf.Tensor:
    """Select whole words in random order until no more words fit.

    The result equals `choose_word_spans` with spans of one word. For speed,
    each iteration takes as many words as fit, up to the first one that does
    not. This word and all longer ones are then excluded.
    """
    seq_length = keys.shape[1]
    # Number of the word that each piece belongs to, [B, S].
    word = tf.maximum(tf.cumsum(word_starts, axis=1) - 1, 0)
    # Key n of a row is the key of word n. Rows have fewer words than keys; the
    # words that do not exist have the size 0.
    order = tf.math.top_k(keys, seq_length).indices
    sizes = _count_by_row(word, tf.cast(maskable, tf.int32))
    sizes = tf.gather(sizes, order, batch_dims=1)  # [B, S], in random order.

    def some_fit(
        sizes: tf.Tensor, room: tf.Tensor, taken: tf.Tensor
    ) -> tf.Tensor:
        return tf.reduce_any((sizes > 0) & (sizes <= room))

    def take(
        sizes: tf.Tensor, room: tf.Tensor, taken: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        # The room only shrinks, so words that do not fit never will.
        sizes = tf.where(sizes <= room, sizes, 0)
        fits = (sizes > 0) & (tf.cumsum(sizes, axis=1) <= room)
        room -= tf.reduce_sum(tf.where(fits, sizes, 0), axis=1, keepdims=True)
        return tf.where(fits, 0, sizes), room, taken | fits

    _, _, taken = tf.while_loop(
        some_fit, take, (sizes, wanted[:, None], tf.zeros_like(sizes, bool))
    )
    # From the random order back to the numbers of the words, then to pieces.
    taken = _count_by_row(order, tf.cast(taken, tf.int32))
    return maskable & (tf.gather(taken, word, batch_dims=1) > 0)


def _count_by_row(columns: tf.Tensor, values: tf.Tensor) -> tf.Tensor:
    """Sum the values of each row that have the same column index.

    The arguments and the result are int32 `[B, S]`.
    """
    num_rows, seq_length = tf.shape(values)[0], values.shape[1]
    # One segment per row and column: [B * S].
    sums = tf.math.unsorted_segment_sum(
        values, _rows(values) * seq_length + columns, num_rows * seq_length
    )
    return tf.reshape(sums, [num_rows, seq_length])


def _rows(values: tf.Tensor) -> tf.Tensor:
    """Return the row index of each element of `[B, ...]`."""
    rows = tf.range(tf.shape(values)[0])
    return tf.broadcast_to(rows[:, None], tf.shape(values))
