"""Windows of words for long sentences, and logits for each word."""

import typing

import numpy as np

from keras_bert import checks
from keras_bert.tasks.columns import SINGLE_KEYS
from keras_bert.tasks.columns import as_rows
from keras_bert.tasks.inputs.inputs import Inputs
from keras_bert.tasks.inputs.sentences import as_sentences
from keras_bert.tasks.inputs.sentences import in_iob2
from keras_bert.tasks.inputs.sentences import tagged_words
from keras_bert.tasks.inputs.word_pieces import ENDS
from keras_bert.tasks.inputs.word_pieces import STARTS
from keras_bert.tasks.inputs.word_pieces import WordPieces
from keras_bert.tasks.inputs.word_pieces import WordPreprocessor
from keras_bert.tasks.inputs.word_pieces import find_words
from keras_bert.tasks.inputs.word_pieces import tokenize_words
from keras_bert.tasks.readers.entities import OUTSIDE
from keras_bert.tasks.readers.tag_schemes import is_plain
from keras_bert.tasks.training.encoded import Encoded
from keras_bert.tasks.training.encoded import ragged_rows
from keras_bert.tasks.training.encoded import token_targets
from keras_bert.template import FIRST

IGNORED = -1


class WordWindow(typing.NamedTuple):
    """Window of consecutive words in a sentence.

    Args:
        sentence: int, index of the sentence.
        ids: int32 `(num_pieces,)`.
        words: int64 `(num_pieces,)`, the word index of each token in the
            sentence.
    """

    sentence: int
    ids: np.ndarray
    words: np.ndarray

    @property
    def is_first(self):
        """Return a bool mask of the first token of each word."""
        return np.diff(self.words, prepend=-1) != 0


def split_into_windows(sentences, room):
    """Split sentences into windows that do not overlap.

    Each window has as many words as fit. Words without tokens are in no window.
    A word longer than a window is truncated and has a window of its own.

    Args:
        sentences: list of `WordPieces`.
        room: int, maximum number of tokens in a window, without special tokens.

    Returns:
        A list of `WordWindow`, in order.

    Raises:
        ValueError: `room` is below 1.
    """
    checks.at_least(1, room=room)
    windows = []
    for sentence, (ids, words) in enumerate(sentences):
        word_ends = np.flatnonzero(np.diff(words, append=-1)) + 1
        start = 0
        while start < len(ids):
            # The first word is always included.
            first = np.searchsorted(word_ends, start, side="right")
            after = np.searchsorted(word_ends, start + room, side="right")
            end = word_ends[max(first, after - 1)]
            inside = slice(start, min(end, start + room))
            windows.append(WordWindow(sentence, ids[inside], words[inside]))
            start = end
    return windows


class WordLists(list):
    """Sentences given as lists of words instead of texts."""


class Sentence(typing.NamedTuple):
    """Tokenized sentence with its words, tags and windows.

    Args:
        pieces: `WordPieces`.
        words: list of str.
        text: str, text that contains the words; None if words were given.
        spans: list with the (start, end) character offsets of each word in the
            text, or None.
        tags: list of str; None for prediction.
        label_indices: int32 `(num_words,)`, label indices of the tags; None
            if `tags` is None.
        windows: list with a pair of int arrays for each row: the indices of
            its words, and the positions of their first tokens in the row.
    """

    pieces: WordPieces
    words: list
    text: str | None = None
    spans: list | None = None
    tags: list | None = None
    label_indices: np.ndarray | None = None
    windows: list = ()


