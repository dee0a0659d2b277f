"""Texts, labels and settings that are refused, with the words of the error."""

import numpy as np
import pytest

from keras_bert.optimizers import LinearWarmupDecay
from keras_bert.tasks.columns import PAIR_KEYS
from keras_bert.tasks.columns import encoded_texts
from keras_bert.tasks.columns import split_examples
from keras_bert.tasks.labels import label_indices
from keras_bert.tasks.labels import label_rows
from keras_bert.tasks.labels import numbers
from keras_bert.tasks.labels import sample_weights
from keras_bert.tasks.outputs.label_names import choose_labels
from keras_bert.tasks.outputs.label_names import label_weights
from keras_bert.tasks.text_task import long_text_settings
from keras_bert.tasks.training.recipe import peak_rate

_XY, _XYZ = ["x", "y"], ["x", "y", "z"]

_TEXTS = [
    (["a", ("b", "c")], r"single texts.*\('b', 'c'\) at index 1"),
    ([["a", "b", "c"], ["d", "e", "f"]], r"list\(zip\(a, b\)\)"),
    ([("a", 3)], "Received: 3 at index 0"),
    (["a\ud800"], "surrogate.*at index 0"),
    ("abc", "must be a list. Received: 'abc'"),
    ({"text": "abc"}, "`text` must be a list. Received: 'abc'"),
    ({"a", "b"}, "must be a list.*A set has no order"),
    (["a", b"\xe9"], r"UTF-8.*b'\\xe9' at index 1: .* byte 0"),
]
_NAMES = [
    (None, "`labels` must be given"),
    ("ab", "must be a list. Received: 'ab'"),
    ({"p": 1, "n": 2}, "with all ids from 0.*'p': 1"),
    (["a"], "at least two different names"),
    (["a", "a"], "two different names"),
    ([1, 2], r"two different names \(str\).*\[1, 2\]"),
    ([" a", "a"], "without leading or trailing spaces"),
]
_WEIGHTS = [
    (np.array([1.0, 2.0]), r"dict\(zip\(labels, weights\)\)"),
    ({"y": 5, 1: 7}, "each label once"),
    ({"y": "5"}, "finite, .*'5'"),
    ({"y": float("nan")}, "finite, .*nan"),
    ({"y": -1}, "at least 0"),
    ({"x": 0, "y": 0}, "not all 0"),
    (dict.fromkeys(range(100_000), 1.0), "from 0 to 1"),
]
_ROWS = [
    ([3], "3 at index 0"),
    ([["x"], ["q"]], r"\['q'\] at index 1.*'q' at index 0"),
    ([[1, 0, 0], [0, 2]], r"\[1, 0, 0\] at index 0: a label occurs twice"),
    ([[0.5, 0, 1]], r"\[0.5, 0, 1\] at index 0"),
]
_SETTINGS = [
    ((None, "sum", None), "one of mean, max. Received: windows='sum'"),
    (("tail", "max", None), "not both.*truncation='tail', windows='max'"),
    ((None, "max", 11), "from 1 to 10.*stride=11"),
    ((None, "max", 0), "stride=0"),
    ((None, None, 3), "stride=3, windows=None"),
]
_REFUSED = [
    *((encoded_texts, (texts,), words) for texts, words in _TEXTS),
    (encoded_texts, (["a"], PAIR_KEYS), "pairs.*'a' at index 0"),
    (split_examples, (["a"],), "`labels` must be given.*`label`"),
    (split_examples, (["a", "b"], [0]), "2 examples, 1 labels"),
    (split_examples, ([], []), r"`texts` must not be empty"),
    *((choose_labels, (None, labels), words) for labels, words in _NAMES),
    *((label_weights, (weights, _XY), words) for weights, words in _WEIGHTS),
    (label_indices, ([[0, 1], [1, 1]], _XY), r"\[0, 1\] at.*multi_label"),
    *(
        (label_indices, (["x", label], _XY), "x, y.*from 0 to 1.*at index 1")
        for label in ("q", 2, -1, True, None, 1.0)
    ),
    *((label_rows, (labels, _XYZ), words) for labels, words in _ROWS),
    (label_rows, ([[1, 0]], _XY), "ambiguous.*as bool"),
    *(
        (numbers, ([1.0, label],), "finite.* at index 1")
        for label in (float("inf"), True, "1", [1])
    ),
    *(
        (numbers, ([[1, 2], label], 2), "2 finite number.*at index 1")
        for label in (1, [1])
    ),
    *(
        (sample_weights, (weights, 2), "sample_weight.*2 numbers")
        for weights in ([1], [1, -1], [0, 0], [1, np.nan], ["a", "b"])
    ),
    *((long_text_settings, ({}, 10, *how), words) for how, words in _SETTINGS),
    (peak_rate, (LinearWarmupDecay(1e-5, 10, 1),), "another schedule, compile"),
]


@pytest.mark.parametrize(("function", "arguments", "words"), _REFUSED)
def test_arguments_are_refused_in_a_short_message(function, arguments, words):
    with pytest.raises(ValueError, match=words) as caught:
        function(*arguments)
    assert len(str(caught.value)) < 600
