import json
import pathlib

import hypothesis
import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import strategies

from keras_bert import from_pretrained
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.data.labelled.squad import squad_questions
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks.answers.question_rows import check_spans
from keras_bert.tasks.answers.question_rows import with_spans
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_GOLDEN = (
    pathlib.Path(__file__).parents[1] / "golden" / "hf_question_answering.npz"
)
_SUBJECTS, _OBJECTS = ("dog", "cat", "bird"), ("meat", "fish", "seeds")
_RECIPE = {"learning_rate": 1e-2, "batch_size": 6, "verbose": 0}


def _entry(name, question, context, answer):
    found = {"text": answer, "answer_start": context.find(answer)}
    return {
        "id": name,
        "question": question,
        "answers": [found] if answer else [],
        "is_impossible": not answer,
    }


def _data(before="", behind="", impossible=False):
    """Who eats what, the object that a file of SQuAD holds."""
    paragraphs = []
    for who in _SUBJECTS:
        for what in _OBJECTS:
            context = f"{before}the {who} eats {what}.{behind}"
            name = f"{who} {what}"
            entries = [
                _entry(f"{name} 1", "who eats", context, who),
                _entry(f"{name} 2", "eats what", context, what),
            ]
            if impossible:
                entries.append(_entry(f"{name} 3", "sees", context, ""))
            paragraphs.append({"context": context, "qas": entries})
    return {"data": [{"title": "Food", "paragraphs": paragraphs}]}


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


@pytest.fixture(autouse=True)
def seeded():
    keras.utils.set_random_seed(1)


@pytest.fixture
def answerer(bert):
    return QuestionAnswerer(bert, doc_stride=3)


@pytest.fixture(scope="module")
def trained(make_trained):
    """Knows version 1.1; nobody changes it."""
    return make_trained(_data(), epochs=20)


@pytest.fixture(scope="module")
def trained_with_null(make_trained):
    """Knows version 2.0; nobody changes it."""
    return make_trained(_data(impossible=True), epochs=20)


@pytest.fixture(scope="module")
def make_trained():
    from keras_bert.checkpoints import PretrainedModel
    from keras_bert.config import BertConfig
    from keras_bert.text import BertTokenizer
    from keras_bert.text import Vocabulary

    words = "the a dog cat bird eats sees meat fish seeds and . ##s".split()

    def make_trained(data, **recipe):
        keras.utils.set_random_seed(1)
        config = BertConfig(
            vocab_size=len(SPECIAL_TOKENS) + len(words),
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            max_position_embeddings=12,
            initializer_range=0.5,
        )
        bert = PretrainedModel.from_config(
            config, BertTokenizer(Vocabulary([*SPECIAL_TOKENS, *words]))
        )
        answerer = QuestionAnswerer(bert, doc_stride=3)
        answerer.fit(data, **_RECIPE, **recipe)
        return answerer

    return make_trained


def test_it_learns_the_answers_to_a_few_questions(trained):
    answers = trained.predict(_pairs(_data()))
    assert _texts(answers) == _right_answers(_data())
    assert all(answer["probability"] > 0.8 for answer in answers)
    metrics = trained.evaluate(_data())
    assert (metrics["exact_match"], metrics["f1"]) == (100.0, 100.0)
    assert trained.settings["has_impossible"] is False
    assert trained.null_threshold is None


def test_evaluation_is_that_of_the_published_program(trained):
    data = _data()
    for paragraph in data["data"][0]["paragraphs"][:3]:
        paragraph["qas"][0]["answers"] = [{"text": "eats", "answer_start": 8}]
    metrics = trained.evaluate(data)
    assert metrics["exact_match"] == pytest.approx(100 * 15 / 18)


def test_answers_are_found_in_any_window(make_trained, caplog):
    """Each context needs two windows or more."""
    before, behind = "a bird sees. ", " and. and."
    answerer = make_trained(_data(before, behind), epochs=25)
    pairs = _pairs(_data(before, behind))
    answers = answerer.predict(pairs)
    right = _right_answers(_data(before, behind))
    hits = [a == b for a, b in zip(_texts(answers), right)]
    assert sum(hits) >= 15
    assert "Training has failed" not in caplog.text
    for (_, context), answer in zip(pairs, answers):
        assert context[answer["start"] : answer["end"]] == answer["answer"]


