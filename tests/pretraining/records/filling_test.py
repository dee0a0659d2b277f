import numpy as np
import pytest

from keras_bert.pretraining.corpus.token_store import CONTINUES
from keras_bert.pretraining.records.filling import ExampleRules
from keras_bert.pretraining.records.filling import dynamic_examples
from keras_bert.pretraining.records.filling import fill_rows
from keras_bert.pretraining.records.masking_rules import MaskingRules
from keras_bert.pretraining.records.segments import Segments

_CLS, _SEP, _MASK, _PAD = 1002, 1003, 1004, 0


@pytest.mark.parametrize("is_marked", [False, True])
def test_a_pair_is_packed_as_the_paper_shows(make_corpus, is_marked):
    """The vocabulary or, if `is_marked`, the tokens say what continues."""
    corpus = make_corpus([[4, 4], [4]])
    rows = (1, 2, 5, 3, False, 0), (8, 1, 2, 1, True, 0)
    pairs = Segments(*map(np.array, zip(*rows)))
    is_continuation = np.isin(np.arange(2000), (2, 6))
    if is_marked:
        corpus.tokens[[2, 6]] |= CONTINUES
        is_continuation = None
    masking = MaskingRules(0.15, 3, _MASK, vocab_size=2000)
    rules = ExampleRules(10, _CLS, _SEP, _PAD, is_continuation, False, masking)
    ids, mask, segments, words, continues = fill_rows(corpus, pairs, rules)
    assert ids.dtype == np.int32
    assert ids.tolist() == [
        [_CLS, 1, 2, _SEP, 5, 6, 7, _SEP, 0, 0],
        [_CLS, 8, _SEP, 2, _SEP, 0, 0, 0, 0, 0],
    ]
    assert mask.astype(int).tolist() == [
        [1, 1, 1, 1, 1, 1, 1, 1, 0, 0],
        [1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
    ]
    assert segments.astype(int).tolist() == [
        [0, 0, 0, 0, 1, 1, 1, 1, 0, 0],
        [0, 0, 0, 1, 1, 0, 0, 0, 0, 0],
    ]
    assert words.astype(int).tolist() == [
        [0, 1, 1, 0, 1, 1, 1, 0, 0, 0],
        [0, 1, 0, 1, 0, 0, 0, 0, 0, 0],
    ]
    assert continues.astype(int).tolist() == [
        [0, 0, 1, 0, 0, 1, 0, 0, 0, 0],
        [0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    ]
    examples = dynamic_examples(corpus, pairs, rules)
    assert examples["segment_boundary"].tolist() == [[4], [3]]
    assert examples["word_starts"].tolist() == [
        [0, 1, 0, 0, 1, 0, 1, 0, 0, 0],
        [0, 1, 0, 1, 0, 0, 0, 0, 0, 0],
    ]
