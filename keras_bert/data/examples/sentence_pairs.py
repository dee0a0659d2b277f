"""Which stretches of the corpus make an example: A, B and whether B follows.

The procedure is that of google-research/bert. Every document is walked once
a pass: sentences are gathered into a chunk until it reaches the target
length, the chunk is cut in two at a random sentence, and half of the time the
second part is replaced by sentences of another document, and the unused ones
are put back. Here all documents of a block take a step at once, on lengths
alone; no token is touched.
"""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class SentencePairs:
    """Pairs as places in `Corpus.tokens`, before special tokens.

    Args:
        first_start: int64 `(num_pairs,)`, first token of A.
        first_length: int64 `(num_pairs,)`, tokens of A.
        second_start: int64 `(num_pairs,)`, first token of B.
        second_length: int64 `(num_pairs,)`, tokens of B.
        is_random: bool `(num_pairs,)`, whether B is from another document.
        num_cut: int64 `(num_pairs,)`, tokens of the walked document that
            neither this pair nor another one of the pass holds.
    """

    first_start: np.ndarray
    first_length: np.ndarray
    second_start: np.ndarray
    second_length: np.ndarray
    is_random: np.ndarray
    num_cut: np.ndarray

    def __len__(self):
        return len(self.is_random)

    def __getitem__(self, rows):
        return SentencePairs(
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


def sample_sentence_pairs(
    corpus, documents, max_num_tokens, short_seq_prob, rng
):
    """Walks documents once and gives all of their pairs.

    Args:
        corpus: a `Corpus` of at least two documents.
        documents: int64 `(num_walked,)`, the documents to walk.
        max_num_tokens: int, most tokens of A and B together.
        short_seq_prob: float, share of documents walked with a random
            shorter target length.
        rng: a `numpy.random.Generator`.

    Returns:
        `SentencePairs` that fit `max_num_tokens`, no part empty.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1 and appendix
        A.1 and A.2
    """
    position = corpus.documents[documents]
    end = corpus.documents[documents + 1]
    target = np.where(
        rng.random(len(documents)) < short_seq_prob,
        rng.integers(2, max_num_tokens + 1, len(documents)),
        max_num_tokens,
    )
    steps = []
    while len(position):
        pairs, position = _step(corpus, documents, position, end, target, rng)
        steps.append(_truncate(pairs, max_num_tokens, rng))
        going = position < end
        documents, position = documents[going], position[going]
        end, target = end[going], target[going]
    return SentencePairs.concatenate(steps)


def _step(corpus, documents, position, end, target, rng):
    """Takes one pair from each document; the pairs and the new positions."""
    chunk_end = _reach(corpus, position, target, end)
    num_sentences = chunk_end - position
    draws = rng.random((2, len(position)))
    split = position + 1 + (draws[0] * (num_sentences - 1)).astype(np.int64)
    is_random = (num_sentences == 1) | (draws[1] < 0.5)
    first_start = corpus.sentences[position]
    first_length = corpus.sentences[split] - first_start
    random_start, random_end = _random_sentences(
        corpus, documents, np.maximum(target - first_length, 1), rng
    )
    second_start = corpus.sentences[np.where(is_random, random_start, split)]
    second_end = corpus.sentences[np.where(is_random, random_end, chunk_end)]
    pairs = SentencePairs(
        first_start,
        first_length,
        second_start,
        second_end - second_start,
        is_random,
        np.zeros_like(first_length),
    )
    return pairs, np.where(is_random, split, chunk_end)


def _reach(corpus, start, num_tokens, limit):
    """First sentence after so many tokens, at most `limit`."""
    goal = corpus.sentences[start] + num_tokens
    return np.minimum(np.searchsorted(corpus.sentences, goal), limit)


def _random_sentences(corpus, documents, num_tokens, rng):
    """Some sentences in a row, from a document other than the given."""
    other = rng.integers(0, corpus.num_documents - 1, len(documents))
    other += other >= documents
    first, limit = corpus.documents[other], corpus.documents[other + 1]
    start = first + rng.integers(0, limit - first)
    return start, _reach(corpus, start, num_tokens, limit)


def _truncate(pairs, max_num_tokens, rng):
    """Cuts the longer part until both fit, each token from a random end."""
    first, second = pairs.first_length, pairs.second_length
    kept_first = np.minimum(
        first, np.maximum(max_num_tokens - second, (max_num_tokens + 1) // 2)
    )
    kept_second = np.minimum(second, max_num_tokens - kept_first)
    cut_second = np.where(pairs.is_random, 0, second - kept_second)
    return SentencePairs(
        pairs.first_start + rng.binomial(first - kept_first, 0.5),
        kept_first,
        pairs.second_start + rng.binomial(second - kept_second, 0.5),
        kept_second,
        pairs.is_random,
        first - kept_first + cut_second,
    )
