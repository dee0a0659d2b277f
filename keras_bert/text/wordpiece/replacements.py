"""Post-processing of WordPiece tokens for long words and special tokens.

Words of too many characters become [UNK]. The op counts bytes, but
google-research/bert counts characters. The number of characters is the sum of
the lengths of a word's pieces.

Special tokens in texts, such as [MASK], become their ids. The op splits
"[MASK]" into "[", "mask" and "]", after the normalizer lower-cased it. A second
op, with only the special tokens in its vocabulary, therefore scans the raw
text. The k-th "[" of the raw text is the k-th piece "[".
"""

import collections.abc

import tensorflow as tf
import tensorflow_text as tf_text

from keras_bert.text.pieces import Pieces
from keras_bert.text.pieces import join
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
from keras_bert.text.wordpiece.vocabulary import UNKNOWN
from keras_bert.text.wordpiece.vocabulary import Vocabulary

# Maximum number of bytes per character in UTF-8.
BYTES_PER_CHARACTER = 4


class LongWords:
    """Callable that replaces overlong words with [UNK].

    Few texts have such words, so two cheap tests run first: a long word has
    many adjacent pieces, and all of them except the first continue a word.

    Args:
        vocabulary: the vocabulary of the pieces.
        limit: maximum number of characters of a word.

    Call arguments:
        pieces: the pieces of texts.

    Returns:
        The pieces, with one [UNK] for each word over the limit.
    """

    def __init__(self, vocabulary: Vocabulary, limit: int) -> None:
        self.limit = limit
        self.unk_id = vocabulary.unk_id
        continues = vocabulary.is_continuation
        lengths = [
            len(token) - 2 * continued
            for token, continued in zip(
                vocabulary.tokens, continues, strict=True
            )
        ]
        self.continues = tf.constant(continues)
        self.lengths = tf.constant(lengths, tf.int32)
        # Minimum number of continuation pieces in a word that exceeds the
        # limit.
        self.run = limit // max(lengths)

    def __call__(self, pieces: Pieces) -> Pieces:
        may_be_long = tf.cond(
            self._has_run(tf.equal(pieces.starts[1:], pieces.ends[:-1])),
            lambda: self._has_run(tf.gather(self.continues, pieces.ids)),
            lambda: False,
        )
        return Pieces(
            *tf.cond(
                may_be_long,
                lambda: tuple(self._replace(pieces)),
                lambda: tuple(pieces),
            )
        )

    def _has_run(self, flags: tf.Tensor) -> tf.Tensor:
        """Return whether `run` adjacent flags are True."""
        if not self.run:
            return tf.constant(True)  # A single piece may exceed the limit.
        length = 1
        while length < self.run:
            step = min(length, self.run - length)
            flags = flags[:-step] & flags[step:]
            length += step
        return tf.reduce_any(flags)

    def _replace(self, pieces: Pieces) -> Pieces:
        begins = ~tf.gather(self.continues, pieces.ids)
        word = tf.cumsum(tf.cast(begins, tf.int32)) - 1
        num_words = tf.reduce_sum(tf.cast(begins, tf.int32))
        length = tf.math.unsorted_segment_sum(
            tf.gather(self.lengths, pieces.ids), word, num_words
        )
        long = tf.gather(length > self.limit, word)
        ids = tf.where(long, self.unk_id, pieces.ids)
        return join(pieces, ids, begins | ~long)


OPENING, CLOSING = "[", "]"

# Vocabulary of the scanner. The op requires a continuation; none ever matches.
_NAMES = tuple(token.strip("[]") for token in SPECIAL_TOKENS)
_SCANNED = (UNKNOWN, OPENING, CLOSING, *_NAMES, "##\x01")
_OPENING_INDEX, _CLOSING_INDEX, _FIRST_NAME = 1, 2, 3


def with_opening(vocabulary: Vocabulary) -> Vocabulary:
    """Return the vocabulary, with "[" appended if it is missing."""
    if OPENING in vocabulary:
        return vocabulary
    return Vocabulary([*vocabulary.tokens, OPENING])


