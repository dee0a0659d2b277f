"""Span masking of SpanBERT, which masks spans of whole words.

References:
    [SpanBERT](https://arxiv.org/abs/1907.10529), section 3.1
"""

import dataclasses
import itertools

import numpy as np

from keras_bert.pretraining.records.masking import span_ends
from keras_bert.pretraining.records.masking_rules import MaskingRules

_LENGTH_PROB = 0.2
NUMBERS_PER_TOKEN = 4


@dataclasses.dataclass(frozen=True)
class SpanMaskingRules(MaskingRules):
    """Rules of SpanBERT for the number of masked tokens and span lengths."""

    def num_predictions(self, num_maskable: np.ndarray) -> np.ndarray:
        """Return the number of predictions, rounded up."""
        wanted = np.ceil(num_maskable * self.masked_lm_prob).astype("int64")
        return wanted.clip(1, self.max_predictions_per_seq)

    def span_length_thresholds(self, end: float) -> list[float]:
        """Return thresholds of a geometric distribution up to `ngram`."""
        # Truncated at `ngram` words: the shares are divided by their sum.
        shares = [(1 - _LENGTH_PROB) ** n for n in range(self.ngram)]
        sums = itertools.accumulate(shares[:-1])
        return [end * x / sum(shares) for x in sums]


def mask_spans(
    input_ids: np.ndarray,
    maskable: np.ndarray,
    word_starts: np.ndarray,
    numbers: np.ndarray,
    words: np.ndarray,
    rules: SpanMaskingRules,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Choose spans of words to predict and mask them.

    Tokens are visited in random order. Each token that is not masked yet begins
    a span at the start of its word. The last span may end within a word.
    Adjacent spans count as one span. The replacement ([MASK], random words or
    no change) is sampled once for all tokens of a span.

    Args:
        input_ids: int32 `(num_examples, seq_length)`.
        maskable: bool `(num_examples, seq_length)`, True at words, False at
            [CLS], [SEP] and padding.
        word_starts: bool `(num_examples, seq_length)`, True at pieces that
            begin a word.
        numbers: float `(num_examples, NUMBERS_PER_TOKEN * seq_length)`, random
            numbers in [0, 1).
        words: int32 `(num_words,)`, corpus tokens to sample random words from.
        rules: number of predictions, span lengths and replacements.

    Returns:
        Four arrays, see `masking.mask_tokens`.
    """
    # Four numbers per token, each array [B, S].
    keys, lengths, draws, random_draws = np.split(
        numbers, NUMBERS_PER_TOKEN, axis=1
    )
    steps = rules.span_length_thresholds(1.0)
    # Length in words minus 1, an index into the ends of spans.
    lengths = np.searchsorted(steps, lengths, "right")
    wanted = rules.num_predictions(maskable.sum(axis=1))
    chosen = _choose_spans(
        keys, lengths, word_starts, maskable, wanted, rules.ngram
    )
    # All tokens of a span use the number of its first token.
    draws = np.take_along_axis(draws, _run_starts(chosen), axis=1)
    mask_below, keep_below = rules.thresholds(1.0)
    # Each token of a span gets its own random word. `words` are corpus tokens,
    # so a word is sampled by its frequency.
    random_ids = words[(random_draws * len(words)).astype(np.int64)]
    random_ids = np.where(draws < keep_below, input_ids, random_ids)
    substitutes = np.where(draws < mask_below, rules.mask_id, random_ids)
    limit = rules.max_predictions_per_seq
    # A stable sort keeps the chosen positions in ascending order, [B, P].
    positions = np.argsort(~chosen, axis=1, kind="stable")[:, :limit]
    predicted = np.take_along_axis(chosen, positions, axis=1)
    positions = np.where(predicted, positions, 0)
    labels = np.take_along_axis(input_ids, positions, axis=1)
    return (
        np.where(chosen, substitutes, input_ids).astype(np.int32),
        positions.astype(np.int32),
        np.where(predicted, labels, 0).astype(np.int32),
        predicted.astype(np.float32),
    )


def _choose_spans(
    keys: np.ndarray,
    lengths: np.ndarray,
    word_starts: np.ndarray,
    maskable: np.ndarray,
    wanted: np.ndarray,
    longest: int,
) -> np.ndarray:
    """Return the mask of the tokens in spans. A length of 0 means one word."""
    begins = maskable.copy()
    # The first token of a text begins a word, even if the word was truncated.
    begins[:, 1:] &= word_starts[:, 1:] | ~maskable[:, :-1]
    ends = span_ends(begins, maskable, longest)  # (longest, B, S)
    starts = _last_true(begins)  # [B, S], the start of each token's word.
    # Maskable tokens in random order, then all others.
    order = np.argsort(np.where(maskable, keys, 2.0), axis=1)
    column = np.arange(keys.shape[1])
    chosen = np.zeros(keys.shape, bool)
    # At least one token is wanted, but a row may have none. [B]
    room = wanted * maskable.any(axis=1)
    for rank in range(keys.shape[1]):
        rows = np.flatnonzero(room > 0)
        token = order[rows, rank]
        is_free = ~chosen[rows, token]
        rows, token = rows[is_free], token[is_free]
        first = starts[rows, token]
        end = ends[lengths[rows, token], rows, first]
        # (len(rows), S)
        added = (column >= first[:, None]) & (column < end[:, None])
        added &= ~chosen[rows]
        # The span ends where the room ends, possibly within a word.
        added &= np.cumsum(added, axis=1) <= room[rows, None]
        chosen[rows] |= added
        room[rows] -= added.sum(axis=1)
        if not room.any():
            break
    return chosen


def _run_starts(chosen: np.ndarray) -> np.ndarray:
    """Return, for each position, the start of its run of True values."""
    begins = chosen.copy()
    begins[:, 1:] &= ~chosen[:, :-1]
    return _last_true(begins)


def _last_true(values: np.ndarray) -> np.ndarray:
    """Return the position of the last True value up to each position."""
    positions = np.where(values, np.arange(values.shape[1]), 0)
    return np.maximum.accumulate(positions, axis=1)
