"""Two segments in a row, in order or swapped."""

from keras_bert.data.examples.segment_pairs import draw_targets
from keras_bert.data.examples.segment_pairs import walk_documents


def sample_sentence_order(
    corpus, documents, max_num_tokens, short_seq_prob, rng
):
    """Walks documents once; half of the pairs of segments are swapped.

    A chunk of one sentence has no second part. As in google-research/albert
    it gets one of another document, and the label of swapped ones.

    Args:
        corpus: a `Corpus` of at least two documents.
        documents: int64 `(num_walked,)`, the documents to walk.
        max_num_tokens: int, most tokens of A and B together.
        short_seq_prob: float, share of documents walked with a random
            shorter target length.
        rng: a `numpy.random.Generator`.

    Returns:
        `Segments` that fit `max_num_tokens`, no part empty; the label says
        that A does not precede B.

    References:
        [ALBERT](https://arxiv.org/abs/1909.11942), section 3.1
    """
    target = draw_targets(documents, max_num_tokens, short_seq_prob, rng)
    return walk_documents(
        corpus,
        documents,
        lambda rows, _: target[rows],
        max_num_tokens,
        rng,
        _in_order_or_swapped,
    )


def _in_order_or_swapped(num_sentences, draws):
    is_alone = num_sentences == 1
    return is_alone, ~is_alone & (draws < 0.5)
