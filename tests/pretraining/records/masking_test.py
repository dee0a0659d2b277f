import numpy as np
import pytest

from keras_bert.pretraining.records.filling import word_starts
from keras_bert.pretraining.records.masking import choose_word_spans
from keras_bert.pretraining.records.masking import mask_tokens
from keras_bert.pretraining.records.masking_rules import MaskingRules
from tests.pretraining.records.predictions import check_predictions
from tests.pretraining.records.predictions import random_examples

_CLS, _SEP, _MASK = 2, 3, 4


def _rules(limit=4, prob=0.15, ngram=1):
    return MaskingRules(prob, limit, _MASK, vocab_size=1000, ngram=ngram)


@pytest.mark.parametrize("whole_words", [False, True])
@pytest.mark.parametrize(
    "rules", [_rules(), _rules(100, 0.9), _rules(6, 0.3, ngram=3)]
)
def test_spans_are_masked_in_random_order_while_they_fit(rules, whole_words):
    ids, maskable, starts = random_examples(300, seq_length=24)
    before, rng = ids.copy(), np.random.default_rng(1)
    words = starts if whole_words else None
    outputs = mask_tokens(ids, maskable, rules, rng, words)
    np.testing.assert_array_equal(ids, before)
    length = maskable.sum(axis=1) + 3
    wanted = np.rint(length * rules.masked_lm_prob).astype(int)
    wanted = wanted.clip(1, rules.max_predictions_per_seq)
    rng = np.random.default_rng(1)
    keys, lengths = rng.random(ids.shape, np.float32), np.ones(ids.shape, int)
    if rules.ngram > 1:
        steps = rules.span_length_thresholds(1.0)
        draws = rng.random(ids.shape, np.float32)
        lengths += np.searchsorted(steps, draws, "right")
    begins = starts if whole_words else maskable
    chosen = choose_word_spans(keys, lengths, begins, maskable, wanted)
    check_predictions(ids, outputs, chosen)


def test_a_word_cut_at_its_beginning_is_a_word_of_its_own():
    is_continuation = np.arange(1000) >= 500
    ids = np.array([[_CLS, 600, 7, 601, _SEP, 602, 603, _SEP]], np.int32)
    maskable = np.array([[0, 1, 1, 1, 0, 1, 1, 0]], bool)
    starts = word_starts(maskable, is_continuation[ids] & maskable)
    rules = _rules(prob=0.25)  # 2 of 8.
    seen = set()
    for seed in range(100):
        _, positions, _, weights = mask_tokens(
            ids, maskable, rules, np.random.default_rng(seed), starts
        )
        seen.add(tuple(positions[weights > 0].tolist()))
    # A word of 1 can be drawn before a word of 2, which then does not fit.
    assert seen == {(1,), (2, 3), (5, 6)}
