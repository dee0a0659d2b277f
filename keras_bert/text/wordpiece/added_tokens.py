"""Matcher for added tokens, such as [E1], in the WordPiece tokenizer."""

import tensorflow as tf

from keras_bert.text.byte_pair.added_tokens import FindTokens
from keras_bert.text.flat_texts import flatten
from keras_bert.text.flat_texts import in_rows
from keras_bert.text.flat_texts import scatter
from keras_bert.text.pieces import Pieces

_LAST_SPACES = r"[\s\x{85}\p{Z}]+$"


class SplitAtTokens:
    """Callable that matches added tokens and tokenizes the other segments.

    Args:
        ids: dict mapping added tokens to their ids.
        takes_space: ids of the tokens without white space before them in the
            segments.

    Call arguments:
        texts: string tensor `(batch_size,)`.
        cut: function that tokenizes a string tensor to `Pieces`.

    Returns:
        `Pieces` of the texts.
    """

    def __init__(self, ids, takes_space=()):
        self._find = FindTokens(ids)
        sizes = dict.fromkeys(range(max(ids.values()) + 1), 0)
        sizes |= {index: len(text.encode()) for text, index in ids.items()}
        self._sizes = tf.constant([*sizes.values()])
        self._taking = [*takes_space]

    # AutoGraph is not needed, and would make tracing ten times slower.
    @tf.autograph.experimental.do_not_convert
    def __call__(self, texts, cut):
        flat = self._find(flatten(texts))
        places, tokens = in_rows(flat)
        ids, of_rows = tokens.values, tf.cast(tokens.row_splits, tf.int32)
        rows = tf.cast(tokens.value_rowids(), tf.int32)
        starts = places - tf.gather(flat.separators, rows) - 1
        ends = starts + tf.gather(self._sizes, ids)
        # There is a text segment before each token and after the last token.
        number = tf.range(tf.size(ids))
        before, size = number + rows, tf.size(ids) + tf.size(texts)
        lasts = of_rows[1:] + tf.range(tf.size(texts))
        zeros = tf.zeros([size], tf.int32)
        first = scatter(zeros, before + 1, ends)
        last = scatter(zeros, before, starts)
        last = scatter(last, lasts, tf.strings.length(texts))
        rows = tf.searchsorted(lasts, tf.range(size))
        segments = tf.gather(texts, rows)
        segments = tf.strings.substr(segments, first, last - first)
        if self._taking:
            takes = tf.equal(ids[:, tf.newaxis], self._taking)
            takes = tf.reduce_any(takes, 1)
            takes = scatter(tf.fill([size], False), before, takes)
            shorter = tf.strings.regex_replace(segments, _LAST_SPACES, "")
            segments = tf.where(takes, shorter, segments)
        pieces = cut(segments)
        # A piece comes after all tokens that precede its segment.
        splits = tf.cast(pieces.row_splits, tf.int32)
        segment = tf.cast(pieces.ragged(pieces.ids).value_rowids(), tf.int32)
        piece_places = tf.range(tf.size(segment)) + segment
        piece_places -= tf.gather(rows, segment)
        token_places = tf.gather(splits, before + 1) + number
        moved = tf.cast(tf.gather(first, segment), pieces.starts.dtype)

        def joined(values, of_tokens):
            size = [tf.size(values) + tf.size(of_tokens)]
            both = scatter(tf.zeros(size, values.dtype), piece_places, values)
            of_tokens = tf.cast(of_tokens, values.dtype)
            return scatter(both, token_places, of_tokens)

        segments = of_rows + tf.range(tf.size(of_rows))
        return Pieces(
            joined(pieces.ids, ids),
            joined(pieces.starts + moved, starts),
            joined(pieces.ends + moved, ends),
            tf.cast(tf.gather(splits, segments) + of_rows, tf.int64),
        )
