import pytest

from keras_bert.data.labelled.choice_splits import choice_file_splits
from keras_bert.data.labelled.multiple_choice import read_swag

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
