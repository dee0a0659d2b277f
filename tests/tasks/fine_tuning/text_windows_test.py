import numpy as np
import pytest

from keras_bert.tasks.fine_tuning import encoded as encoded_module
from keras_bert.tasks.fine_tuning.encoded import Encoded
from keras_bert.tasks.fine_tuning.texts import long_text_settings
from keras_bert.tasks.fine_tuning.texts import pooled
from keras_bert.tasks.fine_tuning.texts import split_into_windows
from keras_bert.tasks.fine_tuning.texts import window_targets
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
    assert all(
        tokens[row[[0, -1]]].tolist() == ["[CLS]", "[SEP]"] for row in ids
    )
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


@pytest.mark.parametrize("stride", [1, 2, 3, 4])
@pytest.mark.parametrize("length", [1, 4, 5, 8, 9, 13])
def test_no_token_is_left_out_and_no_step_too_long(preprocess, stride, length):
    words = "the a dog cat bird eats sees meat fish seeds and . the a"
    words = words.split()[:length]
    windows, (count,) = _windows(preprocess, stride, [" ".join(words).encode()])
    assert len(windows) == count
    place = 0
    for window in windows:
        found = next(
            n
            for n in range(place, place + stride + 1)
            if " ".join(words[n : n + 4]) == window
        )
        assert found - place <= stride
        place = found
    assert place == max(0, length - 4)


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
    assert mean.tolist() == [
        [pytest.approx(13 / 3), pytest.approx(-1)],
        [6, 7],
        [8, 9],
        [11, 12],
    ]
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
    assert encoded.lengths.tolist() == [6, 6, 6, 2, 6, 6, 6]


def _settings(truncation=None, windows=None, stride=None, **trained):
    return long_text_settings(trained, 10, truncation, windows, stride)


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"windows": "sum"}, "one of mean, max. Received: windows='sum'"),
        (
            {"windows": "max", "truncation": "tail"},
            "not both. Received: truncation='tail', windows='max'",
        ),
        ({"windows": "max", "stride": 11}, "from 1 to 10.*stride=11"),
        ({"windows": "max", "stride": 0}, "stride=0"),
        ({"stride": 3}, "stride=3, windows=None"),
        ({"stride": 3, "truncation": "head"}, "stride=3, windows=None"),
    ],
)
def test_settings_that_do_not_fit_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        _settings(**arguments)
