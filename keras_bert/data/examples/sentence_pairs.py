"""Pairs of single sentences: A, B and whether B follows."""

import numpy as np

from keras_bert.data.examples.segment_pairs import walk_documents


def sample_sentence_pairs(corpus, documents, max_num_tokens, rng):
    """Walks documents once, two sentences at a time.

    Half of the second sentences are replaced by one of another document, and
    the unused ones begin the next pair. A sentence that is left alone at the
    end of a document gets a random second one.

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
