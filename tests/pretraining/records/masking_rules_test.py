import numpy as np
import pytest
import tensorflow as tf

from keras_bert.pretraining.batches import dynamic_masking
from keras_bert.pretraining.records import masking
from keras_bert.pretraining.records.masking_rules import MaskingRules
from tests.pretraining.records.predictions import random_examples

_MASK, _VOCAB_SIZE = 4, 1000


def _both(rules):
    """Return the results of static and dynamic masking on equal examples."""
    ids, maskable, _ = random_examples(60)
    static = masking.mask_tokens(ids, maskable, rules, np.random.default_rng(1))
    zero = tf.constant(0, tf.int64)
    dynamic = dynamic_masking.mask_tokens_in_graph(
        tf.constant(ids), tf.constant(maskable), rules, 1, zero, zero
    )
    return static, [tensor.numpy() for tensor in dynamic]


@pytest.mark.parametrize(
    ("shares", "outcome"),
    [((1.0, 0.0), "masked"), ((0.0, 1.0), "kept"), ((0.0, 0.0), "random")],
)
def test_both_replace_by_the_same_thresholds(shares, outcome):
    # All random ids are equal, so that none equals the original by chance.
    vocab_size = 1 if outcome == "random" else _VOCAB_SIZE
    for masked_ids, positions, labels, weights in _both(
        MaskingRules(0.5, 20, _MASK, vocab_size, substitutes=shares)
    ):
        shown = np.take_along_axis(masked_ids, positions, axis=1)[weights > 0]
        expected = {"masked": _MASK, "kept": labels[weights > 0], "random": 0}
        np.testing.assert_array_equal(shown, expected[outcome])


def test_80_percent_are_masked_10_kept_10_random():
    rules = MaskingRules(0.15, 20, _MASK, _VOCAB_SIZE)
    assert rules.thresholds(1000) == (800, 900)
