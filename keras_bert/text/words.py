"""Word tokenizer of ELMo that converts words to bytes in the graph."""

import collections.abc

import tensorflow as tf
import tensorflow_text as tf_text

from keras_bert.summary import Summarized
from keras_bert.text.tokenizer import batch_or_scalar
from keras_bert.typing import Texts

# These ids follow the bytes. All ids are incremented by 1, because padding is
# 0.
_SENTENCE_START, _SENTENCE_END, _WORD_START, _WORD_END, _FILLER = range(
    257, 262
)
_MARKS = ("<pad>", "<S>", "</S>")


def spell_words(words, max_characters):
    """Convert words to character ids, int32 `(num_words, max_characters)`.

    The ids of the bytes are between the ids of word start and word end. Bytes
    that do not fit are truncated.
    """
    room = max_characters - 2
    codes = tf.io.decode_raw(words, tf.uint8, fixed_length=room)
    codes = tf.pad(tf.cast(codes, tf.int32) + 1, [[0, 0], [1, 1]])
    lengths = tf.minimum(tf.strings.length(words), room)[:, tf.newaxis]
    columns = tf.range(max_characters)[tf.newaxis]
    codes = tf.where(columns <= lengths, codes, _FILLER)
    codes = tf.where(columns == lengths + 1, _WORD_END, codes)
    return tf.where(columns == 0, _WORD_START, codes)


def _spell_marks(max_characters):
    """Convert `_MARKS` to character ids, int32 `(3, max_characters)`."""
    rest = [_FILLER] * (max_characters - 3)
    ends = _SENTENCE_START, _SENTENCE_END
    rows = [[_WORD_START, end, _WORD_END, *rest] for end in ends]
    return tf.constant([[0] * max_characters, *rows])


class _Vocabulary:
    roles = dict(zip(("pad", "cls", "sep"), _MARKS, strict=True))
    pair = None
    is_continuation = None  # Each token is a word, and all words are known.
    id_of = _MARKS.index


class WordTokenizer(Summarized):
    """Tokenizer that splits texts into words at white space.

    Args:
        max_characters: maximum number of ids per word. A word of n bytes has
            n + 2 ids, for word start, bytes and word end.

    Call arguments:
        texts: string tensor or list `(batch_size,)`, or a single str.

    Returns:
        A RaggedTensor, string `(batch_size, (num_words))`.

    Example:

    >>> keras_bert.text.WordTokenizer()(["It 's good ."]).to_list()
    [[b'It', b"'s", b'good', b'.']]
    """

    _arrays, vocabulary = tf, _Vocabulary

    def __init__(self, max_characters: int = 50) -> None:
        self.max_characters = max_characters

    @batch_or_scalar
    def __call__(self, texts: Texts) -> tf.RaggedTensor:
        return self.tokenize_with_offsets(texts)[0]

    @batch_or_scalar
    def tokenize_with_offsets(
        self, texts: Texts
    ) -> tuple[tf.RaggedTensor, ...]:
        """Split texts into words and return their byte offsets.

        Args:
            texts: string tensor `(batch_size,)`, or a single str.

        Returns:
            Three RaggedTensors `(batch_size, (num_words))`: words, string;
            starts and ends, int64, byte offsets into the text.
        """
        return tf_text.WhitespaceTokenizer().tokenize_with_offsets(texts)

    def spell(
        self, marks: collections.abc.Sequence[int], *words: tf.Tensor
    ) -> tf.Tensor:
        """Convert words to byte ids.

        Args:
            marks: ids of special tokens, as returned by `vocabulary.id_of`.
            *words: strings `(num_words,)`.

        Returns:
            int32 `(num_tokens, max_characters)`, the special tokens and then
            all words.
        """
        width = self.max_characters
        spelt = [spell_words(column, width) for column in words]
        return tf.concat([tf.gather(_spell_marks(width), marks), *spelt], 0)
