"""Pairs of segments or of single sentences: A, B, and a label.

The procedure is that of google-research/bert. Every document is walked once
a pass: sentences are gathered into a chunk until it reaches the target
length, the chunk is cut in two at a random sentence, and half of the time the
second part is replaced by sentences of another document, and the unused ones
are put back. Here all documents of a block take a step at once, only on
lengths; no token is touched.
"""

import numpy as np

from keras_bert.pretraining.examples.segments import Segments


def draw_targets(documents, max_num_tokens, short_seq_prob, rng):
    """The length that each document is walked with, int64."""
    return np.where(
        rng.random(len(documents)) < short_seq_prob,
        rng.integers(2, max_num_tokens + 1, len(documents)),
        max_num_tokens,
    )


def next_or_random(num_sentences, draws):
    """Half of the second parts are replaced, all that would be empty."""
    is_random = (num_sentences == 1) | (draws < 0.5)
    return is_random, np.zeros_like(is_random)


def in_order_or_swapped(num_sentences, draws):
    """Half of the pairs are swapped, as for ALBERT.

    A chunk of one sentence has no second part. As in google-research/albert
    it gets one of another document, and the label of swapped ones.

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
    """Walks documents once and gives all of their pairs.

    Args:
        corpus: a `Corpus` of at least two documents.
        documents: int64 `(num_walked,)`, the documents to walk.
        max_num_tokens: int, most tokens of A and B together.
        short_seq_prob: float, share of documents walked with a random
            shorter target length.
        rng: a `numpy.random.Generator`.
        decide: `next_or_random`, after which a label says that B is from
            another document, or `in_order_or_swapped`, that A does not
            precede B.

    Returns:
        `Segments` that fit `max_num_tokens`, no part empty.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1 and appendix
        A.1 and A.2
    """
    target = draw_targets(documents, max_num_tokens, short_seq_prob, rng)
    return walk_documents(
        corpus,
        documents,
        lambda rows, _: target[rows],
        max_num_tokens,
        rng,
        decide,
    )


def walk_documents(
    corpus, documents, target_of, max_num_tokens, rng, decide=next_or_random
):
    """Cuts documents into chunks and each chunk in two.

    Args:
        corpus, documents, max_num_tokens, rng: see `sample_segment_pairs`.
        target_of: function from rows of `documents` and the sentences where
            these stand to the tokens that a chunk is to reach.
        decide: function from the numbers of sentences in chunks and uniform
            draws from 0 to 1 to two bool arrays: whether sentences of another
            document take the place of the second part, which are then walked
            next; and whether the parts are swapped. The label says that
            either is so.

    Returns:
        `Segments` that fit `max_num_tokens`, no part empty.
    """
    rows = np.arange(len(documents))
    position = corpus.documents[documents]
    end = corpus.documents[documents + 1]
    steps = []
    while len(rows):
        target = target_of(rows, position)
        chunk_end = _reach(corpus, position, target, end[rows])
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
    """Start and length of two parts, int64 `(2, 2, num_chunks)`."""
    edges = corpus.sentences[np.stack([start, split, end])]
    return np.stack([edges[:2], np.diff(edges, axis=0)], axis=1)


def _reach(corpus, start, num_tokens, limit):
    """First sentence after so many tokens, at most `limit`."""
    goal = corpus.sentences[start] + num_tokens
    return np.minimum(np.searchsorted(corpus.sentences, goal), limit)


def _random_part(corpus, documents, num_tokens, rng):
    """Sentences in a row from other documents: starts and lengths."""
    other = rng.integers(0, corpus.num_documents - 1, len(documents))
    other += other >= documents
    first, limit = corpus.documents[other], corpus.documents[other + 1]
    start = first + rng.integers(0, limit - first)
    end = _reach(corpus, start, num_tokens, limit)
    places = corpus.sentences[np.stack([start, end])]
    return np.stack([places[0], places[1] - places[0]])


def _truncated(parts, is_random, is_swapped, max_num_tokens, rng):
    """Cuts the longer part until both fit, each token from a random end."""
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
    """Walks documents once, two sentences at a time.

    Half of the second sentences are replaced by one of another document, and
    the unused ones begin the next pair. The last sentence of a document may
    have no next one; it gets a random second one.

    Args:
        corpus: a `Corpus` of at least two documents.
        documents: int64 `(num_walked,)`, the documents to walk.
        max_num_tokens: int, most tokens of A and B together; longer pairs are
            cut.
        rng: a `numpy.random.Generator`.

    Returns:
        `Segments`; the label says that B is from another document.

    References:
        [RoBERTa](https://arxiv.org/abs/1907.11692), section 4.2,
        SENTENCE-PAIR+NSP
    """

    def first_and_one_more(rows, position):
        lengths = np.diff(
            corpus.sentences[np.stack([position, position + 1])], axis=0
        )
        return lengths[0] + 1

    return walk_documents(
        corpus, documents, first_and_one_more, max_num_tokens, rng
    )
