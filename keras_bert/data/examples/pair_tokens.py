"""The tokens of many pairs, copied out of a corpus of any size."""

import dataclasses

import numpy as np

from keras_bert.data.corpus.token_store import Corpus

_PIECE_PAIRS = 1 << 13


def copy_tokens(corpus, pairs):
    """Copies the tokens of pairs, walking the corpus once from end to end.

    Pairs come from all over the corpus. Read in their own order, each would
    touch other pages of the mapped file; in the order of their places each
    page is touched once, and can be given back.

    Args:
        corpus: a `Corpus`.
        pairs: `SentencePairs`, places in it.

    Returns:
        A `Corpus` of these tokens alone, in memory, and the same pairs as
        places in it.
    """
    lengths = pairs.first_length + pairs.second_length
    first_start = np.cumsum(lengths) - lengths
    second_start = first_start + pairs.first_length
    tokens = np.empty(lengths.sum(), corpus.tokens.dtype)
    for source, target, length in (
        (pairs.first_start, first_start, pairs.first_length),
        (pairs.second_start, second_start, pairs.second_length),
    ):
        order = np.argsort(source)
        for piece in range(0, len(order), _PIECE_PAIRS):
            rows = order[piece : piece + _PIECE_PAIRS]
            read = _ranges(source[rows], length[rows])
            tokens[_ranges(target[rows], length[rows])] = corpus.tokens[read]
            corpus.release()
    return Corpus(tokens, None, None), dataclasses.replace(
        pairs, first_start=first_start, second_start=second_start
    )


def _ranges(starts, lengths):
    """The integers of all ranges, one after the other."""
    ends = np.cumsum(lengths)
    return np.arange(ends[-1]) + np.repeat(starts - ends + lengths, lengths)
