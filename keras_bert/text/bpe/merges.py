"""BPE merging of symbols into tokens, in parallel for all words.

The sequential algorithm merges the leftmost pair of the lowest rank in a word
until no pair is left. Here, each step merges all occurrences of the lowest
pair, in all words at once. The result is the same: no merge of a lower rank
uses the new symbol, so pairs of this rank stay the lowest until all are merged.
`BytePairSettings` checks that the order of the merges permits this.

Words are first split between bytes that are not adjacent in any token, because
no merge can join them.

References:
    [Byte pair encoding](https://arxiv.org/abs/1508.07909)
"""

import numpy as np
import tensorflow as tf

from keras_bert.text.bpe.byte_vocabulary import byte_characters
from keras_bert.text.bpe.byte_vocabulary import spelled_bytes
from keras_bert.text.flat_texts import NO_TOKEN
from keras_bert.text.flat_texts import scatter
from keras_bert.text.flat_texts import shift
from keras_bert.text.flat_texts import where
from keras_bert.text.perfect_hash import NOT_FOUND
from keras_bert.text.perfect_hash import PerfectHash

_NO_MERGE = np.iinfo(np.int32).max


class Merges:
    """Callable that merges the symbols of words into tokens.

    Args:
        vocabulary: a vocabulary.
        merges: sequence of pairs of tokens in the order of their ranks.

    Call arguments:
        ids: int32 `(num_symbols,)`, the symbols of all words.
        words: integer `(num_symbols,)`, ascending, the index of the symbol's
            word or word fragment. Symbols of different words are not merged.

    Returns:
        int32 `(num_symbols,)`, the id of a token at its first symbol,
        `NO_TOKEN` elsewhere.
    """

    def __init__(self, vocabulary, merges):
        ids = vocabulary.id_of
        left, right, merged = (
            np.array(
                [(ids(a), ids(b), ids(a + b)) for a, b in merges], np.int32
            )
            .reshape(-1, 3)
            .T
        )
        self._rank_of = PerfectHash(left, right)
        self._merged = tf.constant(np.append(merged, 0), tf.int32)

    def __call__(self, ids, words):
        any_size = tf.TensorShape([None])
        *_, tokens = tf.while_loop(
            lambda symbols, *_: tf.size(symbols) > 0,
            self._step,
            (ids, words, tf.range(tf.size(ids)), ids),
            (any_size, any_size, any_size, any_size),
        )
        return tokens

    def _step(self, symbols, fragments, positions, tokens):
        ranks = self._pair_ranks(symbols, fragments)  # [num_symbols]
        # `segment_min` is fast, because the fragment indices are sorted.
        lowest = tf.gather(tf.math.segment_min(ranks, fragments), fragments)
        is_active = lowest < _NO_MERGE  # False in fragments without pairs.
        # In "aaaa", pairs overlap: merge the first and the third.
        is_left = _every_other(tf.equal(ranks, lowest) & is_active)
        is_right = shift(is_left, False)
        left = where(is_left)  # [num_merges]
        merged = tf.gather(self._merged, tf.gather(ranks, left))
        symbols = scatter(symbols, left, merged)
        tokens = scatter(tokens, tf.gather(positions, left), merged)
        # Only the first symbol of a token has its id.
        gone = tf.gather(positions, left + 1)
        tokens = scatter(tokens, gone, tf.fill(tf.shape(gone), NO_TOKEN))
        # Finished fragments are dropped, so that later steps are faster.
        stay = where(is_active & ~is_right)
        kept = (tf.gather(x, stay) for x in (symbols, fragments, positions))
        return *kept, tokens

    def _pair_ranks(self, symbols, fragments):
        """Return the rank of each symbol's pair with the next symbol."""
        ranks = self._rank_of(symbols[:-1], symbols[1:])
        is_pair = tf.equal(fragments[:-1], fragments[1:]) & (ranks != NOT_FOUND)
        ranks = tf.where(is_pair, ranks, _NO_MERGE)  # [num_symbols - 1]
        return tf.concat([ranks, [_NO_MERGE]], 0)


class BytePairMerges:
    """Callable that merges the bytes of words into tokens.

    Args:
        vocabulary: `BytePairVocabulary`.
        merges: sequence of pairs of tokens in the order of their ranks.

    Call arguments:
        codes: uint8 `(num_bytes,)`, the bytes of all words.
        words: int64 `(num_bytes,)`, ascending, the index of each byte's word.

    Returns:
        int32 `(num_bytes,)`, the id of a token at its first byte, `NO_TOKEN`
        elsewhere.
    """

    def __init__(self, vocabulary, merges):
        ids, unknown = vocabulary.id_of, vocabulary.unk_id
        self._merge = Merges(vocabulary, merges)
        self._ids_of_bytes = tf.constant(
            [ids(c) if c in vocabulary else unknown for c in byte_characters()]
        )
        self._is_joined = tf.constant(_joined_bytes(vocabulary.tokens))

    def __call__(self, codes, words):
        codes = tf.cast(codes, tf.int32)
        ids = tf.gather(self._ids_of_bytes, codes)
        return self._merge(ids, self._cut(codes, words))

    def _cut(self, codes, words):
        """Return the index of the word fragment of each byte."""
        # Look up each byte with the byte before it, [num_bytes].
        joined = tf.gather(self._is_joined, 256 * shift(codes, 0) + codes)
        is_same_word = tf.equal(shift(words, -1), words)
        return tf.cumsum(tf.cast(~(joined & is_same_word), tf.int32)) - 1


def _every_other(flags):
    """Keep every other True value in each run of True values."""
    begins = flags & ~shift(flags, False)
    runs = tf.cumsum(tf.cast(begins, tf.int32))  # From 1; 0 before all runs.
    firsts = tf.concat([[0], where(begins)], 0)
    distance = tf.range(tf.size(flags)) - tf.gather(firsts, runs)
    return flags & tf.equal(distance % 2, 0)


def _joined_bytes(tokens):
    """Return the mask of byte pairs that occur in a token, bool `(65536,)`."""
    joined = np.zeros(256 * 256, bool)
    for token in tokens:
        codes = np.frombuffer(spelled_bytes(token) or b"", np.uint8)
        joined[256 * codes[:-1].astype(int) + codes[1:]] = True
    return joined
