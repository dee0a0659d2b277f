"""Words of too many characters become [UNK].

The word-piece op counts bytes. google-research/bert counts characters, which
only the pieces of a word can tell: their lengths add up.
"""

import tensorflow as tf

from keras_bert.text.pieces import Pieces
from keras_bert.text.pieces import join

# UTF-8 takes no more for a character.
BYTES_PER_CHARACTER = 4


class LongWords:
    """Replaces words of too many characters.

    Few texts have such a word, so cheap tests come first: it has many pieces
    without a gap, and all but one continue a word.

    Args:
        vocabulary: a `Vocabulary`.
        limit: int, most characters of a word.

    Call arguments:
        pieces: `Pieces`.

    Returns:
        `Pieces`, a single [UNK] for each word over the limit.
    """

    def __init__(self, vocabulary, limit):
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
        # A word over the limit has at least so many continuations in a row.
        self.run = limit // max(lengths)

    def __call__(self, pieces):
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

    def _has_run(self, flags):
        """Tell if `run` neighbours are True, in passes that double."""
        if not self.run:
            return tf.constant(True)  # A single piece may pass the limit.
        length = 1
        while length < self.run:
            step = min(length, self.run - length)
            flags = flags[:-step] & flags[step:]
            length += step
        return tf.reduce_any(flags)

    def _replace(self, pieces):
        begins = ~tf.gather(self.continues, pieces.ids)
        word = tf.cumsum(tf.cast(begins, tf.int32)) - 1
        num_words = tf.reduce_sum(tf.cast(begins, tf.int32))
        length = tf.math.unsorted_segment_sum(
            tf.gather(self.lengths, pieces.ids), word, num_words
        )
        long = tf.gather(length > self.limit, word)
        ids = tf.where(long, self.unk_id, pieces.ids)
        return join(pieces, ids, begins | ~long)
