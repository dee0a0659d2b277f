"""Labeled pairs of segments or sentences.

The procedure is the same as in google-research/bert. Each pass goes through
each document once. Sentences are collected until the chunk has the target
length. The chunk is split in two at a random sentence. In half of the chunks,
the second part is replaced by sentences of another document; the unused
sentences begin the next chunk. The steps are vectorized over the documents of a
block and use only lengths, not tokens.
"""

import typing
from collections.abc import Callable

import numpy as np

from keras_bert.pretraining.corpus.token_store import Corpus
from keras_bert.pretraining.records.segments import Segments

# Takes the numbers of sentences and random numbers of chunks, and returns
# `is_random` and `is_swapped`, all `(num_chunks,)`.
_Decide: typing.TypeAlias = Callable[
    [np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]
]


def draw_targets(
    documents: np.ndarray,
    max_num_tokens: int,
    short_seq_prob: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """Sample the target length of each document, int64."""
    return np.where(
        rng.random(len(documents)) < short_seq_prob,
        rng.integers(2, max_num_tokens + 1, len(documents)),
        max_num_tokens,
    )


def next_or_random(
    num_sentences: np.ndarray, draws: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Replace B in half of the pairs, and in all pairs without a B."""
    is_random = (num_sentences == 1) | (draws < 0.5)
    return is_random, np.zeros_like(is_random)


def in_order_or_swapped(
    num_sentences: np.ndarray, draws: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Swap A and B in half of the pairs, as in ALBERT.

    A chunk of one sentence has no B. As in google-research/albert, it gets a B
    from another document and the label of a swapped pair.

    References:
        [ALBERT](https://arxiv.org/abs/1909.11942), section 3.1
    """
    is_alone = num_sentences == 1
    return is_alone, ~is_alone & (draws < 0.5)


def sample_segment_pairs(
    corpus: Corpus,
    documents: np.ndarray,
    max_num_tokens: int,
    short_seq_prob: float,
    rng: np.random.Generator,
    decide: _Decide = next_or_random,
) -> Segments:
    """Create the segment pairs of documents.

    Args:
        corpus: at least two documents.
        documents: int64 `(num_documents,)`, indices of the documents.
        max_num_tokens: maximum number of tokens of A and B together.
        short_seq_prob: fraction of documents with a random shorter target
            length.
        rng: random number generator.
        decide: `next_or_random`, with label 1 if B is from another document,
            or `in_order_or_swapped`, with label 1 if A does not precede B.

    Returns:
        `Segments` of at most `max_num_tokens`; A and B are not empty.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1 and appendix
        A.1 and A.2
    """
    target = draw_targets(documents, max_num_tokens, short_seq_prob, rng)
    return split_documents(
        corpus,
        documents,
        lambda rows, _: target[rows],
        max_num_tokens,
        rng,
        decide,
    )


def split_documents(
    corpus: Corpus,
    documents: np.ndarray,
    target_of: Callable[[np.ndarray, np.ndarray], np.ndarray],
    max_num_tokens: int,
    rng: np.random.Generator,
    decide: _Decide = next_or_random,
) -> Segments:
    """Split documents into chunks and each chunk into two parts.

    Args:
        corpus, documents, max_num_tokens, rng: see `sample_segment_pairs`.
        target_of: function that takes indices into `documents` and their next
            sentences, and returns the target lengths of the next chunks in
            tokens.
        decide: function that takes the numbers of sentences in chunks and
            uniform random numbers in [0, 1), and returns two bool arrays:
            whether B is replaced by sentences of another document, so that the
            original ones begin the next chunk; and whether A and B are swapped.
            The label is 1 if either is True.

    Returns:
        `Segments` of at most `max_num_tokens`; A and B are not empty.
    """
    rows = np.arange(len(documents))  # Documents with sentences left.
    position = corpus.documents[documents]  # Next sentence of each row.
    end = corpus.documents[documents + 1]
    steps = []
    # Each iteration takes one chunk of every row, so there are as many as the
    # longest document has chunks.
    while len(rows):
        target = target_of(rows, position)  # (len(rows),)
        chunk_end = _sentence_after(corpus, position, target, end[rows])
        num_sentences = chunk_end - position
        draws = rng.random((2, len(rows)))
        # A has at least one sentence. B is empty if the chunk has only one.
        split = position + 1 + (draws[0] * (num_sentences - 1)).astype(np.int64)
        is_random, is_swapped = decide(num_sentences, draws[1])
        parts = _parts(corpus, position, split, chunk_end)
        # A random B fills the rest of the target, with at least one sentence.
        parts[1] = np.where(
            is_random,
            _random_part(
                corpus,
                documents[rows],
                np.maximum(target - parts[0, 1], 1),
                rng,
            ),
            parts[1],
        )
        parts = np.where(is_swapped, parts[::-1], parts)
        steps.append(
            _truncated(parts, is_random, is_swapped, max_num_tokens, rng)
        )
        # The sentences that a random B replaces begin the next chunk.
        position = np.where(is_random, split, chunk_end)
        going = position < end[rows]
        rows, position = rows[going], position[going]
    return Segments.concatenate(steps)


def _parts(
    corpus: Corpus, start: np.ndarray, split: np.ndarray, end: np.ndarray
) -> np.ndarray:
    """Return the starts and lengths of both parts, `(2, 2, num_chunks)`."""
    edges = corpus.sentences[np.stack([start, split, end])]  # (3, num_chunks)
    # The first axis is the part (A, B), the second its start and length.
    return np.stack([edges[:2], np.diff(edges, axis=0)], axis=1)


def _sentence_after(
    corpus: Corpus,
    start: np.ndarray,
    num_tokens: np.ndarray,
    limit: np.ndarray,
) -> np.ndarray:
    """Return the first sentence after `num_tokens`, but at most `limit`."""
    # The sentence that reaches the number is included, so chunks may be longer.
    goal = corpus.sentences[start] + num_tokens
    return np.minimum(np.searchsorted(corpus.sentences, goal), limit)


def _random_part(
    corpus: Corpus,
    documents: np.ndarray,
    num_tokens: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Sample starts and lengths of sentences from other documents."""
    # Skip the document of A; all others have the same probability.
    other = rng.integers(0, corpus.num_documents - 1, len(documents))
    other += other >= documents
    first, limit = corpus.documents[other], corpus.documents[other + 1]
    start = first + rng.integers(0, limit - first)
    end = _sentence_after(corpus, start, num_tokens, limit)
    bounds = corpus.sentences[np.stack([start, end])]
    return np.stack([bounds[0], bounds[1] - bounds[0]])  # (2, num_chunks)


def _truncated(
    parts: np.ndarray,
    is_random: np.ndarray,
    is_swapped: np.ndarray,
    max_num_tokens: int,
    rng: np.random.Generator,
) -> Segments:
    """Truncate the longer segment at random ends until both segments fit."""
    (first_start, first), (second_start, second) = parts
    # The original loop removes single tokens from the longer segment, from B
    # on ties. Therefore, A keeps half of the tokens, or more if B is short.
    kept_first = np.minimum(
        first, np.maximum(max_num_tokens - second, (max_num_tokens + 1) // 2)
    )
    kept_second = np.minimum(second, max_num_tokens - kept_first)
    # A random B belongs to another document, so its cut tokens do not count.
    cut_second = np.where(is_random, 0, second - kept_second)
    # Each removed token is at the front with probability 0.5.
    return Segments(
        first_start + rng.binomial(first - kept_first, 0.5),
        kept_first,
        second_start + rng.binomial(second - kept_second, 0.5),
        kept_second,
        is_random | is_swapped,
        first - kept_first + cut_second,
    )


def sample_sentence_pairs(
    corpus: Corpus,
    documents: np.ndarray,
    max_num_tokens: int,
    rng: np.random.Generator,
) -> Segments:
    """Create the sentence pairs of documents.

    In half of the pairs, B is replaced by a sentence of another document; the
    unused sentence begins the next pair. If the last sentence of a document is
    left over, its B is always random.

    Args:
        corpus: at least two documents.
        documents: int64 `(num_documents,)`, indices of the documents.
        max_num_tokens: maximum number of tokens of A and B together; longer
            pairs are truncated.
        rng: random number generator.

    Returns:
        `Segments` with label 1 if B is from another document.

    References:
        [RoBERTa](https://arxiv.org/abs/1907.11692), section 4.2,
        SENTENCE-PAIR+NSP
    """

    def first_and_one_more(
        rows: np.ndarray, position: np.ndarray
    ) -> np.ndarray:
        # One token more than the first sentence, so that a chunk always has
        # the first two sentences.
        lengths = np.diff(
            corpus.sentences[np.stack([position, position + 1])], axis=0
        )
        return lengths[0] + 1

    return split_documents(
        corpus, documents, first_and_one_more, max_num_tokens, rng
    )
