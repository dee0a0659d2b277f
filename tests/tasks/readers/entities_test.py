import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_bert.tasks.readers.entities import Entity
from keras_bert.tasks.readers.entities import find_entities
from keras_bert.tasks.readers.entities import locate_entities
from keras_bert.tasks.readers.entities import to_iob1
from keras_bert.tasks.readers.entities import to_iob2

# A person of three words, two locations of one word, a person of two.
_ENTITIES = [
    Entity("PER", 0, 2),
    Entity("LOC", 3, 3),
    Entity("LOC", 4, 4),
    Entity("PER", 6, 7),
]
_IOB2 = "B-PER I-PER I-PER B-LOC B-LOC O B-PER I-PER".split()
_IOB1 = "I-PER I-PER I-PER I-LOC B-LOC O I-PER I-PER".split()


@pytest.mark.parametrize("tags", [_IOB2, _IOB1])
def test_every_scheme_tells_the_same_entities(tags):
    assert find_entities(tags) == _ENTITIES
    assert to_iob2(tags) == _IOB2
    assert to_iob1(tags) == _IOB1


def test_what_continues_nothing_begins_an_entity():
    tags = "I-A O I-A I-B B-B I-A".split()
    assert to_iob2(tags) == "B-A O B-A B-B B-B B-A".split()


def test_types_may_be_left_out():
    tags = "I I B O I".split()
    labels = [entity.label for entity in find_entities(tags)]
    assert labels == ["", "", ""]
    assert to_iob2(tags) == "B I B O B".split()
    assert to_iob1("B I B O B".split()) == tags


_TAGS = st.lists(st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"]))


@settings(deadline=None)
@given(_TAGS)
def test_conversion_keeps_the_entities(tags):
    converted = to_iob2(tags)
    assert find_entities(converted) == find_entities(tags)
    assert to_iob2(converted) == converted
    assert [t == "O" for t in converted] == [t == "O" for t in tags]
    assert [t[1:] for t in converted] == [t[1:] for t in tags]


def test_entities_are_located_in_characters():
    text = "Zoë  van\tDijk in 北京!"
    spans = [[0, 3], [5, 8], [9, 13], [14, 16], [17, 18], [18, 19], [19, 20]]
    entities = [Entity("PER", 0, 2), Entity("LOC", 4, 5)]
    probabilities = np.array([1, 0.5, 0.75, 0, 0.5, 0.25, 0])
    keys = ["text", "label", "start", "end", "probability"]
    assert locate_entities(entities, text, spans, probabilities) == [
        dict(zip(keys, ("Zoë  van\tDijk", "PER", 0, 13, 0.75))),
        dict(zip(keys, ("北京", "LOC", 17, 19, 0.375))),
    ]
