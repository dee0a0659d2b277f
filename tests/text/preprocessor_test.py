import numpy as np
import pytest
import tensorflow as tf

from keras_bert.template import Template
from keras_bert.text import BertPreprocessor
from keras_bert.text import Preprocessor
from keras_bert.text.templates import locate_pieces

_NAMES = ["input_ids", "input_mask", "segment_ids"]
_TEXTS = [
    "the cat",
    "",
    "Unaffable cats, [MASK] 中文.",
    "the cats the cats the cats the cats the cats",
    "cafe",
    "[[MASK] mask] [PAD] [MASK",
    # Too many characters, but fewer bytes than the limit of the op.
    "the " + "ca\u0301ts" + "s" * 201 + " cats",
]
_PAIRS = ["cats.", "", "the cat", "cat " * 20, "", "[SEP]", "中" * 201]


def test_special_tokens_are_added_as_published(tokenizer):
    preprocess = BertPreprocessor(tokenizer, seq_length=9)
    one, pair = preprocess("the cats"), preprocess("the cats", "cat.")
    assert [*one] == [*pair] == _NAMES
    assert [row.numpy().tolist() for row in one.values()] == [
        [2, 5, 6, 7, 3, 0, 0, 0, 0],
        [1, 1, 1, 1, 1, 0, 0, 0, 0],
        [0] * 9,
    ]
    assert [row.numpy().tolist() for row in pair.values()] == [
        [2, 5, 6, 7, 3, 6, 15, 3, 0],
        [1, 1, 1, 1, 1, 1, 1, 1, 0],
        [0, 0, 0, 0, 0, 1, 1, 1, 0],
    ]
    # One text is a row of a batch.
    for texts in (("the cat",), ("the cat", tf.constant("cats."))):
        expected = preprocess(*([text] for text in texts))
        for name, row in preprocess(*texts).items():
            np.testing.assert_array_equal(row, expected[name][0])


def test_rows_have_128_positions_by_default(tokenizer):
    for preprocess in (
        BertPreprocessor(tokenizer),
        Preprocessor(tokenizer, Template()),
    ):
        assert preprocess(["the cat"])["input_ids"].shape == (1, 128)


@pytest.mark.parametrize("columns", [[_TEXTS], [_TEXTS, _PAIRS], [[]]])
@pytest.mark.parametrize("paying_calls", [0, 1000])
def test_rows_are_without_padding_and_say_what_is_cut(
    tokenizer, columns, paying_calls, monkeypatch
):
    module = "keras_bert.text.preprocessor"
    monkeypatch.setattr(f"{module}._EAGER_CALLS", paying_calls)
    preprocess = BertPreprocessor(tokenizer, seq_length=12)
    inputs, lengths, truncated = preprocess.encode_rows(*columns)
    packed = preprocess(*columns)
    mask = packed["input_mask"].numpy() == 1
    assert lengths.numpy().tolist() == mask.sum(axis=1).tolist()
    for name, values in packed.items():
        assert inputs[name].dtype == values.dtype == tf.int32
        assert inputs[name].numpy().tolist() == values.numpy()[mask].tolist()
    rows = zip(*(tokenizer(column).to_list() for column in columns))
    num_tokens = [sum(map(len, row)) + 1 + len(columns) for row in rows]
    expected = [number > 12 for number in num_tokens]
    assert truncated.numpy().tolist() == expected
    assert {*expected} in ({False, True}, set())


def test_offsets_cut_the_pieces_out_of_their_texts(tokenizer):
    preprocess = BertPreprocessor(tokenizer, seq_length=9)
    columns = (
        ["the Cats", "", "中 cat cat cat cat"],
        ["cat", "the", "the cat the cat the cat"],
    )
    inputs, lengths, _ = locate_pieces(preprocess, *columns)
    special = np.isin(inputs["input_ids"], [0, 2, 3])
    np.testing.assert_array_equal(inputs["text_numbers"] == 0, special)
    ends = np.cumsum(lengths)[:-1]
    rows = (
        np.split(inputs[name], ends)
        for name in ("text_numbers", "starts", "ends")
    )
    for numbers, starts, ends, *texts in zip(*rows, *columns):
        for number, text in enumerate(texts, 1):
            places = np.flatnonzero(numbers == number)
            pieces = b"".join(
                text.encode()[starts[x] : ends[x]] for x in places
            )
            # Longer texts are truncated.
            assert text.replace(" ", "").encode().startswith(pieces)
            assert bool(len(places)) == bool(text)


# `tests/export` runs tokenizers without special tokens in TFLite.
def test_tflite_gives_the_same_arrays(tokenizer, make_tflite_runner):
    preprocess = BertPreprocessor(tokenizer.with_special_tokens(), 12)
    names = ("text", "text_pair")
    function = tf.function(
        lambda *texts: preprocess(*texts),
        [tf.TensorSpec([None], tf.string, name) for name in names],
    )
    run = make_tflite_runner(function)
    for rows in (slice(None), slice(1), slice(1, 3)):
        texts = [np.array(column)[rows] for column in (_TEXTS, _PAIRS)]
        expected = preprocess(*texts)
        for name, array in run(**dict(zip(names, texts))).items():
            np.testing.assert_array_equal(array, expected[name])
