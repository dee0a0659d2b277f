"""Spans of words, static (arrays) and dynamic (a graph), by one definition."""

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.pretraining.batches import dynamic_masking
from keras_bert.pretraining.examples import masking
from keras_bert.pretraining.examples.masking_rules import MaskingRules

_SEQ_LENGTH, _LONGEST, _MASK = 48, 3, 4


def _examples(seed, num_examples, seq_length=_SEQ_LENGTH):
    """Return maskable positions and word starts, with several [SEP]."""
    rng = np.random.default_rng(seed)
    position = np.arange(seq_length)
    length = rng.integers(3, seq_length + 1, num_examples)[:, None]
    shape = num_examples, seq_length
    special = (position == 0) | (position == length - 1)
    special |= rng.random(shape) < 0.05
    maskable = ~special & (position < length)
    starts = maskable & (rng.random(shape) < 0.6)
    starts |= maskable & ~np.roll(maskable, 1, axis=1)
    return maskable, starts


def _drawn(seed, shape):
    """Return the drawn order of words and lengths of spans."""
    rng = np.random.default_rng(seed)
    places = np.tile(np.arange(shape[1]), (shape[0], 1))
    lengths = rng.integers(1, _LONGEST + 1, shape)
    return rng.permuted(places, axis=1), lengths


def _by_definition(places, lengths, starts, maskable, room):
    """Return the masked positions of one example, computed word by word."""
    words = []
    for position in np.flatnonzero(maskable):
        if starts[position]:
            words.append([])
        words[-1].append(position)
    taken = set()
    order = sorted(range(len(words)), key=lambda n: places[words[n][0]])
    for number in order:
        for length in range(lengths[words[number][0]], 0, -1):
            run = sum(words[number : number + length], [])
            gap = next((x for x in run if x + 1 not in run), run[-1])
            run = [x for x in run if x <= gap]  # Up to the next [SEP].
            if len(run) <= room:
                if not taken & {*run}:
                    taken |= {*run}
                    room -= len(run)
                break
    return taken


def test_runs_are_chosen_by_the_definition():
    maskable, starts = _examples(1, 1500)
    places, lengths = _drawn(2, maskable.shape)
    wanted = 1 + np.arange(1500) % 12
    chosen = masking.choose_word_spans(
        places / places.shape[1], lengths, starts, maskable, wanted
    )
    arguments = places, lengths, starts, maskable, wanted
    for row, marked in enumerate(chosen):
        expected = _by_definition(*(x[row] for x in arguments))
        assert {*np.flatnonzero(marked)} == expected


def _masked(kind, maskable, starts, rules, seed=1):
    """Return the masked positions, bool, by static or dynamic masking."""
    ids = np.full(maskable.shape, 10, np.int32)
    if kind == "static":
        outputs = masking.mask_tokens(
            ids, maskable, rules, np.random.default_rng(seed), starts
        )
    else:
        zero = tf.constant(0, tf.int64)
        words = None if starts is None else tf.constant(starts, tf.int32)
        outputs = dynamic_masking.mask_tokens(
            tf.constant(ids),
            tf.constant(maskable),
            rules,
            seed,
            zero,
            zero,
            words,
        )
    _, positions, _, weights = (np.asarray(x) for x in outputs)
    marked = np.zeros(maskable.shape, bool)
    rows, columns = np.nonzero(weights)
    marked[rows, positions[rows, columns]] = True
    return marked


_BOTH = pytest.mark.parametrize("kind", ["static", "dynamic"])


@_BOTH
@pytest.mark.parametrize("pieces_per_word", [1, 2])
def test_lengths_are_drawn_with_1_over_n(kind, pieces_per_word):
    """Check the probabilities of {3}, {2, 1} and {1, 1, 1} words for 3 masks.

    In such a long text, spans rarely overlap. Lengths 1, 2 and 3 have the
    probabilities 6/11, 3/11 and 2/11; a span that is too long is shortened.
    """
    seq_length, num_examples = 300, 4000
    maskable = np.ones((num_examples, seq_length), bool)
    starts = maskable & (np.arange(seq_length) % pieces_per_word == 0)
    rules = MaskingRules(0.1, 3 * pieces_per_word, _MASK, 1000, ngram=_LONGEST)
    words = None if pieces_per_word == 1 else starts
    marked = _masked(kind, maskable, words, rules)
    assert (marked.sum(axis=1) == 3 * pieces_per_word).all()
    begins = marked & ~np.roll(marked, 1, axis=1)
    begins[:, 0] = marked[:, 0]
    num_runs = np.bincount(begins.sum(axis=1), minlength=4)[1:] / num_examples
    three, two_and_one = 2 / 11, 3 / 11 + (6 / 11) * (5 / 11)
    expected = three, two_and_one, 1 - three - two_and_one
    np.testing.assert_allclose(num_runs, expected, atol=0.035)


def test_the_thresholds_are_those_of_1_over_n():
    thresholds = MaskingRules(0.15, 6, _MASK, 10, 3).span_length_thresholds(11)
    assert thresholds == pytest.approx([6, 9])
    assert MaskingRules(0.15, 6, _MASK, 10).span_length_thresholds(11) == []
