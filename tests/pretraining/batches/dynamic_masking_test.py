import numpy as np
import pytest
import tensorflow as tf

from keras_bert.pretraining.batches.dynamic_masking import draw_numbers
from keras_bert.pretraining.batches.dynamic_masking import mask_tokens
from keras_bert.pretraining.examples import masking
from keras_bert.pretraining.examples.masking_rules import MaskingRules

_CLS, _SEP, _MASK = 1, 2, 3
_NUM_SPECIAL = 4
_VOCAB_SIZE = 30_000
_SEQ_LENGTH = 64
_RULES = MaskingRules(0.15, 10, _MASK, _VOCAB_SIZE)
_SEED = 7


def _batch(num_examples, seed=1, shortest=5, longest=_SEQ_LENGTH):
    """Return ids, maskable positions and word starts of random pairs."""
    rng = np.random.default_rng(seed)
    shape = num_examples, _SEQ_LENGTH
    position = np.arange(_SEQ_LENGTH)
    length = rng.integers(shortest, longest + 1, num_examples)[:, None]
    boundary = rng.integers(3, length - 1)
    special = (position == 0) | (position == boundary - 1)
    special |= position == length - 1
    ids = rng.integers(_NUM_SPECIAL, _VOCAB_SIZE, shape)
    ids[special] = _SEP
    ids[:, 0] = _CLS
    ids[position >= length] = 0
    maskable = ~special & (position < length)
    starts = maskable & (rng.random(shape) < 0.6)
    starts |= maskable & np.roll(~maskable, 1, axis=1)
    return ids.astype(np.int32), maskable, starts.astype(np.int32)


def _mask(ids, maskable, starts=None, epoch=0, first=0, seed=_SEED):
    outputs = mask_tokens(
        tf.constant(ids),
        tf.constant(maskable),
        _RULES,
        seed,
        tf.constant(epoch, tf.int64),
        tf.constant(first, tf.int64),
        starts,
    )
    return [output.numpy() for output in outputs]


@pytest.fixture(scope="module", params=["pieces", "words"])
def masked(request):
    """Return a batch and its four outputs."""
    ids, maskable, starts = _batch(3000)
    words = starts if request.param == "words" else None
    return ids, maskable, _mask(ids, maskable, words)


def test_labels_put_back_give_the_input(masked):
    ids, _, (masked_ids, positions, labels, weights) = masked
    restored = masked_ids.copy()
    rows, columns = np.nonzero(weights)
    restored[rows, positions[rows, columns]] = labels[rows, columns]
    np.testing.assert_array_equal(restored, ids)
    assert (masked_ids != ids).any()


def test_positions_ascend_and_padding_is_zero(masked):
    _, maskable, (_, positions, labels, weights) = masked
    count = weights.sum(axis=1).astype(int)
    predicted = np.arange(10) < count[:, None]
    np.testing.assert_array_equal(weights, predicted)
    assert not positions[~predicted].any()
    assert not labels[~predicted].any()
    pairs = predicted[:, 1:]
    assert (np.diff(positions)[pairs] > 0).all()
    assert maskable[np.nonzero(predicted)[0], positions[predicted]].all()


def test_types_and_shapes_are_those_of_static_masking():
    ids, maskable, starts = _batch(5)
    expected = masking.mask_tokens(
        ids, maskable, _RULES, np.random.default_rng(1)
    )
    for ours, theirs in zip(_mask(ids, maskable), expected):
        assert ours.shape == theirs.shape
        assert ours.dtype == theirs.dtype


def test_every_position_is_predicted_alike():
    ids, maskable, _ = _batch(1, shortest=_SEQ_LENGTH)
    ids, maskable = (
        np.repeat(array, 20_000, axis=0) for array in (ids, maskable)
    )
    _, positions, _, weights = _mask(ids, maskable)
    counts = np.bincount(positions[weights > 0], minlength=_SEQ_LENGTH)
    counts = counts[maskable[0]] / len(ids)
    expected = 10 / maskable[0].sum()
    np.testing.assert_allclose(counts, expected, atol=0.012)


def _greedy(keys, maskable, starts, wanted):
    """Apply the rule of `masking.mask_tokens` to one row, word by word."""
    words = {}
    for position in np.nonzero(maskable)[0]:
        word = starts[: position + 1].sum() - 1
        words.setdefault(word, []).append(position)
    chosen = []
    for word in sorted(words, key=lambda word: -keys[word]):
        if len(chosen) + len(words[word]) <= wanted:
            chosen += words[word]
    return sorted(chosen)


def test_whole_words_are_taken_in_random_order_while_they_fit():
    ids, maskable, starts = _batch(300)
    _, positions, _, weights = _mask(ids, maskable, starts, epoch=2, first=9)
    numbers = draw_numbers(300, _SEQ_LENGTH + 20, _SEED, 2, 9).numpy()
    length = maskable.sum(axis=1) + 3
    wanted = np.clip(np.rint(length * 0.15), 1, 10)
    for row in range(300):
        expected = _greedy(
            numbers[row], maskable[row], starts[row], wanted[row]
        )
        assert positions[row][weights[row] > 0].tolist() == expected


@pytest.mark.parametrize("whole_words", [False, True])
def test_masks_depend_on_the_place_and_not_on_the_batch(whole_words):
    ids, maskable, starts = _batch(50)
    words = starts if whole_words else None
    together = _mask(ids, maskable, words, epoch=3, first=1000)
    for rows in (slice(0, 1), slice(7, 29), slice(49, 50)):
        alone = _mask(
            ids[rows],
            maskable[rows],
            starts[rows] if whole_words else None,
            epoch=3,
            first=1000 + rows.start,
        )
        for ours, theirs in zip(alone, together):
            np.testing.assert_array_equal(ours, theirs[rows])


@pytest.mark.parametrize(
    "changes", [{"epoch": 1}, {"seed": 8}, {"first": 1}, {"epoch": 2**40}]
)
def test_another_epoch_seed_or_place_gives_other_masks(changes):
    ids, maskable, _ = _batch(1, shortest=_SEQ_LENGTH)
    ids, maskable = (np.repeat(array, 50, axis=0) for array in (ids, maskable))
    _, positions, _, weights = _mask(ids, maskable)
    _, others, _, _ = _mask(ids, maskable, **changes)
    same = (positions == others).all(axis=1)
    assert not same.any()
    assert len({tuple(row) for row in positions}) == 50


def test_numbers_stay_what_they_were():
    numbers = draw_numbers(1, 4, seed=1, epoch=2, first_index=3)
    assert numbers.numpy().tolist() == [
        [1577631571, 1715404623, 123323619, 1037428041]
    ]
