import itertools

import hypothesis
import keras
import pytest
from hypothesis import strategies

from keras_bert.tasks import QuestionAnswerer
from tests import tiny

_SUBJECTS, _OBJECTS = ("dog", "cat", "bird"), ("meat", "fish", "seeds")
_RECIPE = {"learning_rate": 1e-2, "batch_size": 6, "verbose": 0}


def _data(impossible=False):
    """Return questions about who eats what, in the structure of SQuAD."""
    paragraphs = []
    for who, what in itertools.product(_SUBJECTS, _OBJECTS):
        questions = {
            f"{who} {what} 1": ("who eats", who),
            f"{who} {what} 2": ("eats what", what),
        }
        if impossible:
            questions[f"{who} {what} 3"] = ("sees", "")
        paragraphs.append((f"the {who} eats {what}.", questions))
    return tiny.squad(*paragraphs)


@pytest.fixture
def answerer(bert):
    return QuestionAnswerer(bert, doc_stride=3)


@pytest.fixture(scope="module")
def trained(make_bert):
    """Return a model trained on version 2.0; no test changes it."""
    keras.utils.set_random_seed(1)
    bert = make_bert(num_hidden_layers=2)
    answerer = QuestionAnswerer(bert, doc_stride=3)
    answerer.fit(_data(impossible=True), epochs=20, **_RECIPE)
    return answerer


def test_it_learns_to_answer_and_to_give_no_answer(trained):
    metrics = trained.evaluate(_data(impossible=True))
    expected = {"exact": 100.0, "NoAns_total": 9, "best_f1": 100.0}
    assert {name: metrics[name] for name in expected} == expected
    assert trained.settings["has_impossible"] is True
    assert trained.null_threshold == 0.0
    questions = ["who eats", "eats what", "sees"]
    answers = trained.predict([(x, "the dog eats meat.") for x in questions])
    assert [x["answer"] for x in answers] == ["dog", "meat", ""]
    assert (answers[2]["start"], answers[2]["end"]) == (0, 0)
    assert answers[2]["probability"] > 0.8


def test_the_threshold_is_compared_with_the_difference(trained):
    pair = ("sees", "the dog eats meat.")
    questions = tiny.squad((pair[1], {"q": ("sees", "")}))
    found = trained.answers(questions, n_best_size=3)["q"]
    assert found.null_difference > 0
    try:
        trained.null_threshold = found.null_difference
        (answer,) = trained.predict([pair])
        assert answer["answer"] != ""
        trained.null_threshold = None
        (only_spans,) = trained.predict([pair])
        assert only_spans["answer"] == answer["answer"]
        assert only_spans["probability"] > answer["probability"]
    finally:
        trained.null_threshold = 0.0


def test_the_threshold_is_tuned_and_kept(answerer, tmp_path):
    """Use an untrained model, so that the threshold is not 0."""
    data = _data(impossible=True)
    answerer.fit(data, epochs=1, validation_data=data, **_RECIPE)
    tuned = answerer.null_threshold
    metrics = answerer.evaluate(data)
    assert metrics["f1"] == metrics["best_f1"]
    assert tuned == metrics["best_f1_thresh"] != 0.0
    answerer.null_threshold = None
    assert answerer.tune_null_threshold(data) == tuned
    answerer.save(tmp_path)
    again = QuestionAnswerer.from_pretrained(tmp_path)
    assert again.null_threshold == tuned
    with pytest.raises(ValueError, match="18 questions, each with an answer"):
        answerer.tune_null_threshold(_data())


def test_settings_are_as_published_or_as_trained(make_bert, tmp_path):
    large = make_bert(max_position_embeddings=512)
    answerer = QuestionAnswerer(large)
    sizes = {"seq_length": 384, "doc_stride": 128, "max_query_length": 64}
    rest = {"has_impossible": None, "null_threshold": None}
    assert answerer.settings == {**sizes, **rest}
    sizes = {"seq_length": 100, "doc_stride": 20, "max_query_length": 9}
    QuestionAnswerer(large, **sizes).save(tmp_path)
    again = QuestionAnswerer.from_pretrained(tmp_path, doc_stride=7)
    assert again.settings == {**sizes, **rest, "doc_stride": 7}
    assert QuestionAnswerer(make_bert()).settings["seq_length"] == 12


@hypothesis.settings(max_examples=40, deadline=None, derandomize=True)
@hypothesis.given(
    strategies.text(max_size=20),
    strategies.text(max_size=60)
    | strategies.text("dog İé́ \u200b\x00ﬁ한", max_size=90),
)
def test_any_text_gets_an_answer_from_it(trained, question, context):
    (answer,) = trained.predict([(question, context)])
    place = slice(answer["start"], answer["end"])
    assert context[place] == answer["answer"]
    assert 0 < answer["probability"] <= 1
    assert answer["answer"] or place == slice(0, 0)


def test_a_bad_question_is_named_before_training(answerer):
    with pytest.raises(ValueError, match="'dog' at index 0"):
        answerer.fit(_data(), validation_data=["dog"])
    assert answerer.settings["has_impossible"] is None