def test_it_learns_to_give_no_answer(trained_with_null):
    answers = trained_with_null.predict(_pairs(_data(impossible=True)))
    assert _texts(answers) == _right_answers(_data(impossible=True))
    none = answers[2]
    assert (none["start"], none["end"]) == (0, 0)
    assert none["probability"] > 0.8
    metrics = trained_with_null.evaluate(_data(impossible=True))
    assert {k: metrics[k] for k in ("exact", "NoAns_total", "best_f1")} == {
        "exact": 100.0,
        "NoAns_total": 9,
        "best_f1": 100.0,
    }
    assert trained_with_null.settings["has_impossible"] is True
    assert trained_with_null.null_threshold == 0.0


def test_the_threshold_is_compared_with_the_difference(trained_with_null):
    pair = ("sees", "the dog eats meat.")
    (found,) = trained_with_null.answers(
        [_question(*pair, id="q")], n_best_size=3
    ).values()
    assert found.null_difference > 0
    try:
        trained_with_null.null_threshold = found.null_difference
        (answer,) = trained_with_null.predict([pair])
        assert answer["answer"] != ""
        trained_with_null.null_threshold = None
        (only_spans,) = trained_with_null.predict([pair])
        assert only_spans["answer"] == answer["answer"]
        assert only_spans["probability"] > answer["probability"]
    finally:
        trained_with_null.null_threshold = 0.0


def _question(question, context, id):
    data = {"context": context, "qas": [_entry(id, question, context, "")]}
    return squad_questions({"data": [{"paragraphs": [data]}]}, "here")[0]


def test_the_threshold_is_tuned_and_kept(answerer, tmp_path):
    """Of a model that has learned nothing, so that it is another one."""
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


def test_the_best_epoch_is_kept(answerer):
    """By two questions, which are no pair of texts and labels."""
    questions = squad_questions(_data(), "here")
    history = answerer.fit(
        questions,
        validation_data=questions[:2],
        epochs=6,
        learning_rate=0.05,
        warmup=0.0,
        batch_size=3,
        verbose=0,
    ).history
    assert answerer.evaluate(questions[:2])["f1"] == max(history["val_f1"])
    assert len(history["val_exact_match"]) == 6


@pytest.mark.parametrize("format", ["keras", "hf"])
def test_a_saved_model_answers_the_same(trained, tmp_path, format):
    trained.save(tmp_path / "saved", format=format)
    again = QuestionAnswerer.from_pretrained(tmp_path / "saved")
    assert again.settings == trained.settings
    pairs = _pairs(_data())
    for answer, other in zip(trained.predict(pairs), again.predict(pairs)):
        assert answer.pop("score") == pytest.approx(other.pop("score"))
        assert answer == pytest.approx(other)


def test_transformers_finds_its_class_in_the_config(answerer, tmp_path):
    answerer.save(tmp_path, format="hf")
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["architectures"] == ["BertForQuestionAnswering"]


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
    for arguments, message in (
        ({"seq_length": 513}, "seq_length=513, max_position_embeddings=512"),
        ({"seq_length": 0}, "seq_length=0"),
        ({"doc_stride": 0}, "doc_stride=0"),
        ({"seq_length": 10, "max_query_length": 7}, "max_query_length=7"),
    ):
        with pytest.raises(ValueError, match=message):
            QuestionAnswerer(large, **arguments)