class SpecialTokenMatcher:
    """Callable that replaces the pieces of special tokens with their ids.

    Args:
        vocabulary: the vocabulary with the special tokens.
        cut: callable that tokenizes texts, string `(batch_size,)`, using the
            vocabulary `with_opening(vocabulary)`.

    Call arguments:
        pieces: the result of `cut` for the texts.
        texts: string tensor `(batch_size,)`, the raw texts.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        cut: collections.abc.Callable[[tf.Tensor], Pieces],
    ) -> None:
        self.size = len(vocabulary)
        self.unk_id = vocabulary.unk_id
        self.opening_id = with_opening(vocabulary).id_of(OPENING)
        self.scanner = tf_text.FastWordpieceTokenizer(
            vocab=list(_SCANNED),
            token_out_type=tf.int32,
            max_bytes_per_word=max(map(len, _NAMES)),
        )
        names = cut(tf.constant(_NAMES))
        counts = tf.cast(names.row_splits[1:] - names.row_splits[:-1], tf.int32)
        nothing = [0] * _FIRST_NAME
        self.ids = tf.constant(
            nothing + [vocabulary.id_of(token) for token in SPECIAL_TOKENS]
        )
        # Number of pieces after "[": the pieces of the name, and "]".
        self.lengths = tf.concat([nothing, counts + 1], 0)
        self.max_length = int(tf.reduce_max(self.lengths))

    def __call__(self, pieces: Pieces, texts: tf.Tensor) -> Pieces:
        opens = tf.equal(pieces.ids, self.opening_id)
        return Pieces(
            *tf.cond(
                tf.reduce_any(opens),
                lambda: tuple(self._replace(pieces, opens, texts)),
                lambda: tuple(pieces),
            )
        )

    def _replace(
        self, pieces: Pieces, opens: tf.Tensor, texts: tf.Tensor
    ) -> Pieces:
        opens = tf.cast(opens, tf.int32)
        number = tf.cumsum(opens) - opens
        index = tf.gather(self._token_indices(texts), number) * opens
        ids = tf.where(index > 0, tf.gather(self.ids, index), pieces.ids)
        ids = tf.where(ids < self.size, ids, self.unk_id)
        lengths = tf.gather(self.lengths, index)
        padded = tf.concat([[0] * self.max_length, lengths], 0)
        inside = tf.zeros_like(ids, tf.bool)
        for distance in range(1, self.max_length + 1):
            start = self.max_length - distance
            before = padded[start : start + tf.size(ids)]
            inside |= before >= distance
        return join(pieces, ids, ~inside)

    def _token_indices(self, texts: tf.Tensor) -> tf.Tensor:
        """Return the index of the special token at each "[", or 0."""
        words, starts, ends = self.scanner.tokenize_with_offsets(texts)
        first = words.row_splits
        words, starts, ends = (x.flat_values for x in (words, starts, ends))
        size = tf.size(words)
        words = tf.concat([words, [0, 0]], 0)
        starts = tf.concat([starts, [-1, -1]], 0)
        ends = tf.concat([ends, [-1, -1]], 0)
        is_first = tf.scatter_nd(
            tf.cast(first[:, tf.newaxis], tf.int32),
            tf.ones_like(first, tf.int32),
            [size + 2],
        )
        opened = words[1:-1] >= _FIRST_NAME
        opened &= tf.equal(words[2:], _CLOSING_INDEX)
        opened &= tf.equal(ends[:-2], starts[1:-1])
        opened &= tf.equal(ends[1:-1], starts[2:])
        opened &= tf.equal(is_first[1:-1] + is_first[2:], 0)
        indices = tf.where(opened, words[1:-1], 0)
        at_openings = tf.boolean_mask(
            indices, tf.equal(words[:-2], _OPENING_INDEX)
        )
        return tf.concat([at_openings, [0]], 0)
