"""Comparison with published tokenizers; see tests/golden."""

import pathlib

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.text import SentencePieceTokenizer
from keras_bert.text.normalization.normalizers import normalize_text

_GOLDEN = pathlib.Path(__file__).parents[2] / "golden/sentencepiece.npz"
_DROPPED = ("\x01", "\u0301", "\x1c", "\u0903")


@pytest.fixture(scope="module")
def tokenizer(spiece_file):
    return SentencePieceTokenizer(spiece_file)


@pytest.fixture(scope="module")
def by_hugging_face(spiece_file):
    return SentencePieceTokenizer(spiece_file, normalizer="hugging_face")


@pytest.fixture(scope="module")
def golden():
    """Return texts and, by name, a row of ints for each."""
    arrays = np.load(_GOLDEN)
    rows = {
        name: np.split(arrays[name], np.cumsum(arrays[f"{name}_lengths"])[:-1])
        for name in ("published", "hugging_face", "hugging_face_starts")
    }
    return arrays["texts"].tobytes().decode().split("\0"), rows


def _spans(tokenizer, text):
    data = text if isinstance(text, bytes) else text.encode()
    _, starts, ends = tokenizer.tokenize_with_offsets(text)
    spans = zip(starts.numpy(), ends.numpy(), strict=True)
    return [data[start:end].decode("utf-8", "replace") for start, end in spans]


@pytest.mark.parametrize("whose", ["published", "hugging_face"])
def test_ids_are_those_of_the_library(
    tokenizer, by_hugging_face, golden, whose
):
    texts, rows = golden
    ours = {"published": tokenizer, "hugging_face": by_hugging_face}[whose]
    wrong = [
        (text, ids, theirs)
        for text, ids, theirs in zip(
            texts, ours(texts).to_list(), rows[whose], strict=True
        )
        if ids != theirs.tolist()
        # It uses the piece of that name.
        and not ("<unk>" in text and whose == "hugging_face")
    ]
    assert not wrong, (len(wrong), wrong[:3])


def test_starts_are_those_of_hugging_face(by_hugging_face, golden):
    texts, rows = golden
    _, starts, _ = by_hugging_face.tokenize_with_offsets(texts)
    num_compared = 0
    for text, ours, theirs in zip(
        texts, starts.to_list(), rows["hugging_face_starts"], strict=True
    ):
        # Its quotation marks start at the second of the two, and a removed
        # first character shifts all of its starts.
        is_odd = "``" in text or "''" in text or "<unk>" in text
        if not is_odd and not text.startswith(_DROPPED):
            assert ours == theirs.tolist(), text
            num_compared += 1
    assert num_compared > 0.6 * len(texts)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("``a''", ["``", "``", "a", "''"]),
        ("'''a", ["''", "''", "'", "a"]),
        ("'\u0301'", ["'\u0301", "'\u0301", "'"]),
        ("'＇", ["'＇", "'＇", "＇"]),
        ("日``日", ["日", "日", "``", "日"]),
    ],
)
def test_marks_are_paired_in_the_text_as_given(by_hugging_face, text, spans):
    assert _spans(by_hugging_face, text) == spans


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("a  The", ["a", "The"]),
        ("(a)", ["(", "(", "a", ")"]),
        ("日本 the", ["日本", "日本", "the"]),
        ("a\u0301 a\x01", ["a\u0301", "a\x01"]),
        ("\u00a0the\u3000", ["the"]),
        ("a▁the▁", ["a", "the"]),
        (b"the\xff\xc3 a\xe2\x82", ["the\ufffd\ufffd", "a\ufffd"]),
    ],
)
def test_spans_are_of_the_text_as_given(tokenizer, text, spans):
    assert _spans(tokenizer, text) == spans


def test_long_texts_and_empty_batches(tokenizer):
    text = "the 日本 model " * 1000
    _, starts, ends = tokenizer.tokenize_with_offsets([text, "", text])
    assert starts.to_list()[0] == starts.to_list()[2]
    assert ends.to_list()[0][-1] == len(text.encode()) - 1
    assert len(tokenizer(["x" * 10_000]).to_list()[0]) > 100
    assert tokenizer([]).to_list() == []
    assert [x.to_list() for x in tokenizer.tokenize_with_offsets([])] == [
        []
    ] * 3


def test_spans_of_special_tokens_are_theirs(tokenizer):
    finder = tokenizer.with_special_tokens()
    for text, spans in (
        ("a [MASK]", ["a", "[MASK]"]),
        # Unknown characters are one piece, except in special tokens.
        ("a<日<pad>日>a", ["<日", "<pad>", "日>", "日>", "a"]),
    ):
        assert _spans(finder, text)[-len(spans) :] == spans


def test_text_comes_back_normalised(tokenizer):
    (ids,) = tokenizer(["The (Model) is “naïve”."]).to_list()
    text = normalize_text("The (Model) is naïve.", lowercase=True)
    assert tokenizer.detokenize(ids).replace("<unk>", "").split() == (
        text.replace("naive.", "naive .").split()
    )
    cls, sep = (tokenizer.vocabulary.id_of(t) for t in ("[CLS]", "[SEP]"))
    assert tokenizer.detokenize([cls, *tokenizer(["a"]).to_list()[0], sep]) == (
        "[CLS] a [SEP]"
    )


@pytest.mark.parametrize("name", ["tokenizer", "by_hugging_face"])
def test_tflite_cuts_alike(name, request, make_tflite_runner):
    tokenizer = request.getfixturevalue(name)
    texts = [
        "The (model) is",
        "日本 ``a''",
        "",
        "\0 [MASK] '''" * 3,
        "한국어 a",
    ]

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, "texts")])
    def function(texts):
        names = ("ids", "starts", "ends")
        rows = tokenizer.tokenize_with_offsets(texts)
        return {n: x.to_tensor(shape=[None, 40]) for n, x in zip(names, rows)}

    runner = make_tflite_runner(function)
    answers = runner(texts=np.array([t.encode() for t in texts], object))
    for name, rows in function(tf.constant(texts)).items():
        np.testing.assert_array_equal(answers[name], rows, name)
