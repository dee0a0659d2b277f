import json
import types

import pytest

from keras_bert.cli.splits.splits import choice_file_splits
from keras_bert.cli.splits.splits import conll_splits
from keras_bert.cli.splits.splits import file_splits
from keras_bert.cli.splits.splits import glue_splits
from keras_bert.cli.splits.splits import label_names
from keras_bert.cli.splits.splits import squad_splits
from keras_bert.cli.splits.splits import tfds_splits
from keras_bert.tasks.labelled.multiple_choice import read_swag
from keras_bert.tasks.labelled.tables import Table

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
    with pytest.raises(ValueError, match="a.tsv, line 2 on.*Received: 'good'"):
        label_names(splits)


def test_pairs_are_pairs(tmp_path):
    path = _write(tmp_path / "a.tsv", ["1\tp\tq", "2\tr\ts"], "label\ta\tb")
    texts = {"text": "a", "text_pair": "b"}
    splits = file_splits({"train": path, "dev": path}, texts, "label", seed=0)
    assert splits.train.texts() == [("p", "q"), ("r", "s")]


def test_a_data_set_has_the_names_of_glue(monkeypatch):
    tfds = pytest.importorskip("keras_bert.tasks.labelled.tfds")
    prepared = pytest.importorskip("keras_bert.tfds_builder")
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
    with pytest.raises(ValueError, match="two training examples.*Received: 1"):
        file_splits({"train": path}, _TEXT, "label", seed=0)


def test_a_tenth_is_held_out_with_its_lines(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("".join(f"w{n} O\n\n" for n in range(20)))
    splits = conll_splits({"train": str(path), "test": str(path)}, seed=0)
    dev = splits.dev["dev"]
    assert (len(splits.train.words), len(dev.words)) == (18, 2)
    assert {*splits.train.words} | {*dev.words} == {*splits.test["test"].words}
    number = int(dev.words[0][0][1:])
    assert dev.where(0, 0) == f"{path}, line {2 * number + 1}"
    assert dev.tags == (("O",), ("O",))


def test_stray_tags_of_the_test_split_stop_nothing(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("w B-X\n\nw B-X\nw B-X\n\nw O\nw I-X\n")
    files = {name: str(path) for name in ("train", "dev", "test")}
    splits = conll_splits(files, seed=0)
    assert splits.test["test"].tags[2] == ("O", "B-X")
    assert splits.train.tags[2] == ("O", "I-X")
    splits = conll_splits(files, 0, "repair")
    assert splits.train.tags[2] == splits.dev["dev"].tags[2] == ("O", "B-X")


@pytest.fixture
def files(tmp_path):
    """Return a file of 20 contexts with two questions each, and two more."""

    def write(name, count):
        paragraphs = [
            {
                "context": f"context {name} {n}",
                "qas": [
                    {
                        "id": f"{name} {n} {m}",
                        "question": "q",
                        "answers": [{"text": "context", "answer_start": 0}],
                    }
                    for m in range(2)
                ],
            }
            for n in range(count)
        ]
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
        return str(path)

    return write("train", 20), write("dev", 1), write("predict", 1)


def _ids(splits):
    return {
        split: questions[0].id
        for split, questions in {**splits.dev, **splits.test}.items()
    }


def test_what_is_answered_is_chosen_by_unless_there_is_a_dev_file(files):
    train, dev, predict = files
    splits = squad_splits(train, dev, predict, seed=0)
    assert _ids(splits) == {"dev": "dev 0 0", "test": "predict 0 0"}
    splits = squad_splits(train, None, predict, seed=0)
    assert _ids(splits) == {"dev": "predict 0 0"}
    splits = squad_splits(train, dev, None, seed=0)
    assert _ids(splits) == {"dev": "dev 0 0"}
    splits = squad_splits(None, None, predict, seed=0)
    assert splits.train is None
    assert _ids(splits) == {"test": "predict 0 0"}


def test_held_out_questions_share_no_context(files):
    splits = squad_splits(files[0], None, None, seed=0)
    dev = splits.dev["dev"]
    assert (len(splits.train), len(dev)) == (36, 4)
    assert not {q.context for q in dev} & {q.context for q in splits.train}


_HEADER = "sent1,sent2,ending0,ending1"


@pytest.fixture
def paths(tmp_path):
    rows = "".join(f"c{n},it,a,b,{n % 2}\n" for n in range(20))
    (tmp_path / "train.csv").write_text(f"{_HEADER},label\n{rows}")
    (tmp_path / "test.csv").write_text(f"{_HEADER}\nc,it,a,b\n")
    return {x: str(tmp_path / f"{x}.csv") for x in ("train", "test")}


def test_a_tenth_is_held_out_and_tests_need_no_label(paths):
    splits = choice_file_splits(paths, read_swag, 2, seed=0)
    dev = splits.dev["dev"]
    assert (len(splits.train), len(dev)) == (18, 2)
    contexts = [q.context for q in [*splits.train, *dev]]
    assert sorted(contexts) == sorted(f"c{n}" for n in range(20))
    (question,) = splits.test["test"]
    assert (question.context, question.label) == ("c", None)
