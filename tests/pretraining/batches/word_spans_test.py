"""Spans of words, static (arrays) and dynamic (a graph), by one definition."""

import numpy as np
import pytest

from keras_bert.pretraining.records import masking
from keras_bert.pretraining.records.masking_rules import MaskingRules
from tests.pretraining.records.predictions import random_examples

_LONGEST, _MASK = 3, 4


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
    _, maskable, starts = random_examples(1500, 48)
    places, lengths = _drawn(2, maskable.shape)
    wanted = 1 + np.arange(1500) % 12
    chosen = masking.choose_word_spans(
        places / places.shape[1], lengths, starts, maskable, wanted
    )
    arguments = places, lengths, starts, maskable, wanted
    for row, marked in enumerate(chosen):
        expected = _by_definition(*(x[row] for x in arguments))
        assert {*np.flatnonzero(marked)} == expected


def test_the_thresholds_are_those_of_1_over_n():
    thresholds = MaskingRules(0.15, 6, _MASK, 10, 3).span_length_thresholds(11)
    assert thresholds == pytest.approx([6, 9])
    assert MaskingRules(0.15, 6, _MASK, 10).span_length_thresholds(11) == []
