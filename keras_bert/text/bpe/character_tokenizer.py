"""Character-level BPE tokenizer that runs in the graph."""

import collections.abc

import numpy as np
import tensorflow as tf
import tensorflow_text as tf_text

from keras_bert.text.added_tokens import FindTokens
from keras_bert.text.bpe.character_settings import BpeSettings
from keras_bert.text.bpe.character_vocabulary import WORD_END
from keras_bert.text.bpe.character_vocabulary import BpeVocabulary
from keras_bert.text.bpe.merges import Merges
from keras_bert.text.bpe.words import NOT_WHOLE
from keras_bert.text.bpe.words import whole_words
from keras_bert.text.flat_texts import NO_TOKEN
from keras_bert.text.flat_texts import flatten
from keras_bert.text.flat_texts import in_rows
from keras_bert.text.flat_texts import scatter
from keras_bert.text.flat_texts import where
from keras_bert.text.normalization.character_kinds import in_pages
from keras_bert.text.normalization.character_kinds import long_characters
from keras_bert.text.normalization.code_points import NUM_CODE_POINTS
from keras_bert.text.normalizing_tokenizer import NormalizingTokenizer
from keras_bert.text.pieces import Pieces
from keras_bert.text.tokenizer import graph_constant
from keras_bert.typing import Path

# Texts contain neither token, so the WordPiece op only splits texts into words.
_NO_PIECES = "[UNK]", "##\x01"


class BpeTokenizer(NormalizingTokenizer):
    """Character-level BPE tokenizer of GPT-1.

    Texts are normalized and split into words as in an uncased BERT. The
    characters of each word are merged in the order of `merges`.
    Characters that are not in the vocabulary become the unknown token.
    docs/tokenization.md lists the comparisons with the published tokenizers.

    Args:
        vocabulary: the vocabulary, or the path of a `vocab.json`.
        merges: pairs of tokens in the order of their ranks, or the path of a
            `merges.txt`.
        special_tokens_in_text: whether to convert special tokens in normalized
            texts, such as <unk>, to their ids. If False, they are plain text.

    Call arguments:
        texts: string tensor or list `(batch_size,)`, UTF-8; or a single str.

    Returns:
        A RaggedTensor, int32 `(batch_size, (num_tokens))`; for a single str, a
        tensor `(num_tokens,)`.

    Example:

    >>> tokenizer = keras_bert.text.BpeTokenizer("vocab.json", "merges.txt")
    >>> tokenizer(["Hello world"])
    <tf.RaggedTensor [[3570, 1276]]>

    References:
        [Byte pair encoding](https://arxiv.org/abs/1508.07909), section 3.2
    """

    def __init__(
        self,
        vocabulary: BpeVocabulary | Path,
        merges: collections.abc.Iterable[tuple[str, str]] | Path,
        special_tokens_in_text: bool = False,
    ) -> None:
        settings = BpeSettings(vocabulary, merges, special_tokens_in_text)
        super().__init__(settings, lowercase=True, strip_accents=True)

    @graph_constant
    def _split(self):
        return tf_text.FastWordpieceTokenizer(
            vocab=[*_NO_PIECES], token_out_type=tf.int32
        )

    @graph_constant
    def _find_special(self):
        tokens = self.vocabulary.roles.values()
        return FindTokens({t: self.vocabulary.id_of(t) for t in tokens})

    @graph_constant
    def _merge(self):
        return Merges(self.vocabulary, self.settings.merges)

    @graph_constant
    def _symbols(self):
        """Tables of ids by code point, inside words and at their ends."""
        return [
            in_pages(_ids_of_characters(self.vocabulary, end))
            for end in ("", WORD_END)
        ]

    @graph_constant
    def _num_bytes(self):
        sizes = [len(token.encode()) for token in self.vocabulary.tokens]
        return tf.constant(sizes)

    @graph_constant
    def _whole_words(self):
        """Lookup table for words that are a single token."""
        words = {
            token.removesuffix(WORD_END): index
            for index, token in enumerate(self.vocabulary.tokens)
            if token.endswith(WORD_END) and token != WORD_END
        }
        symbols = [[*map(ord, word)] for word in words]
        words = {word.encode(): index for word, index in words.items()}
        return whole_words(words, symbols, self._merge_characters)

    def _merge_characters(self, points, words):
        """Merge code points into tokens, given their word indices."""
        is_last = tf.concat([tf.not_equal(words[1:], words[:-1]), [True]], 0)
        inside, at_end = (ids_of(points) for ids_of in self._symbols)
        is_last = is_last[: tf.size(points)]
        return self._merge(tf.where(is_last, at_end, inside), words)

    # AutoGraph is not needed, and would make tracing ten times slower.
    @tf.autograph.experimental.do_not_convert
    def _pieces(self, normalized):
        flat = flatten(normalized)
        _, starts, ends = self._split.tokenize_with_offsets(normalized)
        rows = tf.cast(starts.value_rowids(), tf.int32)
        base = tf.gather(flat.separators, rows) + 1
        starts, ends = (
            tf.cast(x.flat_values, tf.int32) + base for x in (starts, ends)
        )
        token_ends = ends[:0]
        if self.settings.special_tokens_in_text:
            flat = self._find_special(flat)
            positions = where(tf.not_equal(flat.tokens, NO_TOKEN))
            ids = tf.gather(flat.tokens, positions)
            token_ends = positions + tf.gather(self._num_bytes, ids)
            is_word = tf.gather(flat.is_text, starts)
            starts, ends = (tf.boolean_mask(x, is_word) for x in (starts, ends))
        ids = self._whole_words(flat, starts, ends - starts)
        rest = where(tf.equal(ids, NOT_WHOLE))
        positions, words, points = _characters(
            flat.bytes, *(tf.gather(x, rest) for x in (starts, ends))
        )
        tokens = scatter(
            flat.tokens,
            tf.concat([starts, positions], 0),
            tf.concat([ids, self._merge_characters(points, words)], 0),
        )
        flat = flat._replace(tokens=tokens)
        return _in_pieces(flat, tf.concat([ends, token_ends], 0))