class Words(Inputs):
    """Inputs for token classification, with words split into windows.

    Args:
        pretrained: `PretrainedModel`.
        template: `Template`.
        settings: dict with `seq_length` and `labels`.
    """

    extra_inputs = (STARTS, ENDS)
    is_per_token = True

    def __init__(self, pretrained, template, settings):
        self.labels = settings["labels"]
        self.preprocess = WordPreprocessor(
            pretrained.tokenizer, template, settings["seq_length"]
        )

    def read(self, texts):
        if isinstance(texts, WordLists):
            return self._sentences(texts)
        texts = as_rows(texts, SINGLE_KEYS)
        tokenized = find_words(self.preprocess.tokenizer, texts)
        return [
            Sentence(pieces, [text[a:b] for a, b in spans], text, spans)
            for text, (pieces, spans) in zip(texts, tokenized, strict=True)
        ]

    def read_labelled(self, sentences, labels):
        words, tags, where = tagged_words(sentences, labels, self.labels)
        if not is_plain(self.labels):
            tags = in_iob2(tags, where)
        sentences = zip(self._sentences(words), tags, strict=True)
        return [x._replace(tags=row) for x, row in sentences], (tags, where)

    def _sentences(self, words):
        pieces = tokenize_words(self.preprocess.tokenizer, words)
        return [*map(Sentence, pieces, words)]

    def encode(self, sentences, targets=None, weights=None):
        template = self.preprocess.template
        pieces = [x.pieces for x in sentences]
        windows = split_into_windows(pieces, self.preprocess.room)
        rows = ragged_rows(self.preprocess, [w.ids for w in windows])
        layout = [word for word, _ in template.layout(is_pair=False)]
        before = layout.index(FIRST)
        context = [x._replace(windows=[]) for x in sentences]
        for w in windows:
            firsts = before + np.flatnonzero(w.is_first)
            context[w.sentence].windows.append((w.words[w.is_first], firsts))
        counts = np.array([len(x.windows) for x in context], int)
        if targets is None:
            return Encoded(rows, counts, decode_context=context)
        context = [
            sentence._replace(label_indices=np.asarray(indices, np.int32))
            for sentence, indices in zip(context, targets, strict=True)
        ]
        labels = at_first_pieces(
            rows, context, [x.label_indices for x in context], IGNORED
        )
        labels = np.concatenate([np.zeros(0, np.int32), *labels])
        is_labelled = labels != IGNORED
        labels = np.where(is_labelled, labels, 0)
        return Encoded(
            rows,
            counts,
            targets=labels,
            weights=is_labelled * weights[labels],
            num_labels=len(weights),
            decode_context=context,
        )

    def join(self, encoded, logits):
        """Return the logits of each word's first token.

        A word that the tokenizer drops has logit 0 for "O" (or for the first
        plain tag) and minus infinity for all other labels.

        Returns:
            A list with a float32 array `(num_words, num_labels)` for each
            sentence.
        """
        dropped = np.full(len(self.labels), -np.inf, np.float32)
        is_outside = OUTSIDE in self.labels
        dropped[self.labels.index(OUTSIDE) if is_outside else 0] = 0
        logits, result = iter(logits), []
        for sentence in encoded.decode_context:
            rows = np.tile(dropped, (len(sentence.words), 1))
            for words, firsts in sentence.windows:
                rows[words] = next(logits)[firsts]
            result.append(rows)
        return result

    def distillation_targets(self, encoded, logits):
        context = encoded.decode_context
        logits = at_first_pieces(encoded.rows, context, logits, 0.0)
        return token_targets(encoded.rows, logits, padding=0.0)

    def as_words(self, sentences):
        return WordLists(as_sentences(sentences))

    def ensemble_texts(self, encoded, texts):
        # Tokenizers may find different words in a text.
        return WordLists(x.words for x in encoded.decode_context)


def at_first_pieces(rows, context, values, missing):
    """Convert word values to token values, set at each first token.

    Args:
        rows: `RaggedRows` of the windows.
        context: list of `Sentence`.
        values: list with an array `(num_words, ...)` for each sentence.
        missing: value for all other tokens.

    Returns:
        A list with an array `(num_tokens, ...)` for each row.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.3
    """
    lengths, result = iter(rows.lengths), []
    for sentence, own in zip(context, values, strict=True):
        for words, firsts in sentence.windows:
            row = np.full((next(lengths), *own.shape[1:]), missing, own.dtype)
            row[firsts] = own[words]
            result.append(row)
    return result
