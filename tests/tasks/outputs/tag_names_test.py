import pytest

from keras_bert.tasks.inputs.sentences import check_names
from keras_bert.tasks.inputs.sentences import tag_names


def test_each_part_may_have_its_own_scheme():
    iob1, bioes = [["I-X", "B-X", "O"]], [["S-A", "B-X", "E-X"]]
    expected = ["O", "B-A", "I-A", "B-X", "I-X"]
    assert tag_names(iob1, bioes) == expected


def test_types_may_be_left_out_or_have_hyphens():
    assert tag_names([["B", "E", "O"], ["S"]]) == ["O", "B", "I"]
    assert tag_names([["B-a-b"]]) == ["O", "B-a-b", "I-a-b"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("O PER-B PER-I", "IOB2 of entities: replace 'PER-B' by 'B-PER'"),
        ("O B_PER I_PER", "IOB2 of entities: replace 'B_PER' by 'B-PER'"),
        ("b-per i-per o", "IOB2 of entities: replace 'b-per' by 'B-per'"),
        ("O A.E A.B A.S", "BIOES of entities: replace 'A.B' by 'B-A'"),
    ],
)
def test_plain_tags_that_look_like_entities_are_a_warning(
    names, message, caplog
):
    check_names(names.split())
    assert len(caplog.records) == 1 and message in caplog.text


@pytest.mark.parametrize(
    "names",
    [
        "O I-PER B-PER B-b_x I-b_x",
        "NN NNS PRP-S VB",
        "NN-S VB-S",
        "ADJ I B",
        "B I O",
        "O o",
    ],
)
def test_other_tags_are_no_warning(names, caplog):
    check_names(names.split())
    assert not caplog.records
