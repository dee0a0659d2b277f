import json

import pytest

from keras_bert.data.labelled.multiple_choice import read_swag
from keras_bert.programs.splits.task_splits import choice_file_splits
from keras_bert.programs.splits.task_splits import conll_splits
from keras_bert.programs.splits.task_splits import squad_splits


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


def test_one_sentence_cannot_be_divided(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("w O\n")
    with pytest.raises(ValueError, match="two examples.*Received: 1"):
        conll_splits({"train": str(path)}, seed=0)


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
    """A file of 20 contexts with two questions each, and two of one."""

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
