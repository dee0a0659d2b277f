"""Offsets for tokenizers with the model's own normalizer.

Texts are normalized only by the replacement table in the model file. Offsets
are computed by SentencePiece's own op, which TFLite does not support. A model
of single characters splits the text, because this split is unique, and each
piece covers as many characters as it contains.
"""

import tensorflow as tf
import tensorflow_text as tf_text

from keras_bert.text.conventions import OTHER_SPACES
from keras_bert.text.normalization.normalizers import WORD_START
from keras_bert.text.normalization.replacements import single_replacements
from keras_bert.text.pieces import fill_empty_spans
from keras_bert.text.sentencepiece.model import NORMAL
from keras_bert.text.sentencepiece.model import UNKNOWN
from keras_bert.text.sentencepiece.model import USER_DEFINED
from keras_bert.text.sentencepiece.model import Piece


class LibrarySpans:
    """Callable that computes piece spans with SentencePiece's own op.

    Args:
        model: `SentencePieceModel`.

    Call arguments:
        pieces: RaggedTensor, int32 `(batch_size, (num_pieces))`, indices into
            the pieces of the model.
        texts: string `(batch_size,)`, the tokenized texts.

    Returns:
        Starts and ends, int64 `(total_num_pieces,)`, byte offsets. Spans are
        not empty and do not begin or end with white space.
    """

    def __init__(self, model):
        pieces = model.pieces
        # Consecutive unknown characters count as one character.
        self._lengths = [
            1 if piece.type == UNKNOWN else len(piece.text) for piece in pieces
        ]
        known = {
            character
            for piece in pieces
            if piece.type in (NORMAL, USER_DEFINED)
            for character in piece.text
        }
        own = [piece for piece in pieces if piece.type == UNKNOWN]
        own += [Piece(c, -1.0, NORMAL) for c in sorted(known | {WORD_START})]
        self._model = model.graph_bytes(own, model.charsmap)
        replaced = single_replacements(model.charsmap).items()
        spaces = {c for c, text in replaced if not text.strip()} - {"\0"}
        self._spaces = class_of(spaces | {" ", *OTHER_SPACES})

    def __call__(self, pieces, texts):
        # Create the op here, so that the graph contains its model.
        op = tf_text.SentencepieceTokenizer(self._model)
        units, starts, ends = op.tokenize_with_offsets(texts)
        lengths = tf.gather(self._lengths, pieces.flat_values)
        before = tf.cumsum(tf.concat([[0], lengths], 0))
        row = pieces.value_rowids()
        row_start = tf.gather(before, tf.gather(pieces.row_splits, row))
        splits = tf.cast(tf.gather(units.row_splits, row), tf.int32)
        first = before[:-1] - row_start + splits
        starts, ends = (
            tf.gather(tf.cast(x.flat_values, tf.int64), index)
            for x, index in ((starts, first), (ends, first + lengths - 1))
        )
        words = tf.strings.substr(tf.gather(texts, row), starts, ends - starts)
        words = tf.strings.regex_replace(words, f"{self._spaces}+$", "")
        ends = starts + tf.cast(tf.strings.length(words), tf.int64)
        words = tf.strings.regex_replace(words, f"^{self._spaces}+", "")
        starts = ends - tf.cast(tf.strings.length(words), tf.int64)
        return fill_empty_spans(starts, ends, row)


def class_of(characters):
    """Return a regex character class of the characters."""
    codes = [f"{{{ord(character):x}}}" for character in sorted(characters)]
    return "[" + "".join(rf"\x{code}" for code in codes) + "]"
