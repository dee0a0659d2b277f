"""Segments of examples as positions in a corpus."""

import dataclasses
import typing
from collections.abc import Iterable

import numpy as np

from keras_bert.pretraining.corpus.token_store import Corpus

_SPANS_PER_COPY = 1 << 13


@dataclasses.dataclass(frozen=True)
class Segments:
    """Positions of the segments A and B of examples in a corpus.

    Args:
        first_start: int64 `(num_examples,)`, start of A in `Corpus.tokens`.
        first_length: int64 `(num_examples,)`, number of tokens of A.
        second_start: int64 `(num_examples,)`, start of B in `Corpus.tokens`.
        second_length: int64 `(num_examples,)`, number of tokens of B; 0 for
            examples without a second segment.
        label: bool `(num_examples,)`, the `next_sentence_labels`.
        num_cut: int64 `(num_examples,)`, number of truncated tokens, which are
            in no example of the pass.
    """

    first_start: np.ndarray
    first_length: np.ndarray
    second_start: np.ndarray
    second_length: np.ndarray
    label: np.ndarray
    num_cut: np.ndarray

    def __len__(self) -> int:
        return len(self.label)

    def __getitem__(self, rows: np.ndarray | slice) -> "Segments":
        return Segments(*(column[rows] for column in vars(self).values()))

    @classmethod
    def concatenate(cls, parts: Iterable["Segments"]) -> typing.Self:
        columns = zip(*(vars(part).values() for part in parts), strict=True)
        return cls(*map(np.concatenate, columns))

    @classmethod
    def of_one_text(cls, start: np.ndarray, length: np.ndarray) -> typing.Self:
        """Create segments for examples without a second segment."""
        zeros = np.zeros_like(start)
        return cls(start, length, start, zeros, zeros.astype(bool), zeros)

    @property
    def num_tokens(self) -> np.ndarray:
        """Return the number of tokens, int64 `(num_examples,)`.

        Special tokens are included. For texts that cross document boundaries,
        the number is correct only after `copy_tokens`, which adds separators.
        """
        # [CLS] A [SEP] B [SEP] or [CLS] A [SEP].
        num_special = np.where(self.second_length > 0, 3, 2)
        return self.first_length + self.second_length + num_special


def ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Concatenate integer ranges into one int64 array."""
    ends = np.cumsum(lengths)
    total = ends[-1] if len(ends) else 0
    # Count up over the whole result, and shift each range to its start.
    return np.arange(total) + np.repeat(starts - ends + lengths, lengths)


def copy_tokens(
    corpus: Corpus, segments: Segments, sep_id: int
) -> tuple[Corpus, Segments]:
    """Copy the tokens of examples into memory.

    The examples are spread over the corpus. Their tokens are read in the order
    of the corpus, so that each page of the mapped file is read once and can
    then be released.

    Args:
        corpus: documents, normally memory-mapped.
        segments: examples of the corpus.
        sep_id: id inserted at the document boundaries in A.

    Returns:
        A `Corpus` of only these tokens, in memory, and the segments with
        their positions in it.
    """
    # The parts of A within one document, (num_parts,): the example of each
    # part, its start in the corpus and its length.
    row, source, length = _within_documents(
        corpus, segments.first_start, segments.first_length
    )
    num_separators = np.bincount(row, minlength=len(segments)) - 1
    first_length = segments.first_length + num_separators
    # (num_examples,); in memory, B follows A without a gap.
    lengths = first_length + segments.second_length
    first_start = np.cumsum(lengths) - lengths
    second_start = first_start + first_length
    # Shift each span by the number of separators before it in its row.
    target = source - segments.first_start[row] + first_start[row]
    target += np.arange(len(row)) - np.searchsorted(row, row)
    # The gaps between the parts of an example keep `sep_id`.
    tokens = np.full(lengths.sum(), sep_id, corpus.tokens.dtype)
    _copy(corpus, tokens, source, target, length)
    _copy(
        corpus,
        tokens,
        segments.second_start,
        second_start,
        segments.second_length,
    )
    # Examples no longer need the bounds of sentences and documents.
    return Corpus(tokens, None, None), dataclasses.replace(
        segments,
        first_start=first_start,
        first_length=first_length,
        second_start=second_start,
    )


def _within_documents(
    corpus: Corpus, start: np.ndarray, length: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Split spans of tokens at document boundaries.

    Returns:
        Three int64 arrays with a value for each part: the index of its span,
        its start and its length.
    """
    first = _document_of(corpus, start)
    # Number of documents that each span touches, (num_spans,).
    count = _document_of(corpus, start + length - 1) - first + 1
    row = np.repeat(np.arange(len(start)), count)
    document = ranges(first, count)  # (num_parts,)
    # First token and end of each document, (2, num_parts).
    edges = corpus.sentences[corpus.documents[[document, document + 1]]]
    cut_start = np.maximum(start[row], edges[0])
    cut_end = np.minimum((start + length)[row], edges[1])
    return row, cut_start, cut_end - cut_start


def _document_of(corpus: Corpus, positions: np.ndarray) -> np.ndarray:
    """Return the document index of each token position, int64."""
    # Sorted positions read the mapped arrays in order.
    order = np.argsort(positions)
    sentence = np.searchsorted(corpus.sentences, positions[order], "right") - 1
    documents = np.empty_like(positions)
    documents[order] = np.searchsorted(corpus.documents, sentence, "right") - 1
    return documents


def _copy(
    corpus: Corpus,
    tokens: np.ndarray,
    source: np.ndarray,
    target: np.ndarray,
    length: np.ndarray,
) -> None:
    order = np.argsort(source)
    for piece in range(0, len(order), _SPANS_PER_COPY):
        rows = order[piece : piece + _SPANS_PER_COPY]
        # Index of every single token, (sum(length[rows]),).
        read = ranges(source[rows], length[rows])
        tokens[ranges(target[rows], length[rows])] = corpus.tokens[read]
        corpus.release()
