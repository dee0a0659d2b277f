"""Static masking, which samples the tokens to predict once per example."""

import numpy as np

from keras_bert.pretraining.records.masking_rules import MaskingRules


def mask_tokens(
    input_ids: np.ndarray,
    maskable: np.ndarray,
    rules: MaskingRules,
    rng: np.random.Generator,
    word_starts: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Choose the tokens to predict and mask them.

    Args:
        input_ids: int32 `(num_examples, seq_length)`.
        maskable: bool `(num_examples, seq_length)`, True at words, False at
            [CLS], [SEP] and padding.
        rules: number of predictions, spans and replacements.
        rng: random number generator.
        word_starts: bool `(num_examples, seq_length)`, True at pieces that
            begin a word, for whole-word masking. If None, single pieces are
            masked.

    Returns:
        Four arrays: the masked ids, int32 like `input_ids`; and three of
        shape `(num_examples, max_predictions_per_seq)`: the positions in
        ascending order (int32, padded with 0), the original ids (int32,
        padded with 0) and the weights (float32, 1.0, padded with 0.0).
    """
    wanted = rules.num_predictions(maskable.sum(axis=1))  # [B]
    # Random numbers are below 1. The key 2 excludes a position.
    keys = np.where(maskable, rng.random(maskable.shape, np.float32), 2.0)
    if word_starts is None and rules.ngram == 1:
        positions, count = _smallest(keys, wanted, rules)
    else:
        # Without whole words, each piece counts as a word.
        starts = maskable if word_starts is None else word_starts
        lengths = _span_lengths(keys.shape, rules, rng)
        chosen = choose_word_spans(keys, lengths, starts, maskable, wanted)
        positions, count = _smallest(np.where(chosen, 0.0, 2.0), wanted, rules)
        count = np.minimum(count, chosen.sum(axis=1))
    # [B, P]
    predicted = np.arange(rules.max_predictions_per_seq) < count[:, None]
    # Padding is past the end while the positions are sorted, then 0.
    positions = np.sort(np.where(predicted, positions, input_ids.shape[1]))
    positions = np.where(predicted, positions, 0)
    labels = np.take_along_axis(input_ids, positions, axis=1)
    substitutes = _substitutes(labels, rules, rng)
    # Write only real predictions: the padded ones would overwrite [CLS].
    masked_ids = input_ids.copy()
    rows, columns = np.nonzero(predicted)
    masked_ids[rows, positions[rows, columns]] = substitutes[rows, columns]
    return (
        masked_ids,
        positions.astype(np.int32),
        np.where(predicted, labels, 0),
        predicted.astype(np.float32),
    )


def choose_word_spans(
    keys: np.ndarray,
    lengths: np.ndarray,
    word_starts: np.ndarray,
    maskable: np.ndarray,
    wanted: np.ndarray,
) -> np.ndarray:
    """Choose spans of whole words in random order until no more fit.

    Words are visited in the order of their keys. Each word begins a span of
    the given length. The span is shortened at the end of a text, or if it has
    too many pieces. Spans that overlap an earlier span are skipped.

    Args:
        keys: int or float `(num_examples, seq_length)`, sort keys of the words,
            below 2. Only the keys at word starts are used.
        lengths: int `(num_examples, seq_length)`, number of words in a span,
            at the starts of words.
        word_starts: bool `(num_examples, seq_length)`, True at pieces that
            begin a word.
        maskable: bool `(num_examples, seq_length)`, True at words, False at
            special tokens and padding.
        wanted: int `(num_examples,)`, maximum number of pieces to choose.

    Returns:
        bool `(num_examples, seq_length)`, True at the chosen pieces.
    """
    num_rows, seq_length = keys.shape
    # Word starts in the order of their keys, then all other positions.
    order = np.argsort(np.where(word_starts, keys, 2.0), axis=1)  # [B, S]
    # Span lengths in words, (N, 1), where N is the longest length.
    number = np.arange(1, int(lengths.max(initial=1)) + 1)[:, None]
    ends = span_ends(word_starts, maskable, len(number))  # (N, B, S)
    # Set at word starts. A span may end at S, so there is one more column.
    taken = np.zeros((num_rows, seq_length + 1), bool)
    room = wanted.copy()  # [B], number of pieces that may still be chosen.
    for rank in range(int(word_starts.sum(axis=1).max(initial=0))):
        rows = np.flatnonzero(room > 0)
        if not len(rows):
            break
        first = order[rows, rank]
        run = ends[:, rows, first]  # (N, len(rows))
        fits = (number <= lengths[rows, first]) & (run - first <= room[rows])
        # Rows with fewer words have no word at this rank.
        fits &= word_starts[rows, first]
        # Ends ascend with the length: the largest is the longest span that
        # fits. If none fits, the span is empty.
        end = np.where(fits, run, first).max(axis=0)
        # A word begins at the end of the previous one.
        words = np.concatenate([first[None], run[:-1]])
        in_run = words < end
        is_free = ~(taken[rows, words] & in_run).any(axis=0)
        taken[rows, words] |= in_run & is_free
        room[rows] -= (end - first) * is_free
    # A piece is chosen with the start of its word.
    columns = np.where(word_starts, np.arange(seq_length), 0)
    start = np.maximum.accumulate(columns, axis=1)
    return np.take_along_axis(taken, start, axis=1) & maskable


def span_ends(
    word_starts: np.ndarray, maskable: np.ndarray, longest: int
) -> np.ndarray:
    """Return the ends of spans of 1 to `longest` words, int `(longest, ...)`.

    Spans end at the last word of a text. If a position does not begin a word,
    its end is the position itself.
    """
    num_rows, seq_length = word_starts.shape
    is_edge = np.ones((num_rows, seq_length + 1), bool)
    is_edge[:, :-1] = word_starts | ~maskable
    # The nearest edge at or after each position, (B, S + 1).
    edges = np.where(is_edge, np.arange(seq_length + 1), seq_length)
    edges = np.minimum.accumulate(edges[:, ::-1], axis=1)[:, ::-1]
    # The next edge at word starts, and the position itself elsewhere.
    follows = np.append(edges[:, 1:], edges[:, -1:], axis=1)
    begins = np.append(word_starts, np.zeros((num_rows, 1), bool), axis=1)
    follows = np.where(begins, follows, np.arange(seq_length + 1))
    # The end of n + 1 words follows the end of n words. At the end of a text no
    # word begins, so longer spans end there too.
    ends = [follows[:, :-1]]
    for _ in range(longest - 1):
        ends.append(np.take_along_axis(follows, ends[-1], axis=1))
    return np.stack(ends)


def _smallest(
    keys: np.ndarray, wanted: np.ndarray, rules: MaskingRules
) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the smallest keys and their number."""
    limit = min(rules.max_predictions_per_seq, keys.shape[1])
    if limit < keys.shape[1]:
        # Partition first: sorting all S keys takes longer.
        positions = np.argpartition(keys, limit, axis=1)[:, :limit]
    else:
        positions = np.broadcast_to(np.arange(limit), keys.shape)
    order = np.argsort(np.take_along_axis(keys, positions, axis=1), axis=1)
    positions = np.take_along_axis(positions, order, axis=1)
    # Rows shorter than P are padded.
    padding = rules.max_predictions_per_seq - limit
    positions = np.pad(positions, ((0, 0), (0, padding)))
    # [B, P] and [B].
    return positions, np.minimum(wanted, (keys < 2.0).sum(axis=1))


def _span_lengths(
    shape: tuple[int, ...], rules: MaskingRules, rng: np.random.Generator
) -> np.ndarray:
    """Sample span lengths in words."""
    if rules.ngram == 1:
        return np.ones(shape, np.int8)
    draws = rng.random(shape, np.float32)
    steps = rules.span_length_thresholds(1.0)
    return (1 + np.searchsorted(steps, draws, "right")).astype(np.int8)


def _substitutes(
    labels: np.ndarray, rules: MaskingRules, rng: np.random.Generator
) -> np.ndarray:
    """Choose the ids that replace the masked tokens."""
    draws = rng.random(labels.shape, np.float32)
    random_ids = rng.integers(0, rules.vocab_size, labels.shape, np.int32)
    mask_below, keep_below = rules.thresholds(1.0)
    return np.where(
        draws < mask_below,
        rules.mask_id,
        np.where(draws < keep_below, labels, random_ids),
    )
