import numpy as np
import pytest
import tensorflow_datasets as tfds

from keras_bert.tasks.readers.tfds import read_tfds

_TEXT = tfds.features.Text()
_INDEX = tfds.features.Scalar(np.int32)
_SCORE = tfds.features.Scalar(np.float32)


def _class(*names):
    return tfds.features.ClassLabel(names=names)


_MNLI = ["entailment", "neutral", "contradiction"]


@pytest.mark.parametrize(
    "config, texts, feature, labels, expected",
    [
        ("cola", "sentence", _class("no", "yes"), (0, 1), ["0", "1"]),
        ("mnli", "premise hypothesis", _class(*_MNLI), (0, 1), _MNLI[:2]),
        ("stsb", "sentence1 sentence2", _SCORE, (3.8, -1), ["3.8", "-1.0"]),
    ],
)
def test_glue_is_as_in_its_files(
    prepare, config, texts, feature, labels, expected
):
    texts = texts.split()

    def example(index, label):
        written = {name: f"{name} {index} é" for name in texts}
        return {**written, "label": label, "idx": index}

    zero, one = labels
    features = {**dict.fromkeys(texts, _TEXT), "label": feature, "idx": _INDEX}
    splits = {
        "validation": [example(3, one), example(8, zero), example(1, zero)],
        "test": [example(1, -1), example(0, -1)],
    }
    data_dir = prepare(f"glue/{config}", features, splits)
    table = read_tfds(f"glue/{config}", "validation", data_dir)
    assert table.columns.pop("label") == [*expected, expected[0]]
    assert table.where(1) == f"glue/{config}/2.0.0:validation, example 3"
    test = read_tfds(f"{data_dir}/glue/{config}/2.0.0", "test")
    for found, indices in ((table, (1, 3, 8)), (test, (0, 1))):
        assert found.columns == {
            column: [f"{name} {index} é" for index in indices]
            for column, name in zip(("text", "text_pair"), texts)
        }


def _texts_and_labels(*labels):
    return [{"text": f"t{n}", "label": x} for n, x in enumerate(labels)]


def test_other_data_sets_keep_their_order_and_name_bad_examples(prepare):
    features = {"text": _TEXT, "label": _class("neg", "pos")}
    splits = {
        "train": _texts_and_labels(0, 1, 0, 1, 0),
        "hidden": _texts_and_labels(0, 1, -1),
        "bytes": [*_texts_and_labels(0), {"text": b"caf\xe9", "label": 0}],
    }
    directory = prepare("tiny", features, splits) + "/tiny/2.0.0"
    table = read_tfds(directory, "train")
    assert table.columns == {
        "text": ["t0", "t1", "t2", "t3", "t4"],
        "label": ["neg", "pos", "neg", "pos", "neg"],
    }
    assert table.where(2) == "tiny/2.0.0:train, example 2"
    assert len(read_tfds(directory, "train[:40%]")) == 2
    for split, message in (
        ("hidden", "tiny/2.0.0:hidden, example 2, .*Received: -1"),
        ("bytes", "tiny/.*:bytes, example 1, .*0xe9"),
        ("train[:0%]", r"train\[:0%\] must .* it is empty"),
    ):
        with pytest.raises(ValueError, match=message):
            read_tfds(directory, split)


@pytest.mark.parametrize(
    "feature, values, expected",
    [
        (tfds.features.Scalar(np.int64), [7, 0], ["7", "0"]),
        (_TEXT, ["é", "1"], ["é", "1"]),
        (None, [None, None], None),
    ],
)
def test_labels_that_are_no_classes_are_given_as_text(
    prepare, feature, values, expected
):
    features = {"text": _TEXT, "label": feature}
    examples = _texts_and_labels(*values)
    if feature is None:
        del features["label"], examples[0]["label"], examples[1]["label"]
    data_dir = prepare("tiny", features, {"train": examples})
    table = read_tfds(f"{data_dir}/tiny/2.0.0", "train")
    assert table.columns["text"] == ["t0", "t1"]
    assert table.columns.get("label") == expected


def test_a_data_set_without_known_texts_is_told_what_it_has(prepare):
    features = {"story": _TEXT, "text": tfds.features.Sequence(_TEXT)}
    example = {"story": "a", "text": ["b"]}
    data_dir = prepare("tiny", features, {"train": [example]})
    with pytest.raises(
        ValueError, match="one of: sentence1, .*; text. Received: story"
    ):
        read_tfds(f"{data_dir}/tiny/2.0.0", "train")


def test_what_is_not_prepared_is_not_downloaded(tmp_path):
    with pytest.raises(ValueError, match="tfds build glue/rte.*no data in"):
        read_tfds("glue/rte", "train", str(tmp_path))
