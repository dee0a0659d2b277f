"""The texts of examples as places in a corpus, and copies of their tokens."""

import dataclasses

import numpy as np

from keras_bert.pretraining.corpus.token_store import Corpus

_PIECE_STRETCHES = 1 << 13


@dataclasses.dataclass(frozen=True)
class Segments:
    """A and B of many examples, before special tokens.

    Args:
        first_start: int64 `(num_examples,)`, first token of A in
            `Corpus.tokens`.
        first_length: int64 `(num_examples,)`, tokens of A.
        second_start: int64 `(num_examples,)`, first token of B.
        second_length: int64 `(num_examples,)`, tokens of B; 0 where A is all.
        label: bool `(num_examples,)`, what `next_sentence_labels` will say.
        num_cut: int64 `(num_examples,)`, tokens of the walked document that
            neither this example nor another one of the pass holds.
    """

    first_start: np.ndarray
    first_length: np.ndarray
    second_start: np.ndarray
    second_length: np.ndarray
    label: np.ndarray
    num_cut: np.ndarray

    def __len__(self):
        return len(self.label)

    def __getitem__(self, rows):
        return Segments(
            *(getattr(self, f.name)[rows] for f in dataclasses.fields(self))
        )

    @classmethod
    def concatenate(cls, parts):
        return cls(
            *(
                np.concatenate([getattr(part, field.name) for part in parts])
                for field in dataclasses.fields(cls)
            )
        )

    @classmethod
    def of_one_text(cls, start, length):
        """Examples without B."""
        zeros = np.zeros_like(start)
        return cls(start, length, start, zeros, zeros.astype(bool), zeros)

    @property
    def num_tokens(self):
        """int64 `(num_examples,)`, of [CLS] A [SEP] or [CLS] A [SEP] B [SEP].

        Of texts that cross the end of a document, only once separators stand
        there; see `copy_tokens`.
        """
        num_special = np.where(self.second_length > 0, 3, 2)
        return self.first_length + self.second_length + num_special


def ranges(starts, lengths):
    """The integers of all ranges, one after the other, int64."""
    ends = np.cumsum(lengths)
    total = ends[-1] if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + lengths, lengths)


def copy_tokens(corpus, segments, sep_id):
    """Copies the tokens of examples, walking the corpus once from end to end.

    Examples come from all over the corpus. Read in their own order, each would
    touch other pages of the mapped file; in the order of their places each
    page is touched once, and can be given back.

    Args:
        corpus: a `Corpus`.
        segments: `Segments`, places in it.
        sep_id: int, what is put in where A crosses the end of a document.

    Returns:
        A `Corpus` of only these tokens, in memory, and the same segments as
        places in it.
    """
    row, source, length = _within_documents(
        corpus, segments.first_start, segments.first_length
    )
    num_separators = np.bincount(row, minlength=len(segments)) - 1
    first_length = segments.first_length + num_separators
    lengths = first_length + segments.second_length
    first_start = np.cumsum(lengths) - lengths
    second_start = first_start + first_length
    # Of the separators before a stretch, all but those of other rows.
    target = source - segments.first_start[row] + first_start[row]
    target += np.arange(len(row)) - np.searchsorted(row, row)
    tokens = np.full(lengths.sum(), sep_id, corpus.tokens.dtype)
    _copy(corpus, tokens, source, target, length)
    _copy(
        corpus,
        tokens,
        segments.second_start,
        second_start,
        segments.second_length,
    )
    return Corpus(tokens, None, None), dataclasses.replace(
        segments,
        first_start=first_start,
        first_length=first_length,
        second_start=second_start,
    )


def _within_documents(corpus, start, length):
    """Stretches cut at the ends of documents: their rows, starts, lengths."""
    first = _document_of(corpus, start)
    count = _document_of(corpus, start + length - 1) - first + 1
    row = np.repeat(np.arange(len(start)), count)
    document = ranges(first, count)
    edges = corpus.sentences[corpus.documents[[document, document + 1]]]
    cut_start = np.maximum(start[row], edges[0])
    cut_end = np.minimum((start + length)[row], edges[1])
    return row, cut_start, cut_end - cut_start


def _document_of(corpus, places):
    """The documents that tokens are of, int64 like their places."""
    order = np.argsort(places)
    sentence = np.searchsorted(corpus.sentences, places[order], "right") - 1
    documents = np.empty_like(places)
    documents[order] = np.searchsorted(corpus.documents, sentence, "right") - 1
    return documents


def _copy(corpus, tokens, source, target, length):
    order = np.argsort(source)
    for piece in range(0, len(order), _PIECE_STRETCHES):
        rows = order[piece : piece + _PIECE_STRETCHES]
        read = ranges(source[rows], length[rows])
        tokens[ranges(target[rows], length[rows])] = corpus.tokens[read]
        corpus.release()
