import numpy as np
import pytest

from keras_bert.tasks.inputs.texts import pooled
from keras_bert.tasks.inputs.texts import split_into_windows
from keras_bert.tasks.inputs.texts import window_targets
from keras_bert.tasks.text_task import long_text_settings
from keras_bert.tasks.training import encoded as encoded_module
from keras_bert.tasks.training.encoded import Encoded
from keras_bert.text.preprocessor import Preprocessor

_TEXTS = [
    b"the a dog cat bird eats sees meat fish",
    b"",
    b"seeds and . the",
    b"the a dog cat bird",
]


@pytest.fixture
def preprocess(bert):
    """Return a preprocessor of six tokens, with four for the text."""
    return Preprocessor(bert.tokenizer, bert.family.template, seq_length=6)


def _windows(preprocess, stride, texts=_TEXTS):
    rows, counts = split_into_windows(preprocess, stride, texts)
    tokens = np.array(preprocess.tokenizer.vocabulary.tokens)
    ids = [rows.inputs([n])["input_ids"][0] for n in range(len(rows))]
    return [" ".join(tokens[row[1:-1]]) for row in ids], counts.tolist()


def test_windows_overlap_only_so_far_that_none_is_short(preprocess):
    windows, counts = _windows(preprocess, 4)
    assert windows == [
        "the a dog cat",
        "dog cat bird eats",
        "eats sees meat fish",
        "",
        "seeds and . the",
        "the a dog cat",
        "a dog cat bird",
    ]
    assert counts == [3, 1, 1, 2]


@pytest.mark.parametrize(
    ("stride", "starts"),
    [(4, [0, 2, 5]), (3, [0, 2, 5]), (2, [0, 1, 3, 5]), (1, range(6))],
)
def test_no_step_is_longer_than_the_stride(preprocess, stride, starts):
    words = _TEXTS[0].decode().split()
    windows, counts = _windows(preprocess, stride, _TEXTS[:1])
    assert windows == [" ".join(words[n : n + 4]) for n in starts]
    assert counts == [len(starts)]


def test_texts_in_pieces_are_those_at_once(preprocess, monkeypatch):
    whole = _windows(preprocess, 2)
    monkeypatch.setattr(encoded_module, "_TEXTS_AT_ONCE", 3)
    assert _windows(preprocess, 2) == whole
    assert _windows(preprocess, 2, []) == ([], [])


@pytest.fixture
def encoded(preprocess):
    return Encoded(*split_into_windows(preprocess, 4, _TEXTS))


def test_logits_are_pooled_text_by_text(encoded):
    logits = np.arange(14, dtype=np.float32).reshape(7, 2)
    logits[1] = [9, -9]
    mean, most = (pooled(encoded, logits, x) for x in ("mean", "max"))
    expected = [[13 / 3, -1], [6, 7], [8, 9], [11, 12]]
    np.testing.assert_allclose(mean, expected, rtol=1e-6)
    assert most.tolist() == [[9, 5], [6, 7], [8, 9], [12, 13]]
    assert mean.dtype == most.dtype == np.float32


def test_windows_weigh_as_their_text_and_one_on_average(encoded):
    weights = np.array([1, 1, 1, 5], np.float32)
    targets, shares = window_targets(encoded.counts, np.eye(4), weights)
    assert targets.argmax(axis=1).tolist() == [0, 0, 0, 1, 2, 3, 3]
    of_text = np.bincount([0, 0, 0, 1, 2, 3, 3], shares)
    np.testing.assert_allclose(of_text, np.array([1, 1, 1, 5]) * 7 / 4)
    _, shares = window_targets(encoded.counts, np.eye(4))
    assert shares.mean() == pytest.approx(1)


_HEAD = {"truncation": "head", "windows": None, "stride": None}
_TAIL = {**_HEAD, "truncation": "tail"}
_MEAN = {**_HEAD, "windows": "mean", "stride": 4}


@pytest.mark.parametrize(
    ("arguments", "trained", "expected"),
    [
        ((None, None, None), {}, _HEAD),
        ((None, "mean", 4), {}, _MEAN),
        ((None, None, None), _MEAN, _MEAN),
        ((None, None, 3), _MEAN, {**_MEAN, "stride": 3}),
        ((None, "max", None), _MEAN, {**_HEAD, "windows": "max"}),
        (("tail", None, None), _MEAN, _TAIL),
        ((None, None, None), {"truncation": "tail"}, _TAIL),
    ],
)
def test_what_is_left_open_is_as_trained(arguments, trained, expected):
    assert long_text_settings(trained, 10, *arguments) == expected
