"""Special tokens and offsets for tokenizers with the model's own normalizer.

Texts are normalized only by the replacement table in the model file. No earlier
table can mark special tokens. Each special token in a text is therefore
replaced by an unassigned character, padded with spaces to the same number of
bytes. Offsets are computed by SentencePiece's own op, which TFLite does not
support. A model of single characters splits the text, because this split is
unique, and each piece covers as many characters as it contains.
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

# Characters of two bytes that replacement tables do not contain.
MARKS, NO_MARK = "\u0378\u0379\u0380\u0381\u0382", "\u0383"


def marked_pieces(tokens):
    """Return the pieces that represent special tokens in the op's model.

    Args:
        tokens: sequence of str, of at least three bytes.

    Returns:
        A dict mapping pieces to tokens, with two pieces for each token.
    """
    marked = dict(zip(MARKS, tokens, strict=True))
    return {**marked, **{WORD_START + m: t for m, t in marked.items()}}


class LibrarySpans:
    """Callable that computes piece spans with SentencePiece's own op.

    Args:
        model: `SentencePieceModel`.
        found: dict mapping additional pieces to their sizes in bytes.

    Call arguments:
        pieces: RaggedTensor, int32 `(batch_size, (num_pieces))`, indices into
            the pieces of the model, followed by the pieces of `found`.
        texts: string `(batch_size,)`, the tokenized texts.

    Returns:
        Starts and ends, int64 `(total_num_pieces,)`, byte offsets. Spans are
        not empty and do not begin or end with white space.
    """

    def __init__(self, model, found):
        pieces = model.pieces
        texts = [*(piece.text for piece in pieces), *found]
        # Consecutive unknown characters count as one character.
        lengths = [
            1 if piece.kind == UNKNOWN else len(piece.text) for piece in pieces
        ]
        self._lengths = [*lengths, *map(len, found)]
        self._sizes = [0] * len(pieces) + [*found.values()]
        known = {
            character for text in texts[len(pieces) :] for character in text
        } | {
            character
            for piece in pieces
            if piece.kind in (NORMAL, USER_DEFINED)
            for character in piece.text
        }
        own = [piece for piece in pieces if piece.kind == UNKNOWN]
        own += [Piece(c, -1.0, NORMAL) for c in sorted(known | {WORD_START})]
        self._model = model.graph_bytes(own, model.charsmap)
        replaced = single_replacements(model.charsmap).items()
        spaces = {c for c, text in replaced if not text.strip()} - {"\0"}
        self._spaces = _class_of(spaces | {" ", *OTHER_SPACES})

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
        sizes = tf.gather(self._sizes, pieces.flat_values)
        ends = tf.maximum(ends, starts + tf.cast(sizes, tf.int64))
        return fill_empty_spans(starts, ends, row)


def _class_of(characters):
    """Return a regex character class of the characters."""
    codes = [f"{{{ord(character):x}}}" for character in sorted(characters)]
    return "[" + "".join(rf"\x{code}" for code in codes) + "]"