def test_answers_in_graph_are_those_in_python(trained_with_null):
    pairs = [*_pairs(_data(impossible=True)), ("", ""), ("who eats", " ")]
    outputs = trained_with_null.predict_texts(
        *(tf.constant(column) for column in zip(*pairs))
    )
    assert tuple(outputs) == trained_with_null.outputs
    answers = trained_with_null.predict(pairs)
    assert _texts(answers) == [x.decode() for x in outputs["answer"].numpy()]
    np.testing.assert_allclose(
        outputs["score"], [answer["score"] for answer in answers], atol=1e-4
    )
    for name in ("start", "end"):  # The texts are ASCII.
        assert [answer[name] for answer in answers] == [
            *outputs[name].numpy().tolist()
        ]


def test_a_question_in_company_has_the_same_answer(trained):
    pairs = _pairs(_data("a bird sees. "))[:4] + [("eats", "the cat")]
    together = trained.predict(pairs)
    for pair, answer in zip(pairs, together):
        (alone,) = trained.predict([pair])
        assert alone == pytest.approx(answer, abs=1e-4)


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
def test_any_text_gets_an_answer_from_it(trained_with_null, pairs):
    answers = trained_with_null.predict(pairs)
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


def test_misplaced_answers_teach_nothing(answerer, caplog):
    data = _data()
    data["data"][0]["paragraphs"][0]["qas"][0]["answers"] = [
        {"text": "meat", "answer_start": 0}
    ]
    examples = with_spans(answerer.labelled(data))
    check_spans(examples)
    assert examples.weights.sum() == 17
    assert "1 of 18 questions are left out of training" in caplog.text
    metrics = answerer.evaluate(data)
    assert {*metrics} == {"exact_match", "f1", "total"}


def test_a_failed_run_is_noticed(answerer, caplog):
    """The head ignores what it reads, and the rate rounds to 0."""
    kernel, bias = answerer.pretrained.task_head.get_weights()
    answerer.pretrained.task_head.set_weights([0 * kernel, bias])
    answerer.fit(
        _data(), epochs=1, batch_size=6, learning_rate=1e-60, verbose=0
    )
    assert "Training has failed" in caplog.text
    assert "train first without the questions that have no" in caplog.text


def test_bad_questions_are_named_before_training(answerer):
    with pytest.raises(ValueError, match="Received: 3"):
        answerer.fit(3)
    with pytest.raises(ValueError, match="'dog' at index 0"):
        answerer.fit(_data(), validation_data=["dog"])
    with pytest.raises(ValueError, match="'dog' at index 0"):
        answerer.predict(["dog"])
    assert answerer.settings["has_impossible"] is None
    assert answerer.predict([]) == []


@pytest.fixture(scope="module")
def golden():
    """What `make_golden.py` has written, in groups."""
    groups = {"weights": {}, "inputs": {}, "outputs": {}}
    with np.load(_GOLDEN) as arrays:
        for key in arrays:
            group, _, name = key.partition("/")
            if name:
                groups[group][name] = arrays[key]
        groups["config"] = json.loads(str(arrays["config"]))
    return groups


def test_logits_are_those_of_transformers(golden, tmp_path):
    words = [f"word{n}" for n in range(35)]
    text = "".join(f"{token}\n" for token in [*SPECIAL_TOKENS, *words])
    (tmp_path / "vocab.txt").write_text(text)
    (tmp_path / "config.json").write_text(json.dumps(golden["config"]))
    settings = json.dumps({"do_lower_case": True})
    (tmp_path / "tokenizer_config.json").write_text(settings)
    write_safetensors(
        tmp_path / "model.safetensors",
        [(k, x.shape, lambda x=x: x) for k, x in golden["weights"].items()],
    )
    assert from_pretrained(tmp_path).task.task == "QuestionAnswerer"
    answerer = QuestionAnswerer.from_pretrained(tmp_path)
    inputs = golden["inputs"]
    outputs = answerer.predict_ids(
        {
            "input_ids": inputs["input_ids"],
            "input_mask": inputs["attention_mask"],
            "segment_ids": inputs["token_type_ids"],
        }
    )
    is_real = inputs["attention_mask"].astype(bool)
    for name, values in golden["outputs"].items():
        np.testing.assert_allclose(
            outputs[name].numpy()[is_real],
            values[is_real],
            rtol=1e-4,
            atol=1e-4,
        )
