"""Spans as SpanBERT masks them, by their definition and their shares."""

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.pretraining.batches import dynamic_masking
from keras_bert.pretraining.records.span_masking import NUMBERS_PER_TOKEN
from keras_bert.pretraining.records.span_masking import SpanMaskingRules
from keras_bert.pretraining.records.span_masking import mask_spans
from tests.pretraining.records.predictions import check_predictions
from tests.pretraining.records.predictions import random_examples

_SEQ_LENGTH, _MASK, _LIMIT = 64, 1, 12
_RULES = SpanMaskingRules(0.15, _LIMIT, _MASK, 1000, ngram=10)
# Random words: 900 to 902, in shares of 1/2, 1/3 and 1/6.
_WORDS = np.array([900, 900, 900, 901, 901, 902], np.int32)


def _examples(num_examples):
    """Ids below 900, what is maskable, word starts and random numbers."""
    rng = np.random.default_rng(2)
    numbers = rng.random((num_examples, NUMBERS_PER_TOKEN * _SEQ_LENGTH))
    return *random_examples(num_examples), numbers


@pytest.fixture(scope="module")
def masked():
    """10,000 examples: ids, masked ids, and where they are masked."""
    ids, maskable, starts, numbers = _examples(10_000)
    outputs = mask_spans(ids, maskable, starts, numbers, _WORDS, _RULES)
    return ids, maskable, starts, outputs


def _runs(positions, weights):
    """Row, start and end of each run of predicted positions."""
    marked = np.zeros((len(positions), _SEQ_LENGTH + 2), int)
    rows, columns = np.nonzero(weights)
    marked[rows, positions[rows, columns] + 1] = 1
    rows, starts = np.nonzero(np.diff(marked) > 0)
    _, ends = np.nonzero(np.diff(marked) < 0)
    return np.stack([rows, starts, ends], axis=1).tolist()


def test_a_span_has_one_substitute(masked):
    ids, maskable, starts, outputs = masked
    counts, num_cut, words = [0, 0, 0], np.zeros(len(ids), int), []
    shown_ids, positions, _, weights = outputs
    for row, start, end in _runs(positions, weights):
        shown, original = shown_ids[row, start:end], ids[row, start:end]
        is_kind = shown == _MASK, shown >= 900, shown == original
        (kind,) = np.flatnonzero([x.all() for x in is_kind])
        counts[kind] += 1
        words += shown[shown >= 900].tolist()
        # Only where no more tokens are wanted is a word cut.
        assert starts[row, start] or not maskable[row, start - 1]
        num_cut[row] += maskable[row, end] and not starts[row, end]
    assert num_cut.max() == 1
    shares = np.array(counts) / sum(counts)
    np.testing.assert_allclose(shares, [0.8, 0.1, 0.1], atol=0.01)
    shares = np.bincount(words)[900:] / len(words)
    np.testing.assert_allclose(shares, [1 / 2, 1 / 3, 1 / 6], atol=0.02)


def _by_definition(keys, lengths, starts, maskable, wanted):
    """The marked positions of one example, a token at a time."""
    taken = set()
    for token in sorted(np.flatnonzero(maskable), key=keys.__getitem__):
        if token in taken:
            continue
        num_words, position = lengths[token], token
        while maskable[position - 1] and not starts[position]:
            position -= 1
        while maskable[position] and num_words and len(taken) < wanted:
            taken.add(position)
            position += 1
            num_words -= starts[position] or not maskable[position]
    return taken


def test_spans_are_chosen_by_the_definition():
    ids, maskable, starts, numbers = _examples(500)
    outputs = mask_spans(ids, maskable, starts, numbers, _WORDS, _RULES)
    keys, draws, *_ = np.split(numbers, NUMBERS_PER_TOKEN, axis=1)
    steps = _RULES.span_length_thresholds(1.0)
    lengths = 1 + np.searchsorted(steps, draws, "right")
    wanted = np.ceil(0.15 * maskable.sum(axis=1))
    chosen = np.zeros(ids.shape, bool)
    for row in range(len(ids)):
        arguments = (x[row] for x in (keys, lengths, starts, maskable, wanted))
        chosen[row, [*_by_definition(*arguments)]] = True
    check_predictions(ids, outputs, chosen)


def test_span_lengths_are_geometric():
    """The chi-square of a million lengths, with 9 degrees of freedom."""
    count, end = 1_000_000, 2**31 - 1
    numbers = dynamic_masking.draw_numbers(1, count, 5, 0, 0).numpy()[0] / end
    steps = _RULES.span_length_thresholds(1.0)
    lengths = 1 + np.searchsorted(steps, numbers, "right")
    expected = 0.2 * 0.8 ** np.arange(10)
    expected *= count / expected.sum()
    counts = np.bincount(lengths, minlength=11)[1:]
    assert np.sum((counts - expected) ** 2 / expected) < 21.67  # p > 0.01
    assert lengths.mean() == pytest.approx(3.797, abs=0.01)


def test_the_graph_masks_by_place_and_not_by_batch():
    ids, maskable, starts, _ = _examples(40)

    def mask(rows):
        outputs = dynamic_masking.mask_spans(
            tf.constant(ids[rows]),
            tf.constant(maskable[rows]),
            _RULES,
            7,
            tf.constant(2, tf.int64),
            tf.constant(rows.start, tf.int64),
            tf.constant(starts[rows], tf.int32),
            _WORDS,
        )
        return [x.numpy() for x in outputs]

    numbers = dynamic_masking.draw_numbers(40, 4 * _SEQ_LENGTH, 7, 2, 0)
    numbers = numbers.numpy() / (2**31 - 1)
    expected = mask_spans(ids, maskable, starts, numbers, _WORDS, _RULES)
    for ours, theirs in zip(mask(slice(9, 20)), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs[9:20])
        assert ours.dtype == theirs.dtype
