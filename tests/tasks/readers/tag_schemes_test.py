import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_bert.tasks.readers.entities import to_iob2
from keras_bert.tasks.readers.tag_schemes import SCHEMES
from keras_bert.tasks.readers.tag_schemes import check_scheme
from keras_bert.tasks.readers.tag_schemes import find_scheme
from keras_bert.tasks.readers.tag_schemes import without_stray_tags


def _rows(text):
    """Return sentences of tags, separated by a bar."""
    return [row.split() for row in text.split("|")]


@pytest.mark.parametrize(
    "scheme, tags",
    [
        ("IOB2", "B-A I-A O B-A B-A I-A B-B | O"),
        ("IOB2", ""),
        ("IOB1", "I-A I-A O I-A B-A I-A I-B | O"),
        ("IOB1", "I-A | O I-B"),
        ("BIOES", "B-A I-A I-A E-A S-A O B-B E-B S-A | S-A"),
        ("BILOU", "B-A I-A L-A U-A O B-B L-B U-A | U-A"),
        ("BMES", "B-A M-A M-A E-A S-A O B-B E-B | S-A"),
        ("IOB2", "B I O B B"),
        ("IOB1", "I I B O"),
        ("BIOES", "B E O S"),
        ("plain", "B E S"),
        ("plain", "M-A NN"),
        ("plain", "DT NN , -LRB- PRP$ | NN O"),
        ("plain", "X-Y NN-TL"),
    ],
)
def test_the_scheme_is_found(scheme, tags):
    assert find_scheme(_rows(tags)) == scheme
    check_scheme(_rows(tags), scheme)


@pytest.mark.parametrize(
    "scheme, tags, message",
    [
        ("IOB2", "O | O I-A", "sentence 1, word 1 .*: 'I-A' after 'O'"),
        ("IOB2", "I-A", "word 0 .* 'I-A' after the beginning of the sentence"),
        ("IOB2", "B-A I-B", "word 1 .*: 'I-B' after 'B-A'"),
        ("IOB2", "B-A E-A", "word 1 .*: 'E-A' after 'B-A'"),
        ("IOB1", "I-A I", "word 1 .*: 'I' after 'I-A'"),
        ("BMES", "B-A M-A", "the end of the sentence after 'M-A'"),
        ("IOB1", "O B-A", "word 1 .*: 'B-A' after 'O'"),
        ("IOB1", "I-A B-B", "word 1 .*: 'B-B' after 'I-A'"),
        ("BIOES", "B-A O", "word 1 .*: 'O' after 'B-A'"),
        ("BIOES", "B-A I-A S-A", "word 2 .*: 'S-A' after 'I-A'"),
        ("BIOES", "O E-A", "word 1 .*: 'E-A' after 'O'"),
        ("BIOES", "S-A I-A E-A", "word 1 .*: 'I-A' after 'S-A'"),
    ],
)
def test_a_tag_that_breaks_the_scheme_is_named(scheme, tags, message):
    with pytest.raises(ValueError, match=f"follow {scheme} .*{message}"):
        check_scheme(_rows(tags), scheme)


@pytest.mark.parametrize(
    "tags, message",
    [
        (
            "B-A I-A O B-A | O I-A",
            "IOB2 or IOB1 .*sentence 1, word 1 .*: 'I-A' after 'O' .*IOB2: "
            ".*sentence 0, word 0 .*: 'B-A' after the beginning .*IOB1: ",
        ),
        ("B-A M-A", "BMES .*the end of the sentence after 'M-A'"),
        ("S-A U-A", "BIOES .*word 1 .*: 'U-A' after 'S-A'"),
        ("L-A U-A", "BILOU .*word 0 .*: 'L-A' after the beginning"),
    ],
)
def test_tags_of_no_scheme_are_named(tags, message):
    with pytest.raises(ValueError, match=message):
        find_scheme(_rows(tags))


@pytest.mark.parametrize(
    ("tags", "advice"),
    [
        ("B-A | O I-A", "on_stray_tag='repair'"),
        ("B-A M-A", "on_stray_tag='repair'"),
        ("B-A | O I-A I", "At sentence 1, word 2 .*, 'I' has no type"),
        ("B-A NN", "At sentence 0, word 1 .*, 'NN' has no type"),
    ],
)
def test_repair_is_advised_where_it_helps(tags, advice):
    with pytest.raises(ValueError, match=advice) as error:
        find_scheme(_rows(tags))
    assert ("on_stray_tag" in str(error.value)) == ("on_stray_tag" in advice)
    if "on_stray_tag" in advice:
        assert find_scheme(without_stray_tags(_rows(tags))) == "IOB2"


@st.composite
def _entity_rows(draw):
    """Return sentences as lists of (type, length); None means outside."""
    entity = st.tuples(st.sampled_from(["A", "B-C", None]), st.integers(1, 3))
    return draw(st.lists(st.lists(entity, min_size=1), min_size=1))


def _write(row, scheme):
    """Return the tags of a sentence by the definition of each scheme."""
    tags, last = [], None
    single, end = {"BIOES": "SE", "BILOU": "UL", "BMES": "SE"}.get(scheme, "BI")
    inside = "M" if scheme == "BMES" else "I"
    for kind, length in row:
        if kind is None:
            prefixes = None
        elif scheme == "IOB1":
            prefixes = ("B" if last == kind else "I") + "I" * (length - 1)
        elif length == 1:
            prefixes = single
        else:
            prefixes = "B" + inside * (length - 2) + end
        tags += [f"{p}-{kind}" for p in prefixes] if prefixes else ["O"]
        last = kind
    return tags


@settings(deadline=None, max_examples=50)
@given(_entity_rows())
def test_every_scheme_is_found_again_and_converts_to_iob2(rows):
    expected = [_write(row, "IOB2") for row in rows]
    for scheme in SCHEMES[1:]:
        tags = [_write(row, scheme) for row in rows]
        check_scheme(tags, scheme)
        assert [to_iob2(row) for row in tags] == expected
        has_entity = any(kind for row in rows for kind, _ in row)
        if scheme == "BMES" and not any("M-" in x for row in tags for x in row):
            scheme = "BIOES"
        assert find_scheme(tags) == (scheme if has_entity else "IOB2")
