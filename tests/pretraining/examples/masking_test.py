import numpy as np
import pytest

from keras_bert.pretraining.examples.masking import mask_tokens
from keras_bert.pretraining.examples.masking_rules import MaskingRules
from keras_bert.pretraining.examples.packing import word_starts

_CLS, _SEP, _MASK = 2, 3, 4
_SEQ_LENGTH = 24


def _rules(**changes):
    values = {
        "masked_lm_prob": 0.15,
        "max_predictions_per_seq": 4,
        "mask_id": _MASK,
        "vocab_size": 1000,
    }
    return MaskingRules(**{**values, **changes})


def _examples(seed, num_examples, vocab_size=1000, seq_length=_SEQ_LENGTH):
    """Return random packed pairs: ids and maskable positions."""
    rng = np.random.default_rng(seed)
    ids = np.zeros((num_examples, seq_length), np.int32)
    maskable = np.zeros(ids.shape, bool)
    for row in range(num_examples):
        total = int(rng.integers(2, seq_length - 2))
        first = int(rng.integers(1, total))
        row_ids = rng.integers(5, vocab_size, total)
        packed = [_CLS, *row_ids[:first], _SEP, *row_ids[first:], _SEP]
        ids[row, : len(packed)] = packed
        maskable[row, 1 : total + 2] = True
        maskable[row, first + 1] = False
    return ids, maskable


def _mask(ids, maskable, rules, seed=1, is_continuation=None):
    starts = None
    if is_continuation is not None:
        starts = word_starts(maskable, is_continuation[ids] & maskable)
    rng = np.random.default_rng(seed)
    return mask_tokens(ids, maskable, rules, rng, starts)


def _put_back(masked_ids, positions, labels, weights):
    ids = masked_ids.copy()
    rows, columns = np.nonzero(weights)
    ids[rows, positions[rows, columns]] = labels[rows, columns]
    return ids


_ALL_RULES = pytest.mark.parametrize(
    ("rules", "is_continuation"),
    [
        (_rules(), None),
        (_rules(max_predictions_per_seq=1), None),
        (_rules(max_predictions_per_seq=100, masked_lm_prob=0.9), None),
        (_rules(max_predictions_per_seq=_SEQ_LENGTH, masked_lm_prob=0.5), None),
        (_rules(max_predictions_per_seq=_SEQ_LENGTH - 3), None),
        (_rules(), np.arange(1000) % 3 == 0),
        (
            _rules(max_predictions_per_seq=100, masked_lm_prob=0.4),
            np.arange(1000) % 2 == 0,
        ),
    ],
)


@_ALL_RULES
def test_labels_put_back_give_the_input(rules, is_continuation):
    ids, maskable = _examples(1, 200)
    before = ids.copy()
    masked_ids, positions, labels, weights = _mask(
        ids, maskable, rules, is_continuation=is_continuation
    )
    np.testing.assert_array_equal(ids, before)
    np.testing.assert_array_equal(
        _put_back(masked_ids, positions, labels, weights), ids
    )
    assert np.any(masked_ids != ids)


@_ALL_RULES
def test_positions_are_ascending_and_at_words(rules, is_continuation):
    ids, maskable = _examples(2, 200)
    _, positions, labels, weights = _mask(
        ids, maskable, rules, is_continuation=is_continuation
    )
    for row in range(len(ids)):
        count = int(weights[row].sum())
        chosen = positions[row, :count]
        assert np.all(np.diff(chosen) > 0)
        assert maskable[row, chosen].all()
        assert not positions[row, count:].any()
        assert not labels[row, count:].any()
        assert weights[row].tolist() == [1.0] * count + [0.0] * (
            rules.max_predictions_per_seq - count
        )


@pytest.mark.parametrize("is_continuation", [None, np.zeros(1000, bool)])
def test_every_word_is_as_likely_as_another(is_continuation):
    ids, maskable = _examples(6, 1)
    ids, maskable = np.repeat(ids, 8000, 0), np.repeat(maskable, 8000, 0)
    rules = _rules()
    _, positions, _, weights = _mask(
        ids, maskable, rules, is_continuation=is_continuation
    )
    counts = np.bincount(positions[weights > 0], minlength=_SEQ_LENGTH)
    share = counts / counts.sum()
    np.testing.assert_allclose(
        share, maskable[0] / maskable[0].sum(), atol=0.01
    )


def _words(ids, maskable, is_continuation):
    """Return the positions of each word of one example, by the definition."""
    words = []
    for position in np.nonzero(maskable)[0]:
        follows = words and words[-1][-1] == position - 1
        if follows and is_continuation[ids[position]]:
            words[-1].append(int(position))
        else:
            words.append([int(position)])
    return words


@pytest.mark.parametrize("prob", [0.15, 0.5])
def test_whole_words_or_nothing_and_as_many_as_fit(prob):
    is_continuation = np.arange(1000) % 2 == 0
    rules = _rules(masked_lm_prob=prob, max_predictions_per_seq=6)
    ids, maskable = _examples(7, 400)
    _, positions, _, weights = _mask(
        ids, maskable, rules, is_continuation=is_continuation
    )
    num_split = 0
    for row in range(len(ids)):
        chosen = set(positions[row][weights[row] > 0].tolist())
        length = np.count_nonzero(ids[row])
        left = min(6, max(1, round(prob * length))) - len(chosen)
        assert left >= 0
        for word in _words(ids[row], maskable[row], is_continuation):
            taken = chosen & set(word)
            assert taken in (set(), set(word))
            assert taken or len(word) > left
            num_split += len(taken) > 1
    assert num_split > 50


def test_a_word_cut_at_its_beginning_is_a_word_of_its_own():
    is_continuation = np.arange(1000) >= 500
    ids = np.array([[_CLS, 600, 7, 601, _SEP, 602, 603, _SEP]], np.int32)
    maskable = np.array([[0, 1, 1, 1, 0, 1, 1, 0]], bool)
    rules = _rules(masked_lm_prob=0.25)  # 2 of 8.
    seen = set()
    for seed in range(100):
        _, positions, _, weights = _mask(
            ids, maskable, rules, seed, is_continuation
        )
        seen.add(tuple(positions[weights > 0].tolist()))
    # A word of 1 can be drawn before a word of 2, which then does not fit.
    assert seen == {(1,), (2, 3), (5, 6)}
