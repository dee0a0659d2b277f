"""Examples with a single text of as many sentences as fit."""

import numpy as np

from keras_bert.pretraining.records.segments import Segments
from keras_bert.pretraining.records.segments import ranges


def sample_full_sentences(corpus, documents, max_num_tokens):
    """Pack sentences into texts that may cross document boundaries.

    Args:
        corpus: a `Corpus`.
        documents: int64 `(num_documents,)`, indices of consecutive documents.
        max_num_tokens: int, maximum number of tokens of a text, including a
            separator at each document boundary in it. Longer sentences are
            split.

    Returns:
        `Segments` without B, in the order of the text. Each token of the
        documents is in exactly one of them.

    References:
        [RoBERTa](https://arxiv.org/abs/1907.11692), section 4.2,
        FULL-SENTENCES
    """
    start, length, document = _pieces(corpus, documents, max_num_tokens)
    end_of_all = np.full(len(start), len(start))
    return _packed(start, length, document, end_of_all, max_num_tokens)


def sample_doc_sentences(corpus, documents, max_num_tokens):
    """Pack sentences into texts that do not cross document boundaries.

    The last text of a document may be shorter than the others.

    Args:
        corpus, documents, max_num_tokens: see `sample_full_sentences`.

    Returns:
        `Segments` without B, in the order of the text.

    References:
        [RoBERTa](https://arxiv.org/abs/1907.11692), section 4.2,
        DOC-SENTENCES
    """
    start, length, document = _pieces(corpus, documents, max_num_tokens)
    end_of_document = np.searchsorted(document, document, side="right")
    return _packed(start, length, document, end_of_document, max_num_tokens)


def _pieces(corpus, documents, max_num_tokens):
    """Split long sentences and return starts, lengths and document indices."""
    edges = corpus.documents[[documents[0], documents[-1] + 1]]
    sentences = corpus.sentences[edges[0] : edges[1] + 1]
    starts, lengths = sentences[:-1], np.diff(sentences)
    document = np.repeat(
        documents, np.diff(corpus.documents[documents[0] : documents[-1] + 2])
    )
    count = -(-lengths // max_num_tokens)
    offset = max_num_tokens * ranges(np.zeros_like(count), count)
    length = np.repeat(lengths, count) - offset
    return (
        np.repeat(starts, count) + offset,
        np.minimum(length, max_num_tokens),
        np.repeat(document, count),
    )


def _packed(start, length, document, limit, max_num_tokens):
    """Group consecutive pieces that fit into one text."""
    # Positions with a separator at the end of each document.
    offset = start + document
    end = np.minimum(
        np.searchsorted(offset + length, offset + max_num_tokens, side="right"),
        limit,
    ).tolist()
    firsts = [0]
    while end[firsts[-1]] < len(start):
        firsts.append(end[firsts[-1]])
    firsts = np.array(firsts)
    lasts = np.append(firsts[1:], len(start)) - 1
    return Segments.of_one_text(
        start[firsts], start[lasts] + length[lasts] - start[firsts]
    )
