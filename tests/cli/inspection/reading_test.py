import numpy as np
import pytest

from keras_bert import features
from keras_bert.cli.inspection.reading import inspect_records
from keras_bert.text.wordpiece.vocabulary import MASK


def test_files_may_differ_in_length_but_not_in_form(
    write, vocabulary, make_static, static, dynamic
):
    full = make_static(["the"] * 5, ["a"] * 4, [(1, MASK)], label=0)
    longer = {
        feature.name: static[feature.name]
        + [type(static[feature.name][0])(0)] * (feature.length != "1")
        for feature in features.PRETRAINING_FEATURES
    }
    paths = write("a", [longer]), write("b", [static, full, static])
    statistics, _ = inspect_records(paths, vocabulary)
    assert statistics.max_length == 12 + 1
    assert np.flatnonzero(statistics.lengths).tolist() == [8, 12]
    assert statistics.short_share == 1.0
    assert statistics.share("not_next", "records") == 0.75
    other = write("c", [dynamic])
    message = "same masking, static or dynamic;.*b and .*c, which dif"
    with pytest.raises(ValueError, match=message):
        inspect_records([paths[1], other], vocabulary)


def test_an_example_is_shown_with_its_marks(
    write, vocabulary, make_static, static
):
    pieces = make_static(["##s", "dog", "##er", "##s"], ["##s"], [], label=0)
    path = write("a", [static, pieces])
    _, examples = inspect_records([path], vocabulary, num_examples=5)
    assert [example.splitlines() for example in examples] == [
        [
            f"Record 0 of {path}: 8 tokens, 3 to predict",
            "  A      [CLS] the [MASK→dog][red*→##s] [SEP]",
            "  B      [a=] cat [SEP]",
            "  label  B does not follow A (1)",
        ],
        [
            f"Record 1 of {path}: 8 tokens, 0 to predict",
            "  A      [CLS] ##s dogers [SEP]",
            "  B      ##s [SEP]",
            "  label  B follows A (0)",
        ],
    ]


def test_dynamic_records_are_measured_in_words(
    write, vocabulary, make_dynamic, dynamic
):
    longer = make_dynamic(
        ["dog", "##er", "##s"], ["cat", "##s", "a", "a"], label=1
    )
    path = write("a", [dynamic, longer, dynamic])
    statistics, examples = inspect_records([path], vocabulary)
    assert not statistics.is_static
    assert statistics.counts == {
        "files": 1,
        "records": 3,
        "tokens": 26,
        "padding": 4,
        "not_next": 1,
        "words": 12,
        "pieces": 17,
    }
    assert statistics.word_lengths.tolist() == [0, 8, 3, 1]
    assert np.flatnonzero(statistics.lengths).tolist() == [8, 10]
    assert statistics.short_share == 2 / 3
    title, first, *_ = examples[0].splitlines()
    assert title == f"Record 0 of {path}: 8 tokens"
    assert first == "  A      [CLS] the dogs [SEP]"
