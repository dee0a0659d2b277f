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
from keras_bert.tasks.readers.multiple_choice import read_swag
from keras_bert.tasks.readers.tables import Table
from tests import tiny

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


@pytest.fixture
def own(tmp_path):
    """Return a function that writes tables and reads them as splits."""

    def own(test=None, **rows):
        paths = {x: _write(tmp_path / f"{x}.tsv", rows[x]) for x in rows}
        if test:
            paths["test"] = _write(tmp_path / "c.tsv", test, "sentence")
        return file_splits(paths, _TEXT, "label", seed=0)

    return own


def test_files_of_ones_own_name_their_columns(own, tmp_path):
    train = ["x\tgood", "y\tbad", "z\tgood"]
    splits = own(train=train, dev=["v\tbad"], test=["w"])
    assert label_names(splits) == ["bad", "good"]
    assert splits.train.texts() == ["x", "y", "z"]
    assert splits.test["test"].columns == {"text": ["w"]}
    assert splits.glue is None
    pairs = _write(tmp_path / "a.tsv", ["1\tp\tq", "2\tr\ts"], "label\ta\tb")
    texts = {"text": "a", "text_pair": "b"}
    splits = file_splits({"train": pairs, "dev": pairs}, texts, "label", 0)
    assert splits.train.texts() == [("p", "q"), ("r", "s")]


@pytest.mark.parametrize(
    ("train", "dev", "message"),
    [
        (["x\tbad", "y\tgood"], ["v\tbad", "v\tugly"], "dev.tsv, line 3, .*"),
        (["x\ta", "y\ta"], ["x\ta"], "train.tsv, line 2 on.*Received: 'a'"),
        (["x\ty"], None, "two training examples.*Received: 1"),
    ],
)
def test_labels_that_cannot_be_learned_are_named(own, train, dev, message):
    given = {"train": train, "dev": dev} if dev else {"train": train}
    with pytest.raises(ValueError, match=message):
        label_names(own(**given))


def test_a_data_set_has_the_names_of_glue(monkeypatch):
    from keras_bert.files import tfds_builder
    from keras_bert.tasks.readers import tfds

    names = ["train", "validation_matched", "test_matched", "unsupervised"]
    builder = types.SimpleNamespace(
        info=types.SimpleNamespace(splits=dict.fromkeys(names))
    )
    monkeypatch.setattr(tfds_builder, "open_builder", lambda name: builder)

    def read(name, split):
        columns = {"text": [split], "label": ["neutral"]}
        return Table(f"{name}:{split}, example", [0], columns)

    monkeypatch.setattr(tfds, "read_tfds", read)
    splits = tfds_splits("glue/mnli", seed=0)
    assert splits.glue.name == "mnli"
    assert splits.dev["dev_matched"].texts() == ["validation_matched"]
    assert splits.test["test_matched"].texts() == ["test_matched"]
    assert tfds_splits("moods", seed=0).glue is None


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
def questions(tmp_path):
    """Write files of 20 contexts with two questions each, and of one each."""

    def write(name, count):
        paragraphs = []
        for n in range(count):
            asked = {f"{name} {n} {m}": ("q", "context") for m in range(2)}
            paragraphs.append((f"context {name} {n}", asked))
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(tiny.squad(*paragraphs)))
        return str(path)

    return write("train", 20), write("dev", 1), write("predict", 1)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((0, 1, 2), {"dev": "dev 0 0", "test": "predict 0 0"}),
        ((0, None, 2), {"dev": "predict 0 0"}),
        ((0, 1, None), {"dev": "dev 0 0"}),
        ((None, None, 2), {"test": "predict 0 0"}),
    ],
)
def test_what_is_answered_is_chosen_by_unless_there_is_a_dev_file(
    questions, given, expected
):
    files = [None if x is None else questions[x] for x in given]
    splits = squad_splits(*files, seed=0)
    found = {**splits.dev, **splits.test}
    assert {name: x[0].id for name, x in found.items()} == expected
    assert (splits.train is None) == (given[0] is None)


def test_held_out_questions_share_no_context(questions):
    splits = squad_splits(questions[0], None, None, seed=0)
    dev = splits.dev["dev"]
    assert (len(splits.train), len(dev)) == (36, 4)
    assert not {q.context for q in dev} & {q.context for q in splits.train}


def test_a_tenth_of_the_choices_is_held_out_and_tests_need_no_label(tmp_path):
    header = "sent1,sent2,ending0,ending1"
    rows = [f"c{n},it,a,b,{n % 2}" for n in range(20)]
    paths = {
        "train": _write(tmp_path / "train.csv", rows, f"{header},label"),
        "test": _write(tmp_path / "test.csv", ["c,it,a,b"], header),
    }
    splits = choice_file_splits(paths, read_swag, 2, seed=0)
    dev = splits.dev["dev"]
    assert (len(splits.train), len(dev)) == (18, 2)
    contexts = [q.context for q in [*splits.train, *dev]]
    assert sorted(contexts) == sorted(f"c{n}" for n in range(20))
    (question,) = splits.test["test"]
    assert (question.context, question.label) == ("c", None)
