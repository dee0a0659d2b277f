import types

import pytest

from keras_bert.data.labelled.tables import Table
from keras_bert.programs.splits.splits import file_splits
from keras_bert.programs.splits.splits import glue_splits
from keras_bert.programs.splits.splits import label_names
from keras_bert.programs.splits.splits import tfds_splits

_TEXT = {"text": "sentence"}


def _write(path, rows, header="sentence\tlabel"):
    path.write_text("".join(f"{row}\n" for row in [header, *rows]))
    return str(path)


@pytest.fixture
def glue(tmp_path):
    _write(tmp_path / "train.tsv", [f"text {n}\t{n % 2}" for n in range(40)])
    _write(tmp_path / "dev.tsv", ["a\t0", "b\t1"])
    _write(tmp_path / "test.tsv", ["0\tc"], "index\tsentence")
    return tmp_path


def test_glue_has_its_splits(glue):
    splits = glue_splits("sst2", str(glue), seed=0)
    assert len(splits.train) == 40
    assert splits.dev["dev"].columns == {
        "text": ["a", "b"],
        "label": ["0", "1"],
    }
    assert splits.test["test"].columns == {"text": ["c"]}
    assert splits.glue.name == "sst2"
    assert label_names(splits) == ["0", "1"]


def test_without_a_dev_split_a_tenth_is_held_out(glue):
    (glue / "dev.tsv").unlink()
    (glue / "test.tsv").unlink()
    splits = glue_splits("sst2", str(glue), seed=0)
    dev = splits.dev["dev"]
    assert (len(splits.train), len(dev), splits.test) == (36, 4, {})
    both = splits.train.columns["text"] + dev.columns["text"]
    assert sorted(both) == sorted(f"text {n}" for n in range(40))
    assert dev.where(0) == f"{glue}/train.tsv, line {dev.numbers[0]}"
    row = int(dev.columns["text"][0].split()[1])
    assert dev.numbers[0] == row + 2
    same = glue_splits("sst2", str(glue), seed=0).dev["dev"]
    other = glue_splits("sst2", str(glue), seed=1).dev["dev"]
    assert same == dev
    assert other.numbers != dev.numbers


def test_a_directory_without_train_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="Received: an empty one"):
        glue_splits("sst2", str(tmp_path), seed=0)


def test_files_of_ones_own_name_their_columns(tmp_path):
    train = _write(tmp_path / "a.tsv", ["x\tgood", "y\tbad", "z\tgood"])
    dev = _write(tmp_path / "b.tsv", ["v\tbad"])
    test = _write(tmp_path / "c.tsv", ["w"], "sentence")
    splits = file_splits(
        {"train": train, "dev": dev, "test": test}, _TEXT, "label", seed=0
    )
    assert label_names(splits) == ["bad", "good"]
    assert splits.train.texts() == ["x", "y", "z"]
    assert splits.test["test"].columns == {"text": ["w"]}
    assert splits.glue is None
    _write(tmp_path / "b.tsv", ["v\tbad", "v\tugly"])
    splits = file_splits({"train": train, "dev": dev}, _TEXT, "label", seed=0)
    with pytest.raises(ValueError, match="b.tsv, line 3, .*bad, good.*'ugly'"):
        label_names(splits)


def test_one_label_throughout_cannot_be_learned(tmp_path):
    path = _write(tmp_path / "a.tsv", ["x\tgood", "y\tgood"])
    splits = file_splits({"train": path, "dev": path}, _TEXT, "label", seed=0)
    with pytest.raises(ValueError, match="a.tsv, line 2 on, .*'good' through"):
        label_names(splits)


def test_pairs_are_pairs(tmp_path):
    path = _write(tmp_path / "a.tsv", ["1\tp\tq", "2\tr\ts"], "label\ta\tb")
    texts = {"text": "a", "text_pair": "b"}
    splits = file_splits({"train": path, "dev": path}, texts, "label", seed=0)
    assert splits.train.texts() == [("p", "q"), ("r", "s")]


def test_a_data_set_has_the_names_of_glue(monkeypatch):
    tfds = pytest.importorskip("keras_bert.data.labelled.tfds")
    prepared = pytest.importorskip("keras_bert.data.prepared")
    names = ["train", "validation_matched", "test_matched", "unsupervised"]
    builder = types.SimpleNamespace(
        info=types.SimpleNamespace(splits=dict.fromkeys(names))
    )
    monkeypatch.setattr(prepared, "open_builder", lambda name: builder)

    def read(name, split):
        columns = {"text": [split], "label": ["neutral"]}
        return Table(f"{name}:{split}, example", [0], columns)

    monkeypatch.setattr(tfds, "read_tfds", read)
    splits = tfds_splits("glue/mnli", seed=0)
    assert splits.glue.name == "mnli"
    assert splits.dev["dev_matched"].texts() == ["validation_matched"]
    assert splits.test["test_matched"].texts() == ["test_matched"]
    assert tfds_splits("moods", seed=0).glue is None


def test_one_example_cannot_be_divided(tmp_path):
    path = _write(tmp_path / "a.tsv", ["x\ty"])
    with pytest.raises(ValueError, match="two examples.*Received: 1"):
        file_splits({"train": path}, _TEXT, "label", seed=0)
