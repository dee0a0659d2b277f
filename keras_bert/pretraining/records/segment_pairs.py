"""Labeled pairs of segments or sentences.

The procedure is the same as in google-research/bert. Each pass goes through
each document once. Sentences are collected until the chunk has the target
length. The chunk is split in two at a random sentence. In half of the chunks,
the second part is replaced by sentences of another document; the unused
sentences begin the next chunk. The steps are vectorized over the documents of a
block and use only lengths, not tokens.
"""

import numpy as np

from keras_bert.pretraining.records.segments import Segments


def draw_targets(documents, max_num_tokens, short_seq_prob, rng):
    """Sample the target length of each document, int64."""
    return np.where(
        rng.random(len(documents)) < short_seq_prob,
        rng.integers(2, max_num_tokens + 1, len(documents)),
        max_num_tokens,
    )


def next_or_random(num_sentences, draws):
    """Replace B in half of the pairs, and in all pairs without a B."""
    is_random = (num_sentences == 1) | (draws < 0.5)
    return is_random, np.zeros_like(is_random)


def in_order_or_swapped(num_sentences, draws):
    """Swap A and B in half of the pairs, as in ALBERT.

    A chunk of one sentence has no B. As in google-research/albert, it gets a B
    from another document and the label of a swapped pair.

    References:
        [ALBERT](https://arxiv.org/abs/1909.11942), section 3.1
    """
    is_alone = num_sentences == 1
    return is_alone, ~is_alone & (draws < 0.5)


def sample_segment_pairs(
    corpus,
    documents,
    max_num_tokens,
    short_seq_prob,
    rng,
    decide=next_or_random,
):
    """Create the segment pairs of documents.

    Args:
        corpus: a `Corpus` of at least two documents.
        documents: int64 `(num_documents,)`, indices of the documents.
        max_num_tokens: int, maximum number of tokens of A and B together.
        short_seq_prob: float, fraction of documents with a random shorter
            target length.
        rng: a `numpy.random.Generator`.
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
    corpus, documents, target_of, max_num_tokens, rng, decide=next_or_random
):
    """Split documents into chunks and each chunk into two parts.

    Args:
        corpus, documents, max_num_tokens, rng: see `sample_segment_pairs`.
        target_of: callable that takes indices into `documents` and their next
            sentences, and returns the target lengths of the next chunks in
            tokens.
        decide: callable that takes the numbers of sentences in chunks and
            uniform random numbers in [0, 1), and returns two bool arrays:
            whether B is replaced by sentences of another document, so that the
            original ones begin the next chunk; and whether A and B are swapped.
            The label is 1 if either is True.

    Returns:
        `Segments` of at most `max_num_tokens`; A and B are not empty.
    """
    rows = np.arange(len(documents))
    position = corpus.documents[documents]
    end = corpus.documents[documents + 1]
    steps = []
    while len(rows):
        target = target_of(rows, position)
        chunk_end = _sentence_after(corpus, position, target, end[rows])
        num_sentences = chunk_end - position
        draws = rng.random((2, len(rows)))
        split = position + 1 + (draws[0] * (num_sentences - 1)).astype(np.int64)
        is_random, is_swapped = decide(num_sentences, draws[1])
        parts = _parts(corpus, position, split, chunk_end)
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
        position = np.where(is_random, split, chunk_end)
        going = position < end[rows]
        rows, position = rows[going], position[going]
    return Segments.concatenate(steps)


def _parts(corpus, start, split, end):
    """Return the starts and lengths of both parts, `(2, 2, num_chunks)`."""
    edges = corpus.sentences[np.stack([start, split, end])]
    return np.stack([edges[:2], np.diff(edges, axis=0)], axis=1)


def _sentence_after(corpus, start, num_tokens, limit):
    """Return the first sentence after `num_tokens`, but at most `limit`."""
    goal = corpus.sentences[start] + num_tokens
    return np.minimum(np.searchsorted(corpus.sentences, goal), limit)


def _random_part(corpus, documents, num_tokens, rng):
    """Sample starts and lengths of sentences from other documents."""
    other = rng.integers(0, corpus.num_documents - 1, len(documents))
    other += other >= documents
    first, limit = corpus.documents[other], corpus.documents[other + 1]
    start = first + rng.integers(0, limit - first)
    end = _sentence_after(corpus, start, num_tokens, limit)
    bounds = corpus.sentences[np.stack([start, end])]
    return np.stack([bounds[0], bounds[1] - bounds[0]])


def _truncated(parts, is_random, is_swapped, max_num_tokens, rng):
    """Truncate the longer segment at random ends until both segments fit."""
    (first_start, first), (second_start, second) = parts
    kept_first = np.minimum(
        first, np.maximum(max_num_tokens - second, (max_num_tokens + 1) // 2)
    )
    kept_second = np.minimum(second, max_num_tokens - kept_first)
    cut_second = np.where(is_random, 0, second - kept_second)
    return Segments(
        first_start + rng.binomial(first - kept_first, 0.5),
        kept_first,
        second_start + rng.binomial(second - kept_second, 0.5),
        kept_second,
        is_random | is_swapped,
        first - kept_first + cut_second,
    )


def sample_sentence_pairs(corpus, documents, max_num_tokens, rng):
    """Create the sentence pairs of documents.

    In half of the pairs, B is replaced by a sentence of another document; the
    unused sentence begins the next pair. If the last sentence of a document is
    left over, its B is always random.

    Args:
        corpus: a `Corpus` of at least two documents.
        documents: int64 `(num_documents,)`, indices of the documents.
        max_num_tokens: int, maximum number of tokens of A and B together;
            longer pairs are truncated.
        rng: a `numpy.random.Generator`.

    Returns:
        `Segments` with label 1 if B is from another document.

    References:
        [RoBERTa](https://arxiv.org/abs/1907.11692), section 4.2,
        SENTENCE-PAIR+NSP
    """

    def first_and_one_more(rows, position):
        lengths = np.diff(
            corpus.sentences[np.stack([position, position + 1])], axis=0
        )
        return lengths[0] + 1

    return split_documents(
        corpus, documents, first_and_one_more, max_num_tokens, rng
    )
