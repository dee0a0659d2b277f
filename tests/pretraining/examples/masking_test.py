import numpy as np
import pytest

from keras_bert.pretraining.examples.filling import word_starts
from keras_bert.pretraining.examples.masking import choose_word_spans
from keras_bert.pretraining.examples.masking import mask_tokens
from keras_bert.pretraining.examples.masking_rules import MaskingRules
from tests.pretraining.examples.predictions import check_predictions

_CLS, _SEP, _MASK = 2, 3, 4
_SEQ_LENGTH = 24


def _rules(limit=4, prob=0.15, ngram=1):
    return MaskingRules(prob, limit, _MASK, vocab_size=1000, ngram=ngram)


def _examples(num_examples):
    """Return random packed pairs: ids and maskable positions."""
    rng = np.random.default_rng(1)
    ids = rng.integers(5, 1000, (num_examples, _SEQ_LENGTH), np.int32)
    length = rng.integers(5, _SEQ_LENGTH + 1, num_examples)[:, None]
    boundary = rng.integers(3, length - 1)
    position = np.arange(_SEQ_LENGTH)
    ids[:, 0] = _CLS
    is_sep = (position == boundary - 1) | (position == length - 1)
    ids[is_sep] = _SEP
    maskable = (position > 0) & (position < length) & ~is_sep
    return ids * (position < length), maskable


def _mask(ids, maskable, rules, is_continuation=None, seed=1):
    starts = None
    if is_continuation is not None:
        starts = word_starts(maskable, is_continuation[ids] & maskable)
    rng = np.random.default_rng(seed)
    return mask_tokens(ids, maskable, rules, rng, starts)


@pytest.mark.parametrize(
    ("rules", "is_continuation"),
    [
        (_rules(), None),
        (_rules(100, 0.9), None),
        (_rules(), np.arange(1000) % 3 == 0),
        (_rules(100, 0.4), np.arange(1000) % 2 == 0),
        (_rules(6, 0.3, ngram=3), None),
        (_rules(6, 0.3, ngram=3), np.arange(1000) % 2 == 0),
    ],
)
def test_spans_are_masked_in_random_order_while_they_fit(
    rules, is_continuation
):
    ids, maskable = _examples(300)
    before = ids.copy()
    outputs = _mask(ids, maskable, rules, is_continuation)
    np.testing.assert_array_equal(ids, before)
    starts = maskable
    if is_continuation is not None:
        starts = word_starts(maskable, is_continuation[ids] & maskable)
    length = maskable.sum(axis=1) + 3
    wanted = np.rint(length * rules.masked_lm_prob).astype(int)
    wanted = wanted.clip(1, rules.max_predictions_per_seq)
    rng = np.random.default_rng(1)
    keys, lengths = rng.random(ids.shape, np.float32), np.ones(ids.shape, int)
    if rules.ngram > 1:
        steps = rules.span_length_thresholds(1.0)
        draws = rng.random(ids.shape, np.float32)
        lengths += np.searchsorted(steps, draws, "right")
    chosen = choose_word_spans(keys, lengths, starts, maskable, wanted)
    check_predictions(ids, outputs, chosen)


def test_a_word_cut_at_its_beginning_is_a_word_of_its_own():
    is_continuation = np.arange(1000) >= 500
    ids = np.array([[_CLS, 600, 7, 601, _SEP, 602, 603, _SEP]], np.int32)
    maskable = np.array([[0, 1, 1, 1, 0, 1, 1, 0]], bool)
    rules = _rules(prob=0.25)  # 2 of 8.
    seen = set()
    for seed in range(100):
        _, positions, _, weights = _mask(
            ids, maskable, rules, is_continuation, seed
        )
        seen.add(tuple(positions[weights > 0].tolist()))
    # A word of 1 can be drawn before a word of 2, which then does not fit.
    assert seen == {(1,), (2, 3), (5, 6)}
