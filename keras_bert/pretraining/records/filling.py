"""Conversion of corpus segments to record arrays."""

import dataclasses

import numpy as np

from keras_bert import features
from keras_bert.pretraining.corpus.token_store import CONTINUES
from keras_bert.pretraining.corpus.token_store import Corpus
from keras_bert.pretraining.records.masking import mask_tokens
from keras_bert.pretraining.records.masking_rules import MaskingRules
from keras_bert.pretraining.records.segments import Segments


@dataclasses.dataclass(frozen=True)
class ExampleRules:
    """Ids and rules shared by all examples.

    Args:
        seq_length: length of the examples.
        cls_id: id of [CLS] or its equivalent.
        sep_id: id of [SEP] or its equivalent.
        pad_id: id of the padding token.
        is_continuation: bool `(vocab_size,)`, True for pieces that continue a
            word. None if the bit `CONTINUES` marks these tokens.
        whole_words: whether to mask whole words.
        masking: rules for static masking.
    """

    seq_length: int
    cls_id: int
    sep_id: int
    pad_id: int
    is_continuation: np.ndarray | None
    whole_words: bool
    masking: MaskingRules


def fill_rows(
    corpus: Corpus, segments: Segments, rules: ExampleRules
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Create [CLS] A [SEP] B [SEP] or [CLS] A [SEP] for a batch of examples.

    Args:
        corpus: the tokens of the segments.
        segments: positions of the examples in the corpus.
        rules: length, special ids and word boundaries.

    Returns:
        Five arrays `(num_examples, seq_length)`: ids (int32), mask (bool, True
        at tokens), segments (bool, True in B and its [SEP]), words (bool,
        True at tokens that may be masked) and continues (bool, True at pieces
        that continue a word).
    """
    position = np.arange(rules.seq_length, dtype=np.int32)  # [S]
    # [B, 1]; comparisons with `position` are [B, S].
    first_length = segments.first_length[:, None].astype(np.int32)
    second_length = segments.second_length[:, None].astype(np.int32)
    in_first = (position > 0) & (position <= first_length)
    in_second = (position > first_length + 1) & (
        position < first_length + second_length + 2
    )
    words = in_first | in_second
    # Index of a token in the corpus minus its position in the row: A begins at
    # position 1, B after [CLS] A [SEP].
    before = np.where(
        in_second,
        segments.second_start[:, None] - first_length - 2,
        segments.first_start[:, None] - 1,
    )
    # Other positions read token 0 and are overwritten.
    tokens = corpus.tokens[np.where(words, before + position, 0)]
    ids, continues = _ids_and_continues(tokens, rules.is_continuation)
    ids[:, 0] = rules.cls_id
    mask = position < segments.num_tokens[:, None]
    ids[~words & mask & (position > 0)] = rules.sep_id
    ids[~mask] = rules.pad_id
    # [SEP] inside a text separates documents; it is never a word.
    words &= ids != rules.sep_id
    # Segment 1 includes the second [SEP].
    in_second = mask & (position > first_length + 1)
    return ids, mask, in_second, words, words & continues


def _ids_and_continues(
    tokens: np.ndarray, is_continuation: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    if is_continuation is not None:
        return tokens.astype(np.int32), is_continuation[tokens]
    # The highest bit is the mark, the other 31 are the id.
    ids = tokens & np.uint32(CONTINUES - 1)
    return ids.astype(np.int32), tokens >= CONTINUES


def word_starts(words: np.ndarray, continues: np.ndarray) -> np.ndarray:
    """Return the mask of pieces that begin a word.

    The first piece of A and of B begins a word, even if it was truncated.

    Args:
        words: bool `(num_examples, seq_length)`, True in A and B.
        continues: bool `(num_examples, seq_length)`, True at pieces that
            continue a word.

    Returns:
        bool `(num_examples, seq_length)`.
    """
    after_special = ~np.roll(words, 1, axis=1)  # Follows [CLS] or [SEP].
    return words & (~continues | after_special)


def static_examples(
    corpus: Corpus,
    segments: Segments,
    rules: ExampleRules,
    rng: np.random.Generator,
) -> dict[str, np.ndarray]:
    """Create masked examples for static masking.

    Args:
        corpus, segments, rules: see `fill_rows`.
        rng: random number generator.

    Returns:
        Arrays `(num_examples, ...)` with the names in
        `features.PRETRAINING_FEATURES`.
    """
    ids, mask, in_second, words, continues = fill_rows(corpus, segments, rules)
    masked_ids, positions, labels, weights = mask_tokens(
        ids,
        words,
        rules.masking,
        rng,
        word_starts(words, continues) if rules.whole_words else None,
    )
    # In the order of the schema: three [B, S], three [B, P] and one [B, 1].
    values = (
        masked_ids,
        mask.astype(np.int32),
        in_second.astype(np.int32),
        positions,
        labels,
        weights,
        segments.label.astype(np.int32)[:, None],
    )
    names = [feature.name for feature in features.PRETRAINING_FEATURES]
    return dict(zip(names, values, strict=True))


def dynamic_examples(
    corpus: Corpus, segments: Segments, rules: ExampleRules
) -> dict[str, np.ndarray]:
    """Create unmasked examples for dynamic masking.

    Args:
        corpus, segments, rules: see `fill_rows`.

    Returns:
        Integer arrays with the names in `features.DYNAMIC_FEATURES`.
        Features of the length "num_tokens" have the shape
        `(num_examples, seq_length)`, with padding at the end.
    """
    ids, _, _, words, continues = fill_rows(corpus, segments, rules)
    values = (
        ids,
        # B follows [CLS] A [SEP].
        segments.first_length[:, None] + 2,
        word_starts(words, continues).astype(np.int32),
        segments.label.astype(np.int32)[:, None],
    )
    names = [feature.name for feature in features.DYNAMIC_FEATURES]
    return dict(zip(names, values, strict=True))
