"""Texts with several vectors each, and their similarity (MaxSim)."""

import collections.abc
import typing

import numpy as np

from keras_bert.messages import brief
from keras_bert.tasks.embeddings.compression import checked_block
from keras_bert.tasks.embeddings.compression import decompress
from keras_bert.tasks.embeddings.compression import float_rows

# A block of scores has a row for each corpus vector and a column for each
# query vector.
QUERY_VECTORS_AT_ONCE = 1024
CORPUS_VECTORS_AT_ONCE = 8192


class MultiVectors:
    """Vectors of several texts, stored without padding.

    An index returns the vectors of one text, an array `(num_vectors, dim)`. A
    slice or an array of indices returns `MultiVectors`.

    Args:
        values: float array `(num_vectors, dim)`, the vectors of all texts, or
            the result of `compress_vectors` for them. It may be a file opened
            with `numpy.load(path, mmap_mode="r")`.
        lengths: int `(num_texts,)`, number of vectors of each text.

    Raises:
        ValueError: a length is negative, or the lengths do not add up to the
            number of vectors.

    Example:

    >>> vectors = keras_bert.tasks.MultiVectors(np.eye(3), [1, 2])
    >>> vectors[1].shape
    (2, 3)
    """

    def __init__(
        self, values: np.ndarray, lengths: collections.abc.Sequence[int]
    ):
        self.values = np.asanyarray(values)
        lengths = np.asarray(lengths)
        if not lengths.size:
            lengths = lengths.astype(np.int64)
        is_valid = (
            self.values.ndim == 2
            and lengths.ndim == 1
            and lengths.dtype.kind in "iu"
            and not (lengths < 0).any()
            and sum(lengths.tolist()) == len(self.values)
        )
        if not is_valid:
            raise ValueError(
                "`values` must be a 2D array, and `lengths` integers of at "
                "least 0 with its number of rows as sum. Received: shape "
                f"{self.values.shape}, lengths {brief(lengths.tolist())}."
            )
        self.lengths = lengths.astype(np.int64)
        self._offsets = np.concatenate([[0], np.cumsum(self.lengths)])

    @classmethod
    def of(cls, arrays: collections.abc.Sequence[np.ndarray]) -> typing.Self:
        """Create `MultiVectors` from the vectors of each text.

        Args:
            arrays: nonempty list of arrays `(num_vectors, dim)`.
        """
        return cls(np.concatenate(arrays), [*map(len, arrays)])

    @property
    def dim(self) -> int:
        """Number of columns of `values`."""
        return self.values.shape[1]

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> collections.abc.Iterator[np.ndarray]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"<MultiVectors of {len(self)} texts, {self.values.shape}>"

    def __getitem__(self, index: typing.Any) -> typing.Any:
        starts, lengths = self._offsets[:-1][index], self.lengths[index]
        if isinstance(index, slice) and index.step in (None, 1):
            # A slice of `values` is not read from a file until it is used.
            first = starts[0] if len(starts) else 0
            values = self.values[first : first + lengths.sum()]
            return type(self)(values, lengths)
        if np.ndim(starts) == 0:
            return self.values[starts : starts + lengths]
        moves = starts - (np.cumsum(lengths) - lengths)
        rows = np.repeat(moves, lengths) + np.arange(lengths.sum())
        return type(self)(self.values[rows], lengths)

    def padded(self) -> np.ndarray:
        """Return an array `(num_texts, max_length, dim)`, padded with zeros."""
        width = self.lengths.max(initial=0)
        is_vector = np.arange(width) < self.lengths[:, None]
        array = np.zeros((*is_vector.shape, self.dim), self.values.dtype)
        array[is_vector] = self.values
        return array

    def blocks(
        self, num_vectors: int, name: str, is_cosine: bool = False
    ) -> collections.abc.Iterator[tuple[int, typing.Self]]:
        """Yield the texts in blocks of about `num_vectors` vectors.

        Args:
            num_vectors: number of vectors; a block has at least one text.
            name: argument name to show in error messages.
            is_cosine: whether to scale the vectors to length 1.

        Yields:
            The index of the first text, and the texts with float32 vectors.

        Raises:
            ValueError: the vectors have the wrong type, or contain NaN.
        """
        values = float_rows(self.values, name, ("int8", "uint8"))
        start = 0
        while start < len(self):
            first = self._offsets[start]
            stop = np.searchsorted(self._offsets, first + num_vectors, "right")
            stop = max(int(stop) - 1, start + 1)
            rows = decompress(values[first : self._offsets[stop]])
            rows = checked_block(rows, first, name, is_cosine)
            yield start, type(self)(rows, self.lengths[start:stop])
            start = stop

    def max_sim(self, texts: "MultiVectors") -> np.ndarray:
        """Compute the MaxSim score of each text with other texts.

        All dot products are in memory at the same time; see `tasks.max_sim`.

        Args:
            texts: float32 vectors of the other texts.

        Returns:
            float32 `(num_texts, num_other_texts)`.
        """
        if self.dim != texts.dim:
            raise ValueError(
                "`query_vectors` and `corpus_vectors` must have vectors of the "
                f"same size. Received: sizes {self.dim} and {texts.dim}."
            )
        # A text without vectors has the score 0.
        scores = np.zeros((len(texts), len(self)), np.float32)
        has_vectors = np.ix_(texts.lengths > 0, self.lengths > 0)
        if texts.values.size and self.values.size:
            dots = texts.values @ self.values.T
            best = np.maximum.reduceat(dots, texts._starts, axis=0)
            scores[has_vectors] = np.add.reduceat(best, self._starts, axis=1)
        return scores.T

    @property
    def _starts(self):
        """Indices of the first vector of each text that has vectors."""
        return self._offsets[:-1][self.lengths > 0]


def check_multi_vectors(**values):
    """Raise ValueError unless all values are `MultiVectors`."""
    for name, value in values.items():
        if not isinstance(value, MultiVectors):
            raise ValueError(
                f"`{name}` must be `MultiVectors`, as `embed_document` of a "
                "`LateInteractionEmbedder` returns them for a list. Received: "
                f"{brief(value)}."
            )


def max_sim(
    query_vectors: MultiVectors, corpus_vectors: MultiVectors
) -> np.ndarray:
    """Compute the MaxSim score of each query with each corpus text.

    MaxSim is the sum over the vectors of the query of their largest dot product
    with a vector of the corpus text. The memory use does not depend on the
    size of the corpus, except for the result.

    Args:
        query_vectors: result of `LateInteractionEmbedder.embed_query`.
        corpus_vectors: result of `LateInteractionEmbedder.embed_document`.

    Returns:
        float32 `(num_queries, num_texts)`.

    Raises:
        ValueError: an argument is not `MultiVectors`, or the vectors have
            different sizes or contain NaN.

    References:
        [ColBERT](https://arxiv.org/abs/2004.12832), section 3.3
    """
    check_multi_vectors(
        query_vectors=query_vectors, corpus_vectors=corpus_vectors
    )
    scores = np.empty((len(query_vectors), len(corpus_vectors)), np.float32)
    queries = [*query_vectors.blocks(QUERY_VECTORS_AT_ONCE, "query_vectors")]
    for start, texts in corpus_vectors.blocks(
        CORPUS_VECTORS_AT_ONCE, "corpus_vectors"
    ):
        columns = slice(start, start + len(texts))
        for first, block in queries:
            rows = slice(first, first + len(block))
            scores[rows, columns] = block.max_sim(texts)
    return scores
