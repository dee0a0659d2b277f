"""Packings: ways to create examples from text, named as in the papers."""

import dataclasses
from collections.abc import Callable

from keras_bert.pretraining.examples.full_sentences import sample_doc_sentences
from keras_bert.pretraining.examples.full_sentences import sample_full_sentences
from keras_bert.pretraining.examples.segment_pairs import in_order_or_swapped
from keras_bert.pretraining.examples.segment_pairs import next_or_random
from keras_bert.pretraining.examples.segment_pairs import sample_segment_pairs
from keras_bert.pretraining.examples.segment_pairs import sample_sentence_pairs

_OF_PAIR, _OF_TEXT = 3, 2  # Special tokens.


@dataclasses.dataclass(frozen=True)
class Packing:
    """Way to create examples from the documents of a corpus.

    Args:
        name: str, the value of `packing`.
        sample: function from a corpus, documents, `DataOptions`
            and a `numpy.random.Generator` to `Segments`.
        label: str, the meaning of label 1, "random_next" or "swapped"; "" for
            examples without B.
        has_short: bool, whether `short_seq_prob` has an effect.
        joins: bool, whether several texts are joined to one example.
    """

    name: str
    sample: Callable
    label: str = ""
    has_short: bool = False
    joins: bool = False


def _segment_pairs(corpus, documents, options, rng, decide=next_or_random):
    most = options.max_seq_length - _OF_PAIR
    return sample_segment_pairs(
        corpus, documents, most, options.short_seq_prob, rng, decide
    )


def _sentence_pairs(corpus, documents, options, rng):
    most = options.max_seq_length - _OF_PAIR
    return sample_sentence_pairs(corpus, documents, most, rng)


def _sentence_order(corpus, documents, options, rng):
    return _segment_pairs(corpus, documents, options, rng, in_order_or_swapped)


def _full_sentences(corpus, documents, options, rng):
    most = options.max_seq_length - _OF_TEXT
    return sample_full_sentences(corpus, documents, most)


def _doc_sentences(corpus, documents, options, rng):
    most = options.max_seq_length - _OF_TEXT
    return sample_doc_sentences(corpus, documents, most)


PACKINGS = {
    packing.name: packing
    for packing in (
        Packing("segment_pairs", _segment_pairs, "random_next", True),
        Packing("sentence_pairs", _sentence_pairs, "random_next"),
        Packing("full_sentences", _full_sentences),
        Packing("doc_sentences", _doc_sentences),
        Packing("best_fit", _doc_sentences, joins=True),
        Packing("sentence_order", _sentence_order, "swapped", True),
    )
}
