"""Words of sentences and of texts to word pieces."""

import itertools
import typing

import numpy as np
import tensorflow as tf

from keras_bert import features
from keras_bert.tasks.fine_tuning.columns import checked_texts
from keras_bert.text.packing import pack
from keras_bert.text.preprocessor import Preprocessor

STARTS, ENDS = "starts", "ends"


class WordPieces(typing.NamedTuple):
    """The pieces of a sentence.

    Args:
        ids: int32 `(num_pieces,)`.
        words: int64 `(num_pieces,)`, the index of the word of each piece. It
            ascends and leaves out words that give no piece.
    """

    ids: np.ndarray
    words: np.ndarray


def tokenize_words(tokenizer, sentences):
    """Cuts the words of sentences into pieces.

    Each sentence is tokenized as one text, its words joined by spaces, so
    that each word but the first has a space before it, as tokenizers want it
    that keep spaces. A word that the tokenizer drops, such as a control
    character, gives no piece.

    Args:
        tokenizer: a `Tokenizer`.
        sentences: list with a list of str for each sentence.

    Returns:
        A list of `WordPieces`.

    Raises:
        ValueError: a sentence is no text; its index is named.
    """
    texts = checked_texts(" ".join(words) for words in sentences)
    result = []
    rows = _rows(*tokenizer.tokenize_with_offsets(texts))
    for words, (ids, _, ends) in zip(sentences, rows, strict=True):
        lengths = [len(word.encode("utf-8")) + 1 for word in words]
        word_ends = np.cumsum(lengths, dtype=np.int64)
        # The last byte of a piece is in its word; the first may be a space.
        word_of = np.searchsorted(word_ends, ends - 1, side="right")
        result.append(WordPieces(ids, word_of))
    return result


def find_words(tokenizer, texts):
    """Cuts texts into pieces, and finds the words that these make up.

    A piece begins a word unless the vocabulary says that it continues one;
    the first of a text always does. So words of word pieces end at white
    space, and around punctuation and Chinese characters; those of byte-level
    BPE at white space only.

    Args:
        tokenizer: a `Tokenizer`.
        texts: list of str.

    Returns:
        A list with a pair for each text: `WordPieces`, and a list of the
        start and the end of each word in the text, in characters.

    Raises:
        ValueError: one is no text; its index is named.
    """
    texts = checked_texts(texts)
    result = []
    rows = _rows(*_words_with_offsets(tokenizer, texts))
    for text, (ids, starts, ends) in zip(texts, rows, strict=True):
        begins = ends > 0
        spans = np.stack([starts[begins], ends[begins]], axis=1)
        pieces = WordPieces(ids, np.cumsum(begins) - 1)
        result.append((pieces, _characters_before(text)[spans].tolist()))
    return result


def _words_with_offsets(tokenizer, texts):
    """Cuts texts into pieces and finds their words, in the graph.

    Returns three RaggedTensors `(batch_size, (num_tokens))`: ids, int32, and
    starts and ends, int64, offsets in bytes: those of a word at its first
    piece, 0 at the others. No word is empty.
    """
    ids, starts, ends = tokenizer.tokenize_with_offsets(texts)
    # A piece that is only space, which has no span, is of no word.
    places = tf.where(ends.flat_values > starts.flat_values)[:, 0]
    row, first, end = (
        tf.gather(x, places)
        for x in (ids.value_rowids(), starts.flat_values, ends.flat_values)
    )
    is_continuation = tokenizer.vocabulary.is_continuation
    continues = tf.zeros_like(first, tf.bool)
    if is_continuation is not None:  # Else each token is a word.
        tokens = tf.gather(ids.flat_values, places)
        continues = tf.gather(tf.constant(is_continuation), tokens)
    # Of an unknown word that SentencePiece cuts off its space, both pieces
    # stand for the same bytes.
    overlaps = tf.less(first, tf.concat([first[:1], end[:-1]], 0))
    begins = tf.logical_not(tf.logical_or(continues, overlaps))
    begins = tf.logical_or(begins, _is_first(row))
    # The last piece of a word stands before the first one of the next.
    lasts = tf.concat([begins[1:], [True]], 0)[: tf.size(begins)]
    places = tf.boolean_mask(places, begins)[:, tf.newaxis]
    size = tf.shape(ids.flat_values, tf.int64)
    return (
        ids,
        *(
            starts.with_flat_values(
                tf.scatter_nd(places, tf.boolean_mask(offsets, chosen), size)
            )
            for offsets, chosen in ((first, begins), (end, lasts))
        ),
    )


def _is_first(row):
    """Marks rows that are others than before, bool."""
    before = tf.concat([tf.constant([-1], row.dtype), row[:-1]], 0)
    return tf.not_equal(row, before[: tf.size(row)])


def _rows(*ragged):
    splits = ragged[0].row_splits.numpy()
    flat = [tokens.flat_values.numpy() for tokens in ragged]
    for start, end in itertools.pairwise(splits):
        yield [values[start:end] for values in flat]


def _characters_before(text):
    """Counts the characters of UTF-8 before each byte, and in all."""
    data = np.frombuffer(text, np.uint8)
    return np.append(0, np.cumsum((data & 0xC0) != 0x80))


class WordPreprocessor(Preprocessor):
    """Packs single texts with the offsets of their words.

    Args: as for `Preprocessor`.

    Call arguments:
        texts: string tensor or list `(batch_size,)`.

    Returns:
        A dict of int32 `(batch_size, seq_length)` tensors: those of
        `Preprocessor`, and `starts` and `ends`, where a word begins and ends
        in its text, in bytes, at the first piece of the word; 0 elsewhere.
    """

    def __call__(self, texts):
        inputs, _ = self.encode(texts)
        return inputs

    def encode(self, texts):
        ids, starts, ends = _words_with_offsets(self.tokenizer, texts)
        inputs = {
            **self.pack(ids),
            STARTS: self._beside(starts),
            ENDS: self._beside(ends),
        }
        return inputs, self.are_cut(ids)

    def _beside(self, offsets):
        """Offsets laid out as the pieces, with 0 at special tokens."""
        packed = pack(
            self.template,
            tf.cast(offsets, tf.int32),
            None,
            self.seq_length,
            lambda token: 0,
            self.truncation,
        )
        return packed[features.INPUT_IDS.name]
