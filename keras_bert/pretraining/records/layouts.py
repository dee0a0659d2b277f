"""Layouts of examples: how they are created from text."""

import dataclasses
from collections.abc import Callable

from keras_bert.pretraining.records.full_sentences import sample_doc_sentences
from keras_bert.pretraining.records.full_sentences import sample_full_sentences
from keras_bert.pretraining.records.segment_pairs import in_order_or_swapped
from keras_bert.pretraining.records.segment_pairs import next_or_random
from keras_bert.pretraining.records.segment_pairs import sample_segment_pairs
from keras_bert.pretraining.records.segment_pairs import sample_sentence_pairs

# Number of special tokens in a pair and in a single text.
_NUM_SPECIAL_PAIR, _NUM_SPECIAL_TEXT = 3, 2


@dataclasses.dataclass(frozen=True)
class ExampleLayout:
    """Strategy for creating examples from documents.

    Args:
        name: str, the value of `packing` in `DataOptions`.
        sample: callable that takes a corpus, documents, `DataOptions` and a
            `numpy.random.Generator`, and returns `Segments`.
        label: str, the meaning of label 1, "random_next" or "swapped"; "" for
            examples without a second segment.
        has_short: bool, whether `short_seq_prob` has an effect.
        joins: bool, whether an example may contain several texts.
    """

    name: str
    sample: Callable
    label: str = ""
    has_short: bool = False
    joins: bool = False


def _segment_pairs(corpus, documents, options, rng, decide=next_or_random):
    max_num_tokens = options.max_seq_length - _NUM_SPECIAL_PAIR
    return sample_segment_pairs(
        corpus, documents, max_num_tokens, options.short_seq_prob, rng, decide
    )


def _sentence_pairs(corpus, documents, options, rng):
    max_num_tokens = options.max_seq_length - _NUM_SPECIAL_PAIR
    return sample_sentence_pairs(corpus, documents, max_num_tokens, rng)


def _sentence_order(corpus, documents, options, rng):
    return _segment_pairs(corpus, documents, options, rng, in_order_or_swapped)


def _full_sentences(corpus, documents, options, rng):
    max_num_tokens = options.max_seq_length - _NUM_SPECIAL_TEXT
    return sample_full_sentences(corpus, documents, max_num_tokens)


def _doc_sentences(corpus, documents, options, rng):
    max_num_tokens = options.max_seq_length - _NUM_SPECIAL_TEXT
    return sample_doc_sentences(corpus, documents, max_num_tokens)


LAYOUTS = {
    layout.name: layout
    for layout in (
        ExampleLayout("segment_pairs", _segment_pairs, "random_next", True),
        ExampleLayout("sentence_pairs", _sentence_pairs, "random_next"),
        ExampleLayout("full_sentences", _full_sentences),
        ExampleLayout("doc_sentences", _doc_sentences),
        ExampleLayout("best_fit", _doc_sentences, joins=True),
        ExampleLayout("sentence_order", _sentence_order, "swapped", True),
    )
}
