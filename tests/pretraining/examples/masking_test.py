import numpy as np
import pytest

from keras_bert.pretraining.examples.masking import mask_tokens
from keras_bert.pretraining.examples.masking_rules import MaskingRules
from keras_bert.pretraining.examples.packing import word_starts

_CLS, _SEP, _MASK = 2, 3, 4
_SEQ_LENGTH = 24


def _rules(limit=4, prob=0.15):
    return MaskingRules(prob, limit, _MASK, vocab_size=1000)


def _examples(num_examples):
    """Return random packed pairs: ids and maskable positions."""
    rng = np.random.default_rng(1)
    ids = np.zeros((num_examples, _SEQ_LENGTH), np.int32)
    maskable = np.zeros(ids.shape, bool)
    for row in range(num_examples):
        total = int(rng.integers(2, _SEQ_LENGTH - 2))
        first = int(rng.integers(1, total))
        row_ids = rng.integers(5, 1000, total)
        packed = [_CLS, *row_ids[:first], _SEP, *row_ids[first:], _SEP]
        ids[row, : len(packed)] = packed
        maskable[row, 1 : total + 2] = True
        maskable[row, first + 1] = False
    return ids, maskable


def _mask(ids, maskable, rules, is_continuation=None, seed=1):
    starts = None
    if is_continuation is not None:
        starts = word_starts(maskable, is_continuation[ids] & maskable)
    rng = np.random.default_rng(seed)
    return mask_tokens(ids, maskable, rules, rng, starts)


def _words(ids, maskable, is_continuation):
    """Return the positions of each word of one example, by the definition."""
    words = []
    for position in np.nonzero(maskable)[0].tolist():
        follows = words and words[-1][-1] == position - 1
        if follows and is_continuation[ids[position]]:
            words[-1].append(position)
        else:
            words.append([position])
    return words


@pytest.mark.parametrize(
    ("rules", "is_continuation"),
    [
        (_rules(), None),
        (_rules(1), None),
        (_rules(100, 0.9), None),
        (_rules(_SEQ_LENGTH, 0.5), None),
        (_rules(), np.arange(1000) % 3 == 0),
        (_rules(100, 0.4), np.arange(1000) % 2 == 0),
        (_rules(6, 0.5), np.arange(1000) % 2 == 0),
    ],
)
def test_words_are_masked_whole_and_as_many_as_fit(rules, is_continuation):
    ids, maskable = _examples(300)
    before = ids.copy()
    masked_ids, positions, labels, weights = _mask(
        ids, maskable, rules, is_continuation
    )
    np.testing.assert_array_equal(ids, before)
    assert np.any(masked_ids != ids)
    limit = rules.max_predictions_per_seq
    if is_continuation is None:
        is_continuation = np.zeros(1000, bool)
    for row in range(len(ids)):
        count = int(weights[row].sum())
        chosen = positions[row, :count].tolist()
        assert weights[row].tolist() == [1.0] * count + [0.0] * (limit - count)
        assert chosen == sorted({*chosen})
        assert (
            not positions[row, count:].any() and not labels[row, count:].any()
        )
        restored = masked_ids[row].copy()
        restored[chosen] = labels[row, :count]
        np.testing.assert_array_equal(restored, ids[row])
        length = maskable[row].sum() + 3
        left = min(limit, max(1, round(rules.masked_lm_prob * length))) - count
        assert left >= 0
        words = _words(ids[row], maskable[row], is_continuation)
        assert {*chosen} <= {*sum(words, [])}
        for word in words:
            taken = {*chosen} & {*word}
            assert taken in (set(), {*word})
            assert taken or len(word) > left


def test_every_word_is_as_likely_as_another():
    ids, maskable = _examples(6)
    ids, maskable = (np.repeat(x[5:], 8000, 0) for x in (ids, maskable))
    _, positions, _, weights = _mask(ids, maskable, _rules())
    counts = np.bincount(positions[weights > 0], minlength=_SEQ_LENGTH)
    expected = maskable[0] / maskable[0].sum()
    np.testing.assert_allclose(counts / counts.sum(), expected, atol=0.01)


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
