"""Places in a corpus to the arrays of a record."""

import numpy as np

from keras_bert import features
from keras_bert.data.masking import mask_tokens


def pack_pairs(corpus, pairs, seq_length, cls_id, sep_id):
    """[CLS] A [SEP] B [SEP] for many pairs at once.

    Args:
        corpus: the `Corpus` that the pairs are places in.
        pairs: `SentencePairs`.
        seq_length: int, width of the result.
        cls_id: int, id of [CLS].
        sep_id: int, id of [SEP].

    Returns:
        Four arrays `(num_pairs, seq_length)`: ids (int32), mask (bool, True
        at tokens), segments (bool, True in B and its [SEP]) and words (bool,
        True at what may be masked).
    """
    position = np.arange(seq_length)
    first_length = pairs.first_length[:, None]
    second_length = pairs.second_length[:, None]
    in_first = (position > 0) & (position <= first_length)
    in_second = (position > first_length + 1) & (
        position < first_length + second_length + 2
    )
    places = np.where(
        in_second,
        pairs.second_start[:, None] + position - first_length - 2,
        pairs.first_start[:, None] + position - 1,
    )
    words = in_first | in_second
    ids = corpus.tokens[np.where(words, places, 0)].astype(np.int32)
    ids[:, 0] = cls_id
    mask = position <= first_length + second_length + 2
    ids[~words & mask & (position > 0)] = sep_id
    ids[~mask] = 0
    return ids, mask, mask & (position > first_length + 1), words


def make_examples(corpus, pairs, seq_length, special_ids, rules, rng):
    """The features of masked examples, named as in the schema.

    Args:
        corpus: the `Corpus` that the pairs are places in.
        pairs: `SentencePairs`.
        seq_length: int.
        special_ids: the ids of [CLS] and [SEP].
        rules: `MaskingRules`.
        rng: a `numpy.random.Generator`.

    Returns:
        A dict of arrays `(num_pairs, ...)` under the names of
        `features.PRETRAINING_FEATURES`.
    """
    ids, mask, segments, words = pack_pairs(
        corpus, pairs, seq_length, *special_ids
    )
    hidden, positions, labels, weights = mask_tokens(ids, words, rules, rng)
    values = (
        hidden,
        mask.astype(np.int32),
        segments.astype(np.int32),
        positions,
        labels,
        weights,
        pairs.is_random.astype(np.int32)[:, None],
    )
    names = [feature.name for feature in features.PRETRAINING_FEATURES]
    return dict(zip(names, values))
