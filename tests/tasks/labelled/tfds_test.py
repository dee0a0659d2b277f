import numpy as np
import pytest

from keras_bert.tasks.labelled.tfds import read_tfds

try:
    import tensorflow_datasets as tfds
except ImportError as error:
    pytest.skip(f"no TensorFlow Datasets: {error}", allow_module_level=True)

_TEXT = tfds.features.Text()
_INDEX = tfds.features.Scalar(np.int32)
_SCORE = tfds.features.Scalar(np.float32)


def _class(*names):
    return tfds.features.ClassLabel(names=names)


_PAIR = "sentence1 sentence2"
_MNLI = "entailment neutral contradiction"


@pytest.mark.parametrize(
    "config, texts, classes, expected",
    [
        ("cola", "sentence", "unacceptable acceptable", "0 1"),
        ("sst2", "sentence", "negative positive", "0 1"),
        ("mrpc", _PAIR, "not_equivalent equivalent", "0 1"),
        ("mnli", "premise hypothesis", _MNLI, _MNLI),
        ("wnli", _PAIR, "not_entailment entailment", "0 1"),
    ],
)
def test_glue_is_as_in_its_files(prepare, config, texts, classes, expected):
    texts = texts.split()

    def example(index, label):
        written = {name: f"{name} {index} é" for name in texts}
        return {**written, "label": label, "idx": index}

    data_dir = prepare(
        f"glue/{config}",
        {
            **dict.fromkeys(texts, _TEXT),
            "label": _class(*classes.split()),
            "idx": _INDEX,
        },
        {
            "validation": [example(3, 1), example(8, 0), example(1, 0)],
            "test": [example(1, -1), example(0, -1)],
        },
    )
    table = read_tfds(f"glue/{config}", "validation", data_dir)
    columns = dict(zip(("text", "text_pair"), texts))
    zero, one, *_ = expected.split()
    assert table.columns == {
        **{
            column: [f"{name} {index} é" for index in (1, 3, 8)]
            for column, name in columns.items()
        },
        "label": [zero, one, zero],
    }
    assert table.where(1) == f"glue/{config}/2.0.0:validation, example 3"
    test = read_tfds(f"{data_dir}/glue/{config}/2.0.0", "test")
    assert test.columns == {
        column: [f"{name} 0 é", f"{name} 1 é"]
        for column, name in columns.items()
    }


def test_scores_are_numbers_and_those_of_tests_hidden(prepare):
    example = {"sentence1": "a", "sentence2": "b"}
    data_dir = prepare(
        "glue/stsb",
        {**dict.fromkeys(example, _TEXT), "label": _SCORE, "idx": _INDEX},
        {
            "train": [
                {**example, "label": 3.8, "idx": 0},
                {**example, "label": -1.0, "idx": 1},
            ],
            "test": [{**example, "label": -1.0, "idx": 0}],
        },
    )
    table = read_tfds("glue/stsb", "train", data_dir)
    assert table.columns["label"] == ["3.8", "-1.0"]
    table = read_tfds("glue/stsb", "test", data_dir)
    assert table.columns == {"text": ["a"], "text_pair": ["b"]}


def test_other_data_sets_keep_their_order_and_names(prepare):
    examples = [{"text": f"t{i}", "label": i % 2} for i in range(5)]
    features = {"text": _TEXT, "label": _class("neg", "pos")}
    directory = prepare("tiny", features, {"train": examples}) + "/tiny/2.0.0"
    table = read_tfds(directory, "train")
    assert table.columns == {
        "text": ["t0", "t1", "t2", "t3", "t4"],
        "label": ["neg", "pos", "neg", "pos", "neg"],
    }
    assert table.where(2) == "tiny/2.0.0:train, example 2"
    assert len(read_tfds(directory, "train[:40%]")) == 2


@pytest.mark.parametrize(
    "feature, values, expected",
    [
        (tfds.features.Scalar(np.int64), [7, 0], ["7", "0"]),
        (_TEXT, ["é", "1"], ["é", "1"]),
    ],
)
def test_labels_that_are_no_classes_are_given_as_text(
    prepare, feature, values, expected
):
    examples = [{"text": "a", "label": value} for value in values]
    data_dir = prepare(
        "tiny", {"text": _TEXT, "label": feature}, {"train": examples}
    )
    table = read_tfds(f"{data_dir}/tiny/2.0.0", "train")
    assert table.columns["label"] == expected


def test_unlabelled_data_sets_have_texts_only(prepare):
    data_dir = prepare("tiny", {"text": _TEXT}, {"train": [{"text": "a"}]})
    table = read_tfds(f"{data_dir}/tiny/2.0.0", "train")
    assert table.columns == {"text": ["a"]}


def test_a_label_hidden_among_others_is_named(prepare):
    examples = [{"text": "a", "label": label} for label in (0, 1, -1)]
    features = {"text": _TEXT, "label": _class("neg", "pos")}
    data_dir = prepare("tiny", features, {"train": examples})
    with pytest.raises(
        ValueError, match="tiny/2.0.0:train, example 2, .*Received: -1"
    ):
        read_tfds(f"{data_dir}/tiny/2.0.0", "train")


def test_bytes_that_are_no_text_are_named_by_their_example(prepare):
    examples = [{"text": "a"}, {"text": b"caf\xe9"}]
    data_dir = prepare("tiny", {"text": _TEXT}, {"train": examples})
    with pytest.raises(ValueError, match="tiny/.*:train, example 1, .*0xe9"):
        read_tfds(f"{data_dir}/tiny/2.0.0", "train")


def test_a_data_set_without_known_texts_is_told_what_it_has(prepare):
    features = {"story": _TEXT, "text": tfds.features.Sequence(_TEXT)}
    example = {"story": "a", "text": ["b"]}
    data_dir = prepare("tiny", features, {"train": [example]})
    with pytest.raises(
        ValueError, match="one of: sentence1, .*; text. Received: story"
    ):
        read_tfds(f"{data_dir}/tiny/2.0.0", "train")


def test_a_part_without_examples_is_refused(prepare):
    data_dir = prepare("tiny", {"text": _TEXT}, {"train": [{"text": "a"}]})
    with pytest.raises(ValueError, match=r"train\[:0%\] must .* it is empty"):
        read_tfds(f"{data_dir}/tiny/2.0.0", "train[:0%]")


def test_what_is_not_prepared_is_not_downloaded(tmp_path):
    with pytest.raises(ValueError, match="tfds build glue/rte.*no data in"):
        read_tfds("glue/rte", "train", str(tmp_path))