def _in_pieces(flat, ends):
    """Convert flat tokens to `Pieces`."""
    positions, ids = in_rows(flat)
    bounds = tf.concat([positions, ends], 0)
    is_bound = tf.zeros_like(flat.is_text)
    bounds = where(scatter(is_bound, bounds, tf.ones_like(bounds, tf.bool)))
    ends = tf.gather(bounds, tf.searchsorted(bounds, positions + 1))
    rows = tf.cast(ids.value_rowids(), tf.int32)
    base = tf.gather(flat.separators, rows) + 1
    spans = (tf.cast(x - base, tf.int64) for x in (positions, ends))
    return Pieces(ids.values, *spans, ids.row_splits)


def _characters(codes, starts, ends):
    """Return positions, word indices and code points of characters."""
    positions = tf.ragged.range(starts, ends)
    words, positions = positions.value_rowids(), positions.flat_values
    is_first = tf.not_equal(tf.gather(codes, positions) & 0xC0, 0x80)
    words, positions = (
        tf.boolean_mask(x, is_first) for x in (words, positions)
    )
    points = tf.cast(codes, tf.int32)
    starts, _, of_long = long_characters(codes)
    points = scatter(points, starts, of_long)
    return positions, words, tf.gather(points, positions)


def _ids_of_characters(vocabulary, end):
    """Return the id of each code point, an int32 array `(1114112,)`."""
    ids = np.full(NUM_CODE_POINTS, vocabulary.unk_id, np.int32)
    for index, token in enumerate(vocabulary.tokens):
        if len(token) == len(end) + 1 and token.endswith(end):
            ids[ord(token[0])] = index
    return ids
