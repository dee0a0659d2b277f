import pytest

from keras_bert.tasks.tags.sentences import check_names
from keras_bert.tasks.tags.sentences import tag_names


def test_each_part_may_have_its_own_scheme():
    iob1, bioes = [["I-X", "B-X", "O"]], [["S-A", "B-X", "E-X"]]
    expected = ["O", "B-A", "I-A", "B-X", "I-X"]
    assert tag_names(iob1, bioes) == expected


def test_types_may_be_left_out():
    assert tag_names([["B", "I", "O"]]) == ["O", "B", "I"]
    assert tag_names([["B", "E", "O"], ["S"]]) == ["O", "B", "I"]


def test_a_type_may_hold_hyphens():
    assert tag_names([["B-a-b"]]) == ["O", "B-a-b", "I-a-b"]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([[["B-X"]], [["NOUN"]]], "all plain.*Received: 'NOUN'"),
        ([["B-X"]], "lists of tags.*'B-X' at index 0"),
        ([[["S-X"], ["I-X"]]], "BIOES.*'I-X' after the beginning"),
    ],
)
def test_bad_tags_are_named(parts, message):
    with pytest.raises(ValueError, match=message):
        tag_names(*parts)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            ["O", "PER-B", "PER-I"],
            "IOB2 of entities: replace 'PER-B' by 'B-PER'",
        ),
        (
            ["O", "B_PER", "I_PER"],
            "IOB2 of entities: replace 'B_PER' by 'B-PER'",
        ),
        (
            ["b-per", "i-per", "o"],
            "IOB2 of entities: replace 'b-per' by 'B-per'",
        ),
        (
            ["O", "A.E", "A.B", "A.S"],
            "BIOES of entities: replace 'A.B' by 'B-A'",
        ),
    ],
)
def test_plain_tags_that_look_like_entities_are_a_warning(
    names, message, caplog
):
    check_names(names)
    assert len(caplog.records) == 1 and message in caplog.text


@pytest.mark.parametrize(
    "names",
    [
        ["O", "B-PER", "I-PER"],
        ["O", "I-PER", "B-PER", "B-b_x", "I-b_x"],
        ["NN", "NNS", "PRP-S", "VB"],
        ["NN-S", "VB-S"],
        ["ADJ", "I", "B"],
        ["B", "I", "O"],
        ["O", "o"],
    ],
)
def test_other_tags_are_no_warning(names, caplog):
    check_names(names)
    assert not caplog.records
