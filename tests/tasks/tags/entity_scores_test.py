import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_bert.tasks.labelled.entities import find_entities
from keras_bert.tasks.labelled.entities import to_iob2
from keras_bert.tasks.tags.entity_scores import entity_scores
from keras_bert.tasks.tags.entity_scores import tag_accuracy

_ZERO = {"precision": 0.0, "recall": 0.0, "f1": 0.0, "num_entities": 0}


def _rows(text):
    return [row.split() for row in text.split("|")]


def test_types_are_pooled_and_shown():
    tags = _rows("B-PER I-PER O B-LOC | B-PER O B-PER")
    # One of three persons is found, one is invented; one of one location.
    predictions = _rows("B-PER I-PER O B-LOC | O B-PER O")
    assert entity_scores(tags, predictions) == {
        "precision": pytest.approx(2 / 3),
        "recall": pytest.approx(2 / 4),
        "f1": pytest.approx(4 / 7),
        "num_entities": 4,
        "types": {
            "LOC": {
                "precision": 1.0,
                "recall": 1.0,
                "f1": 1.0,
                "num_entities": 1,
            },
            "PER": {
                "precision": pytest.approx(1 / 2),
                "recall": pytest.approx(1 / 3),
                "f1": pytest.approx(2 / 5),
                "num_entities": 3,
            },
        },
    }


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
    assert {type(value) for value in scores["types"]["A"].values()} == {
        float,
        int,
    }


_SENTENCES = st.lists(
    st.lists(
        st.tuples(
            *[st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B", "B-c-d"])] * 2
        )
    ),
    min_size=1,
)


def _in_scheme(row, scheme):
    """Rewrite tags of IOB2 in another scheme."""
    tags = [*row]
    one, last = {"BIOES": "SE", "BILOU": "UL"}.get(scheme, (None, None))
    before = None
    for label, start, end in find_entities(row):
        if one:
            tags[end] = f"{one if start == end else last}-{label}"
        elif scheme == "IOB1" and before != (label, start - 1):
            tags[start] = f"I-{label}"
        before = label, end
    return tags


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "BIOES", "BILOU"])
@settings(deadline=None, max_examples=50)
@given(sentences=_SENTENCES)
def test_scores_equal_those_of_seqeval(scheme, sentences):
    import seqeval.metrics
    import seqeval.scheme

    tags = [to_iob2([tag for tag, _ in row]) for row in sentences]
    predictions = [[tag for _, tag in row] for row in sentences]
    repaired = [to_iob2(row) for row in predictions]
    theirs = getattr(seqeval.scheme, scheme.replace("BIOES", "IOBES"))

    names = ("precision", "recall", "f1")

    def expected(tags, predictions, **options):
        options["zero_division"] = 0
        return pytest.approx(
            {
                name: getattr(seqeval.metrics, f"{name}_score")(
                    tags, predictions, **options
                )
                for name in names
            }
        )

    def found(tags, predictions):
        scores = entity_scores(tags, predictions)
        return {name: scores[name] for name in names}

    other = [
        [_in_scheme(row, scheme) for row in rows] for rows in (tags, repaired)
    ]
    assert [[to_iob2(row) for row in rows] for rows in other] == [
        tags,
        repaired,
    ]
    lenient = found(tags, repaired)
    assert lenient == expected(*other, mode="strict", scheme=theirs)
    assert lenient == expected(tags, predictions)
    assert found(tags, predictions) == expected(
        tags, predictions, mode="strict", scheme=seqeval.scheme.IOB2
    )


def test_accuracy_is_the_share_of_words():
    tags, predictions = _rows("DT NN VB | NN"), _rows("DT NN NN | NN")
    assert tag_accuracy(tags, predictions) == {"accuracy": 0.75}


@pytest.mark.parametrize("tags", [[], [[]]])
def test_accuracy_needs_a_word(tags):
    with pytest.raises(ValueError, match="`tags` must contain words. .*]"):
        tag_accuracy(tags, tags)


@pytest.mark.parametrize("function", [entity_scores, tag_accuracy])
@pytest.mark.parametrize(
    "predictions, message",
    [
        ("O", "a list for each sentence. Received: 1 lists for 2"),
        ("O | O O", "a tag for each word.*2 tags for 1 words at index 1"),
    ],
)
def test_predictions_must_be_as_many(function, predictions, message):
    with pytest.raises(ValueError, match=message):
        function(_rows("O | O"), _rows(predictions))


def test_tags_must_be_iob2():
    with pytest.raises(ValueError, match="IOB2.*sentence 0, word 1.*'S-A'"):
        entity_scores(_rows("O S-A"), _rows("O O"))


@pytest.mark.parametrize("tag", ["S-A", "A", "E", "I-", "BA", ""])
def test_predictions_must_be_tags_of_iob2(tag):
    with pytest.raises(ValueError, match=f"Received: '{tag}' at index 1"):
        entity_scores(_rows("O | O"), [["O"], [tag]])
