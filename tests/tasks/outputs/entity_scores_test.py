import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_bert.tasks.outputs.entity_scores import entity_scores
from keras_bert.tasks.outputs.entity_scores import tag_accuracy
from keras_bert.tasks.readers.entities import to_iob2

_ZERO = {"precision": 0.0, "recall": 0.0, "f1": 0.0, "num_entities": 0}


def _rows(text):
    return [row.split() for row in text.split("|")]


def test_types_are_pooled_and_shown():
    tags = _rows("B-PER I-PER O B-LOC | B-PER O B-PER")
    # One of three persons is found, one is invented; one of one location.
    predictions = _rows("B-PER I-PER O B-LOC | O B-PER O")
    scores = entity_scores(tags, predictions)
    assert scores["num_entities"] == 4
    person = {"precision": 1 / 2, "recall": 1 / 3, "f1": 2 / 5}
    person["num_entities"] = 3
    assert scores["types"]["PER"] == pytest.approx(person)
    assert scores["types"]["LOC"]["f1"] == 1.0


@pytest.mark.parametrize(
    "tags, predictions",
    [("O O", "O O"), ("O O", "O I-A"), ("", ""), ("O |", "O |")],
)
def test_without_entities_all_scores_are_zero(tags, predictions):
    scores = entity_scores(_rows(tags), _rows(predictions))
    assert scores == {**_ZERO, "types": {}}
    assert entity_scores([], []) == scores


def test_types_that_are_not_predicted_or_not_there_have_zeros():
    scores = entity_scores(_rows("B-A"), _rows("B-B"))
    assert scores["types"] == {"A": {**_ZERO, "num_entities": 1}, "B": _ZERO}
    values = scores["types"]["A"].values()
    assert {type(value) for value in values} == {float, int}


_SENTENCES = st.lists(
    st.lists(
        st.tuples(
            *[st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B", "B-c-d"])] * 2
        )
    ),
    min_size=1,
)


@settings(deadline=None, max_examples=50)
@given(sentences=_SENTENCES)
def test_scores_equal_those_of_seqeval(sentences):
    import seqeval.metrics
    import seqeval.scheme

    tags = [to_iob2([tag for tag, _ in row]) for row in sentences]
    predictions = [[tag for _, tag in row] for row in sentences]
    strict = {"mode": "strict", "scheme": seqeval.scheme.IOB2}
    repaired = [to_iob2(row) for row in predictions]
    for found, options in ((repaired, {}), (predictions, strict)):
        scores = entity_scores(tags, found)
        for name in ("precision", "recall", "f1"):
            expected = getattr(seqeval.metrics, f"{name}_score")(
                tags, predictions, zero_division=0, **options
            )
            assert scores[name] == pytest.approx(expected)


def test_accuracy_is_the_share_of_words():
    tags, predictions = _rows("DT NN VB | NN"), _rows("DT NN NN | NN")
    assert tag_accuracy(tags, predictions) == {"accuracy": 0.75}
