"""Subword tokenization that keeps track of words."""

import typing

import numpy as np

from keras_bert.lazy_tensorflow import tf
from keras_bert.tasks.columns import checked_texts
from keras_bert.tasks.training.encoded import tokenized
from keras_bert.text.preprocessor import Preprocessor

STARTS, ENDS = "starts", "ends"


class WordPieces(typing.NamedTuple):
    """Tokens of a sentence and the words that they belong to.

    Args:
        ids: int32 `(num_pieces,)`.
        words: int64 `(num_pieces,)`, the word index of each token, ascending.
            Words without tokens are missing.
    """

    ids: np.ndarray
    words: np.ndarray


def tokenize_words(tokenizer, sentences):
    """Tokenize sentences given as lists of words.

    The words of a sentence are joined with spaces and tokenized together,
    because byte-level BPE and SentencePiece encode the space before a word.
    A word that the tokenizer drops, such as a control character, has no tokens.

    Args:
        tokenizer: a `Tokenizer`.
        sentences: list with a list of str for each sentence.

    Returns:
        A list of `WordPieces`.

    Raises:
        ValueError: a sentence is not text. The message names its index.
    """
    texts = checked_texts(" ".join(words) for words in sentences)
    result = []
    rows = tokenized(tokenizer.tokenize_with_offsets, texts)
    for words, (ids, _, ends) in zip(sentences, rows, strict=True):
        lengths = [len(word.encode("utf-8")) + 1 for word in words]
        word_ends = np.cumsum(lengths, dtype=np.int64)
        # The last byte identifies the word; the first may be a space.
        word_of = np.searchsorted(word_ends, ends - 1, side="right")
        result.append(WordPieces(ids, word_of))
    return result


def find_words(tokenizer, texts):
    """Tokenize texts and group the tokens into words.

    A token begins a word unless the vocabulary marks it as a continuation.
    WordPiece splits words at white space, punctuation and Chinese characters;
    byte-level BPE only at white space.

    Args:
        tokenizer: a `Tokenizer`.
        texts: list of str.

    Returns:
        A list with a pair for each text: its `WordPieces` and a list with the
        (start, end) character offsets of each word.

    Raises:
        ValueError: an item is not text. The message names its index.
    """
    texts = checked_texts(texts)
    is_continuation = tokenizer.vocabulary.is_continuation
    if is_continuation is not None:
        is_continuation = np.array(is_continuation)
    result = []
    rows = tokenized(tokenizer.tokenize_with_offsets, texts)
    for text, tokens in zip(texts, rows, strict=True):
        words, spans = _words_of_tokens(is_continuation, *tokens)
        spans = _characters_before(text)[spans].tolist()
        result.append((WordPieces(tokens[0], words), spans))
    return result


def _words_of_tokens(is_continuation, ids, starts, ends):
    """Return the word index of each token, and the byte offsets of the words.

    The words are the same as in `_words_with_offsets`.
    """
    (indices,) = np.nonzero(ends > starts)
    first, end = starts[indices], ends[indices]
    begins = first >= np.concatenate([first[:1], end[:-1]])
    if is_continuation is not None:
        begins &= ~is_continuation[ids[indices]]
    begins[:1] = True
    lasts = np.append(begins[1:], begins[:1])
    is_first = np.zeros(len(ids), bool)
    is_first[indices] = begins
    spans = np.stack([first[begins], end[lasts]], axis=1)
    return np.cumsum(is_first) - 1, spans


def _words_with_offsets(tokenizer, texts):
    """Tokenize texts and find their words in a TensorFlow graph.

    Returns three RaggedTensors `(batch_size, (num_tokens))`: the ids (int32),
    and the byte offsets of word starts and ends (int64). Offsets are at the
    first token of each word and 0 at all other tokens. No word is empty.
    """
    ids, starts, ends = tokenizer.tokenize_with_offsets(texts)
    # A token that is only a space belongs to no word.
    indices = tf.where(ends.flat_values > starts.flat_values)[:, 0]
    row, first, end = (
        tf.gather(x, indices)
        for x in (ids.value_rowids(), starts.flat_values, ends.flat_values)
    )
    is_continuation = tokenizer.vocabulary.is_continuation
    continues = tf.zeros_like(first, tf.bool)
    if is_continuation is not None:  # Otherwise each token is a word.
        tokens = tf.gather(ids.flat_values, indices)
        continues = tf.gather(tf.constant(is_continuation), tokens)
    # SentencePiece may split an unknown word from its space; both tokens then
    # cover the same bytes.
    overlaps = tf.less(first, tf.concat([first[:1], end[:-1]], 0))
    begins = tf.logical_not(tf.logical_or(continues, overlaps))
    begins = tf.logical_or(begins, _is_first(row))
    # The last token of a word precedes the first token of the next word.
    lasts = tf.concat([begins[1:], [True]], 0)[: tf.size(begins)]
    indices = tf.boolean_mask(indices, begins)[:, tf.newaxis]
    size = tf.shape(ids.flat_values, tf.int64)
    return (
        ids,
        *(
            starts.with_flat_values(
                tf.scatter_nd(indices, tf.boolean_mask(offsets, chosen), size)
            )
            for offsets, chosen in ((first, begins), (end, lasts))
        ),
    )


def _is_first(row):
    """Return a bool mask of rows that differ from the previous row."""
    before = tf.concat([tf.constant([-1], row.dtype), row[:-1]], 0)
    return tf.not_equal(row, before[: tf.size(row)])


def _characters_before(text):
    """Return the number of characters before each byte and in total."""
    data = np.frombuffer(text, np.uint8)
    return np.append(0, np.cumsum((data & 0xC0) != 0x80))


class WordPreprocessor(Preprocessor):
    """Preprocessor of single texts that also returns word offsets.

    The arguments are the same as for `Preprocessor`.

    Call arguments:
        texts: string tensor or list `(batch_size,)`.

    Returns:
        A dict of int32 `(batch_size, seq_length)` tensors: the model inputs of
        `Preprocessor`, and `starts` and `ends`, the byte offsets of a word at
        its first token; 0 at all other tokens.
    """

    def encode(self, texts):
        ids, starts, ends = _words_with_offsets(self.tokenizer, texts)
        return self.add_special_tokens(ids, **{STARTS: [starts], ENDS: [ends]})
