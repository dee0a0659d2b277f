import pytest

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
