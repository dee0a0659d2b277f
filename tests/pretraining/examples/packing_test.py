import numpy as np
import pytest

from keras_bert import features
from keras_bert.pretraining.corpus.token_store import CONTINUES
from keras_bert.pretraining.examples.masking_rules import MaskingRules
from keras_bert.pretraining.examples.packing import ExampleRules
from keras_bert.pretraining.examples.packing import pack_segments
from keras_bert.pretraining.examples.packing import static_examples
from keras_bert.pretraining.examples.segment_pairs import sample_segment_pairs
from keras_bert.pretraining.examples.segments import Segments

_CLS, _SEP, _MASK, _PAD = 1002, 1003, 1004, 0
_NO_CONTINUATION = np.zeros(2000, bool)


def _pairs(*rows):
    columns = [np.array(column) for column in zip(*((*r, 0) for r in rows))]
    return Segments(*columns)


def _rules(seq_length, is_continuation=_NO_CONTINUATION, whole_words=False):
    masking = MaskingRules(0.15, 3, _MASK, vocab_size=2000)
    return ExampleRules(
        seq_length, _CLS, _SEP, _PAD, is_continuation, whole_words, masking
    )


def test_a_pair_is_packed_as_the_paper_shows(make_corpus):
    corpus = make_corpus([[4, 4], [4]])
    pairs = _pairs((1, 2, 5, 3, False), (8, 1, 2, 1, True))
    is_continuation = np.isin(np.arange(2000), (2, 6))
    ids, mask, segments, words, continues = pack_segments(
        corpus, pairs, _rules(10, is_continuation)
    )
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


def test_tokens_may_say_themselves_what_continues(make_corpus):
    corpus = make_corpus([[4, 4], [4]])
    is_continuation = np.isin(np.arange(2000), (2, 6))
    expected = pack_segments(
        corpus, _pairs((1, 2, 5, 3, False)), _rules(10, is_continuation)
    )
    corpus.tokens[[2, 6]] |= CONTINUES
    arrays = pack_segments(
        corpus, _pairs((1, 2, 5, 3, False)), _rules(10, None)
    )
    for array, same in zip(arrays, expected):
        np.testing.assert_array_equal(array, same)
        assert array.dtype == same.dtype


@pytest.fixture
def sampled(make_corpus):
    rng = np.random.default_rng(1)
    corpus = make_corpus([rng.integers(1, 9, 5) for _ in range(30)])
    pairs = sample_segment_pairs(corpus, np.arange(30), 17, 0.3, rng)
    return corpus, pairs


def _make(corpus, pairs):
    return static_examples(corpus, pairs, _rules(20), np.random.default_rng(2))


def test_examples_have_the_features_of_the_schema(sampled):
    examples = _make(*sampled)
    lengths = {"max_seq_length": 20, "max_predictions_per_seq": 3, "1": 1}
    assert list(examples) == [f.name for f in features.PRETRAINING_FEATURES]
    for feature in features.PRETRAINING_FEATURES:
        array = examples[feature.name]
        assert array.shape == (len(sampled[1]), lengths[feature.length])
        is_float = feature.dtype == "float32"
        assert array.dtype == (np.float32 if is_float else np.int32)


def test_the_label_is_1_where_b_label(sampled):
    corpus, pairs = sampled
    labels = _make(corpus, pairs)["next_sentence_labels"]
    np.testing.assert_array_equal(labels[:, 0] == 1, pairs.label)
    assert set(labels[:, 0]) == {0, 1}


def test_whole_words_are_masked_on_demand(sampled):
    corpus, pairs = sampled
    rules = _rules(20, np.arange(2000) % 2 == 1, whole_words=True)
    examples = static_examples(corpus, pairs, rules, np.random.default_rng(2))
    num_whole = 0
    for positions, labels, weights in zip(
        examples["masked_lm_positions"],
        examples["masked_lm_ids"],
        examples["masked_lm_weights"],
    ):
        chosen = dict(zip(positions[weights > 0], labels[weights > 0]))
        for position, label in chosen.items():
            if label % 2 == 0 and label + 1 in chosen.values():
                assert chosen[position + 1] == label + 1
                num_whole += 1
    assert num_whole > 10
