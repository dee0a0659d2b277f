import functools

import numpy as np
import pytest

import keras_bert
from keras_bert import checks
from keras_bert.messages import brief
from keras_bert.messages import errors_name
from keras_bert.messages import listed

_HUGE = [
    "x" * 100_000,
    b"x" * 100_000,
    ["x" * 1000] * 100_000,
    [[["x" * 1000] * 9] * 9] * 9,
    {f"{number}" * 50: "x" * 1000 for number in range(1000)},
    np.ones((300, 300)),
    10**5000,
]


@pytest.mark.parametrize("value", _HUGE, ids=range(len(_HUGE)))
def test_values_are_shown_in_200_characters(value):
    assert 0 < len(brief(value)) <= 200
    assert len(listed([value] * 9)) <= 200


def test_short_values_are_shown_whole():
    for value in ("a" * 90, ["a", 1], {"a": None}, 12.5, b"a", None):
        assert brief(value) == repr(value)
    assert listed(["a", "b"]) == "'a', 'b'" and listed([]) == "none"


@pytest.mark.parametrize(
    "read",
    [
        lambda: {}["key"],
        lambda: None.key,
        lambda: int(float("inf")),
        lambda: [] + {},
        lambda: int("a"),
    ],
)
def test_errors_of_wrong_values_name_the_file(read):
    with pytest.raises(ValueError, match="^a.json"), errors_name("a.json"):
        read()


@pytest.mark.parametrize("value", _HUGE[:-1], ids=range(len(_HUGE) - 1))
def test_messages_about_huge_values_are_short(value):
    config = functools.partial(keras_bert.BertConfig, vocab_size=9)
    for function in (checks.positive, config):
        with pytest.raises(ValueError) as caught:
            function(hidden_size=value)
        assert "hidden_size" in str(caught.value)
        assert len(str(caught.value)) < 1000
    with pytest.raises(TypeError) as caught:
        keras_bert.from_pretrained("directory", weights=value)
    assert len(str(caught.value)) < 1000
