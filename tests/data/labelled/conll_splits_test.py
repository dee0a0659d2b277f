import pytest

from keras_bert.data.labelled.conll_splits import conll_splits


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
