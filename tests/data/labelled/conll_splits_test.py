import pytest

from keras_bert.data.labelled.conll_splits import conll_splits


def test_a_tenth_is_held_out_with_its_lines(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("".join(f"w{n} O\n\n" for n in range(20)))
    splits = conll_splits({"train": str(path), "test": str(path)}, -1, seed=0)
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
        conll_splits({"train": str(path)}, -1, seed=0)
