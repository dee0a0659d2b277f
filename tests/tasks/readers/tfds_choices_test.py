import numpy as np
import pytest
import tensorflow_datasets as tfds

from keras_bert.cli.splits.splits import choice_tfds_splits
from keras_bert.tasks.readers.tfds import read_tfds_choices

_TEXT = tfds.features.Text()
_ENDINGS = {"context": _TEXT, "endings": tfds.features.Sequence(_TEXT)}
_NUMBER = tfds.features.Scalar(np.int32)


def _example(n, label=None, count=2):
    values = {"context": f"c{n}", "endings": [f"e{n}{m}" for m in range(count)]}
    return values if label is None else {**values, "label": label}


def _directory(data_dir):
    return f"{data_dir}/tiny/2.0.0"


def test_swag_is_as_in_its_file(prepare):
    features = dict.fromkeys(["sent1", "sent2", "ending0", "ending1"], _TEXT)
    features["label"] = tfds.features.ClassLabel(names=["0", "1"])
    rows = [("Ada", "she ", "sits.", "reads.", 1), ("It", "", "é", "b", 0)]
    examples = [dict(zip(features, row)) for row in rows]
    data_dir = prepare("tiny", features, {"train": examples})
    first, second = read_tfds_choices(_directory(data_dir), "train", 2)
    assert (first.context, first.label) == ("Ada", 1)
    assert first.choices == ("she sits.", "she reads.")
    assert (second.choices, second.label) == (("é", "b"), 0)
    assert second.where == "tiny/2.0.0:train, example 1"


def test_a_data_set_has_its_splits_and_bad_examples_are_named(prepare):
    bytes_ = {"context": b"caf\xe9", "endings": ["a", "b"], "label": 0}
    splits = {
        "train": [_example(n, n % 2) for n in range(5)],
        "validation": [_example(9, 1)],
        "test": [_example(7, -1)],
        "large": [_example(0, 0), _example(1, 2)],
        "some": [_example(0, 0), _example(1, -1)],
        "more": [_example(0, 0, count=3)],
        "bytes": [bytes_],
    }
    data_dir = prepare("tiny", {**_ENDINGS, "label": _NUMBER}, splits)
    found = choice_tfds_splits(_directory(data_dir), 2, seed=0)
    assert [x.label for x in found.train] == [0, 1, 0, 1, 0]
    assert found.dev["dev"][0].choices == ("e90", "e91")
    (hidden,) = found.test["test"]
    assert (hidden.context, hidden.label) == ("c7", None)
    for split, message in (
        ("large", "example 1, .*a label from 0 to 1. .*'2'"),
        ("some", "example 1, .*a label .*: '-1'"),
        ("more", "example 0, must have 2 choices. .*: 3"),
        ("bytes", "bytes, example 0, is not UTF-8 text.*0xe9"),
    ):
        with pytest.raises(ValueError, match=message):
            read_tfds_choices(_directory(data_dir), split, 2)


def test_what_cannot_be_learned_from_is_refused(prepare):
    data_dir = prepare("tiny", _ENDINGS, {"train": [_example(0), _example(1)]})
    with pytest.raises(ValueError, match="must have labels.*train, example"):
        choice_tfds_splits(_directory(data_dir), 2, seed=0)


def test_a_data_set_without_choices_is_told_what_it_has(prepare):
    data_dir = prepare("tiny", {"story": _TEXT}, {"test": [{"story": "a"}]})
    with pytest.raises(ValueError, match="context, endings. Received: story"):
        read_tfds_choices(_directory(data_dir), "test", 2)
    with pytest.raises(ValueError, match="a split named train. Received: test"):
        choice_tfds_splits(_directory(data_dir), 2, seed=0)
