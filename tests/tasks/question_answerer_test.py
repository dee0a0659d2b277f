import hypothesis
import keras
import pytest
from hypothesis import strategies

from keras_bert.tasks import QuestionAnswerer
from tests import tiny

_SUBJECTS, _OBJECTS = ("dog", "cat", "bird"), ("meat", "fish", "seeds")
_RECIPE = {"learning_rate": 1e-2, "batch_size": 6, "verbose": 0}


def _data(before="", behind="", impossible=False):
    """Return questions about who eats what, in the structure of SQuAD."""
    paragraphs = []
    for who in _SUBJECTS:
        for what in _OBJECTS:
            questions = {
                f"{who} {what} 1": ("who eats", who),
                f"{who} {what} 2": ("eats what", what),
            }
            if impossible:
                questions[f"{who} {what} 3"] = ("sees", "")
            context = f"{before}the {who} eats {what}.{behind}"
            paragraphs.append((context, questions))
    return tiny.squad(*paragraphs)


def _pairs(data):
    return [
        (entry["question"], paragraph["context"])
        for paragraph in data["data"][0]["paragraphs"]
        for entry in paragraph["qas"]
    ]


def _right_answers(data):
    return [
        entry["answers"][0]["text"] if entry["answers"] else ""
        for paragraph in data["data"][0]["paragraphs"]
        for entry in paragraph["qas"]
    ]


def _texts(answers):
    return [answer["answer"] for answer in answers]


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
    answers = trained.predict(_pairs(_data(impossible=True)))
    assert _texts(answers) == _right_answers(_data(impossible=True))
    none = answers[2]
    assert (none["start"], none["end"]) == (0, 0)
    assert none["probability"] > 0.8
    metrics = trained.evaluate(_data(impossible=True))
    assert {k: metrics[k] for k in ("exact", "NoAns_total", "best_f1")} == {
        "exact": 100.0,
        "NoAns_total": 9,
        "best_f1": 100.0,
    }
    assert trained.settings["has_impossible"] is True
    assert trained.null_threshold == 0.0


def test_the_threshold_is_compared_with_the_difference(trained):
    pair = ("sees", "the dog eats meat.")
    (found,) = trained.answers(
        tiny.squad((pair[1], {"q": ("sees", "")})), n_best_size=3
    ).values()
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
    assert answerer.settings == {
        "seq_length": 384,
        "doc_stride": 128,
        "max_query_length": 64,
        "has_impossible": None,
        "null_threshold": None,
    }
    other = QuestionAnswerer(
        large, seq_length=100, doc_stride=20, max_query_length=9
    )
    other.save(tmp_path)
    again = QuestionAnswerer.from_pretrained(tmp_path, doc_stride=7)
    assert again.settings == {**other.settings, "doc_stride": 7}
    assert QuestionAnswerer(make_bert()).settings["seq_length"] == 12


@hypothesis.settings(max_examples=40, deadline=None, derandomize=True)
@hypothesis.given(
    pairs=strategies.lists(
        strategies.tuples(
            strategies.text(max_size=20),
            strategies.one_of(
                strategies.text(max_size=60),
                strategies.text("dog İé́ \u200b\x00ﬁ한", max_size=90),
            ),
        ),
        max_size=4,
    )
)
def test_any_text_gets_an_answer_from_it(trained, pairs):
    answers = trained.predict(pairs)
    assert len(answers) == len(pairs)
    for (_, context), answer in zip(pairs, answers):
        place = slice(answer["start"], answer["end"])
        assert context[place] == answer["answer"]
        assert 0 < answer["probability"] <= 1
        if not answer["answer"]:
            assert place == slice(0, 0)


def test_a_long_context_gets_an_answer(trained):
    context = "the dog – " * 2000 + "eats meat."
    (answer,) = trained.predict([("eats what " * 50, context)])
    assert context[answer["start"] : answer["end"]] == answer["answer"] != ""


def test_bad_questions_are_named_before_training(answerer):
    with pytest.raises(ValueError, match="Received: 3"):
        answerer.fit(3)
    with pytest.raises(ValueError, match="'dog' at index 0"):
        answerer.fit(_data(), validation_data=["dog"])
    with pytest.raises(ValueError, match="'dog' at index 0"):
        answerer.predict(["dog"])
    assert answerer.settings["has_impossible"] is None
    assert answerer.predict([]) == []
