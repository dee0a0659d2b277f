"""Which tokens an example hides, drawn for many examples at once."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class MaskingRules:
    """How many tokens are masked and by what.

    Args:
        masked_lm_prob: float, share of the tokens to predict.
        max_predictions_per_seq: int, most predictions in an example.
        mask_id: int, id of [MASK], which stands for 80 % of them.
        vocab_size: int; 10 % become a random id below it, 10 % stay.
    """

    masked_lm_prob: float
    max_predictions_per_seq: int
    mask_id: int
    vocab_size: int


def mask_tokens(input_ids, maskable, rules, rng, continues=None):
    """Draws the predictions and hides them.

    Args:
        input_ids: int32 `(num_examples, seq_length)`.
        maskable: bool `(num_examples, seq_length)`, True at words, False at
            [CLS], [SEP] and padding.
        rules: `MaskingRules`.
        rng: a `numpy.random.Generator`.
        continues: bool `(num_examples, seq_length)`, True at pieces that
            continue a word; all pieces of a word are then masked or none.
            None masks pieces alone.

    Returns:
        Four arrays: the ids with the predictions hidden, int32 like
        `input_ids`; and, `(num_examples, max_predictions_per_seq)`, the
        positions in ascending order (int32, then 0), the original ids there
        (int32, then 0) and the weights (float32, 1.0, then 0.0).

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1, task 1
    """
    wanted = _num_predictions(maskable, rules)
    keys = np.where(maskable, rng.random(maskable.shape, np.float32), 2.0)
    if continues is None:
        positions, count = _smallest(keys, wanted, rules)
    else:
        starts = maskable & ~continues
        starts |= maskable & ~np.roll(maskable, 1, axis=1)  # After [CLS].
        chosen = _whole_words(keys, starts, maskable, wanted)
        positions, count = _smallest(np.where(chosen, 0.0, 2.0), wanted, rules)
        count = np.minimum(count, chosen.sum(axis=1))
    predicted = np.arange(rules.max_predictions_per_seq) < count[:, None]
    positions = np.sort(np.where(predicted, positions, input_ids.shape[1]))
    positions = np.where(predicted, positions, 0)
    labels = np.take_along_axis(input_ids, positions, axis=1)
    hidden = _hide(input_ids, positions, labels, predicted, rules, rng)
    return (
        hidden,
        positions.astype(np.int32),
        np.where(predicted, labels, 0),
        predicted.astype(np.float32),
    )


def _num_predictions(maskable, rules):
    """The share of the whole length, at least one, at most the limit."""
    # [CLS] and [SEP] count as well in the published procedure; two [SEP].
    length = maskable.sum(axis=1) + 3
    wanted = np.rint(length * rules.masked_lm_prob).astype(np.int64)
    return np.clip(wanted, 1, rules.max_predictions_per_seq)


def _smallest(keys, wanted, rules):
    """Positions of the smallest keys, and how many there really are."""
    limit = min(rules.max_predictions_per_seq, keys.shape[1])
    if limit < keys.shape[1]:
        positions = np.argpartition(keys, limit, axis=1)[:, :limit]
    else:
        positions = np.broadcast_to(np.arange(limit), keys.shape)
    order = np.argsort(np.take_along_axis(keys, positions, axis=1), axis=1)
    positions = np.take_along_axis(positions, order, axis=1)
    padding = rules.max_predictions_per_seq - limit
    positions = np.pad(positions, ((0, 0), (0, padding)))
    return positions, np.minimum(wanted, (keys < 2.0).sum(axis=1))


def _whole_words(keys, starts, maskable, wanted):
    """Marks whole words in random order until no further word fits."""
    word = np.where(maskable, np.cumsum(starts, axis=1) - 1, -1)
    num_words = int(word.max()) + 1
    rows = np.arange(len(keys))
    sizes = np.zeros((len(keys), num_words + 1), np.int64)
    np.add.at(sizes, (rows[:, None], word), 1)  # Column -1: not maskable.
    word_keys = np.full((len(keys), num_words), 2.0)
    row, column = np.nonzero(starts)
    word_keys[row, word[row, column]] = keys[row, column]
    order = np.argsort(word_keys, axis=1)
    taken = np.zeros((len(keys), num_words + 1), bool)
    total = np.zeros(len(keys), np.int64)
    for rank in range(num_words):
        current = order[:, rank]
        size = sizes[rows, current]
        fits = (size > 0) & (total + size <= wanted)
        taken[rows, current] = fits
        total += size * fits
    return taken[rows[:, None], word]


def _hide(input_ids, positions, labels, predicted, rules, rng):
    draws = rng.random(positions.shape, np.float32)
    random_ids = rng.integers(0, rules.vocab_size, positions.shape, np.int32)
    substitutes = np.where(
        draws < 0.8,
        rules.mask_id,
        np.where(draws < 0.9, labels, random_ids),
    )
    hidden = input_ids.copy()
    rows, columns = np.nonzero(predicted)
    hidden[rows, positions[rows, columns]] = substitutes[rows, columns]
    return hidden
