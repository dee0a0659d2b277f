"""Distillation of every fine-tuned task."""

import keras
import numpy as np
import pytest

from keras_bert.tasks import FeatureTokenClassifier
from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextEmbedder
from keras_bert.tasks import TextRegressor
from keras_bert.tasks import TokenClassifier
from keras_bert.tasks import load_task
from keras_bert.tasks.answers.question_rows import with_spans
from tests import tiny

pytestmark = pytest.mark.large

_TEXTS = ["the dog", "", "A Cat sees meat", "seeds and fish ." * 9]
_PAIRS = [(text, "a bird") for text in _TEXTS]
_WORDS = [["The", "dogs", "eats"], ["a"], [], ["meat", "\u0301", "."] * 5]
_TAGS = [["a", "b", "a"], ["b"], [], ["a", "a", "b"] * 5]
_QUESTIONS = [("The dog", ["eats meat", "sees"]), ("a", ["fish", "bird"])]
_CONTEXT = "the dog eats meat and a bird eats seeds."
_SQUAD = tiny.squad(
    (_CONTEXT, {"1": ("eats", "meat")}),
    (_CONTEXT[:17], {"2": ("eats", "meat")}),
)
_STILL = {"learning_rate": 1e-12, "epochs": 1, "verbose": 0, "batch_size": 64}


def _log_softmax(logits, axis=-1):
    return logits - np.log(np.exp(logits).sum(axis=axis, keepdims=True))


def _soft_cross_entropy(teacher_logits, logits, temperature, axis=-1):
    teacher_logits, logits = (
        _log_softmax(x.astype(float) / temperature, axis)
        for x in (teacher_logits, logits)
    )
    return -(temperature**2) * (np.exp(teacher_logits) * logits).sum(axis)


def _hard_cross_entropy(places, logits):
    rows = _log_softmax(logits.astype(float))
    return -rows[np.arange(len(rows)), places]


def _loss(student, *examples, teacher, **recipe):
    """Return the loss of a step with learning rate 0."""
    recipe = {**_STILL, **recipe}
    history = student.fit(*examples, teacher=teacher, **recipe).history
    return history["loss"][0]


def _of_classes(own, teacher_logits, labels, temperature):
    hard = _hard_cross_entropy(labels, own).mean()
    return hard, _soft_cross_entropy(teacher_logits, own, temperature).mean()


def _of_several_labels(own, teacher_logits, labels, temperature):
    def loss(targets, logits):
        return (np.log1p(np.exp(logits)) - targets * logits).mean()

    marks = np.array([[x in row for x in "ab"] for row in labels])
    targets = 1 / (1 + np.exp(-teacher_logits / temperature))
    soft = temperature**2 * loss(targets, own / temperature)
    return loss(marks, own), soft


def _of_numbers(own, teacher_logits, labels, temperature):
    soft = ((own - teacher_logits) ** 2).mean()
    return ((own[:, 0] - labels) ** 2).mean(), soft


def _of_words(own, teacher_logits, labels, temperature):
    """Return the words that the student reads; the tokenizers drop others."""
    own, teacher_logits = np.concatenate(own), np.concatenate(teacher_logits)
    places = np.array([tag == "b" for row in labels for tag in row]).astype(int)
    is_seen = np.isfinite(own).all(1)
    assert 0 < is_seen.sum() < len(own)
    rows = own[is_seen], teacher_logits[is_seen], places[is_seen]
    return _of_classes(*rows, temperature)


_AB, _SEVERAL = {"labels": ["a", "b"]}, [["a"], [], ["a", "b"], ["b"]]
_PLACES, _NUMBERS = [0, 1, 1, 0], [1.0, -1.0, 0.5, 2.0]
_KINDS = {
    "texts": (TextClassifier, _AB, _TEXTS, _PLACES, _of_classes),
    "pairs": (TextClassifier, _AB, _PAIRS, _PLACES, _of_classes),
    "several": (
        TextClassifier,
        {**_AB, "multi_label": True},
        *(_TEXTS, _SEVERAL, _of_several_labels),
    ),
    "numbers": (TextRegressor, {}, _TEXTS, _NUMBERS, _of_numbers),
    "words": (TokenClassifier, _AB, _WORDS, _TAGS, _of_words),
    "choices": (MultipleChoice, {}, _QUESTIONS, [0, 1], _of_classes),
}


@pytest.mark.smoke("texts", "several", "words")
@pytest.mark.parametrize("name", _KINDS)
def test_labels_and_teacher_share_the_loss(berts, name):
    kind, arguments, *examples, expected = _KINDS[name]
    teacher = kind(berts[1], **arguments)
    if name == "words":
        arguments = {**arguments, "seq_length": 8}
    student = kind(berts[0], **arguments)
    logits = [x._logits(x._labelled(*examples)) for x in (student, teacher)]
    hard, soft = expected(*logits, examples[1], 3.0)
    recipe = {"teacher": teacher, "temperature": 3.0, "label_share": 0.25}
    loss = _loss(student, *examples, **recipe)
    assert loss == pytest.approx(0.25 * hard + 0.75 * soft, rel=1e-4)


def test_windows_learn_what_the_teacher_says_of_their_text(berts):
    student = TextClassifier(
        berts[0], labels=["a", "b"], seq_length=6, windows="mean"
    )
    teacher = TextClassifier(berts[1], labels=["a", "b"])
    encoded = student._labelled(_TEXTS, [0, 1, 0, 1])
    teacher_logits = teacher._logits(teacher._labelled(_TEXTS, [0, 1, 0, 1]))
    assert encoded.counts.max() > 2
    encoded.extra_targets["taught"] = student.reader.distillation_targets(
        encoded, teacher_logits
    )
    found = encoded.batch(np.arange(len(encoded)))
    np.testing.assert_array_equal(
        found[1]["taught"], np.repeat(teacher_logits, encoded.counts, axis=0)
    )
    np.testing.assert_array_equal(found[2]["taught"], found[2]["logits"])


def test_places_of_answers_are_learned_window_by_window(make_bert):
    keras.utils.set_random_seed(1)
    student, teacher = (QuestionAnswerer(make_bert()) for _ in range(2))
    encoded = with_spans(student._labelled(_SQUAD))
    assert len({*encoded.rows.lengths.tolist()}) > 1
    rows = zip(
        encoded.targets,
        student._token_logits(encoded.rows),
        teacher._token_logits(encoded.rows),
        strict=True,
    )
    hard, soft = [], []
    for (start, end, _), own, teacher_logits in rows:
        hard.append(_hard_cross_entropy([start, end], own.T).mean())
        soft.append(_soft_cross_entropy(teacher_logits, own, 2.0, 0).mean())
    loss = _loss(student, _SQUAD, teacher=teacher)
    expected = (np.mean(hard) + np.mean(soft)) / 2
    assert loss == pytest.approx(expected, rel=1e-4)


@pytest.mark.exhaustive
def test_a_frozen_encoder_can_have_a_teacher(berts):
    student = FeatureTokenClassifier(berts[0], labels=["a", "b"], lstm_size=4)
    teacher = TokenClassifier(berts[1], labels=["a", "b"])
    recipe = {"teacher": teacher, "epochs": 2, "verbose": 0}
    history = student.fit(_WORDS, _TAGS, **recipe).history
    assert np.isfinite(history["loss"]).all()
    with pytest.raises(
        ValueError, match="cannot be made smaller.*num_layers=1"
    ):
        student.smaller(1)


@pytest.mark.smoke("TextClassifier")
@pytest.mark.parametrize("kind", [TextClassifier, TokenClassifier])
def test_labels_in_another_order_are_put_in_that_of_the_student(berts, kind):
    """Distill a model from itself: the loss is the entropy."""
    student = kind(berts[0], labels=["a", "b", "c"])
    teacher = kind(student.smaller(1).pretrained, labels=["c", "a", "b"])
    texts = _TEXTS if kind is TextClassifier else _WORDS
    labels = ["a", "b", "c", "a"] if kind is TextClassifier else _TAGS
    losses = [
        _loss(student, texts, labels, teacher=x, label_share=0.0)
        for x in (student, teacher)
    ]
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


def test_teachers_that_do_not_fit_are_refused(berts):
    student = TextClassifier(berts[0], labels=["a", "b"])
    pairs = TextClassifier(berts[1], labels=["a", "b"])
    pairs.settings["is_pair"] = True
    others = TextClassifier(berts[1], labels=["a", "c"])
    several = TextClassifier(berts[1], labels=["a", "b"], multi_label=True)
    for teacher, message in (
        ("runs/teacher", "trained TextClassifier.*Received: str"),
        (TextRegressor(berts[1]), "Received: TextRegressor"),
        (TextEmbedder(berts[1]), "Received: TextEmbedder"),
        (
            others,
            r"same `labels`.*\['a', 'c'\] of the teacher, labels=\['a', 'b'\]",
        ),
        (several, "same `multi_label`.*=True of the teacher"),
        (pairs, "same `is_pair`.*=True of the teacher, is_pair=False"),
    ):
        with pytest.raises(ValueError, match=message):
            student.fit(_TEXTS, [0, 1, 0, 1], teacher=teacher, **_STILL)
    with pytest.raises(ValueError, match="lowercase=False of the teacher"):
        first, second = map(QuestionAnswerer, berts)
        first.fit(_SQUAD, teacher=second, **_STILL)
    with pytest.raises(TypeError, match="Embedder.fit` has no .*`teacher`"):
        TextEmbedder(berts[0]).fit(_PAIRS, teacher=student)


@pytest.mark.exhaustive
def test_a_smaller_task_is_saved_and_read(make_bert, tmp_path):
    teacher = TextClassifier(
        make_bert(num_hidden_layers=4), labels=["a", "b"], truncation="tail"
    )
    teacher.main_metric = "f1"
    teacher.fit(_TEXTS, [0, 1, 0, 1], epochs=1, verbose=0)
    before = teacher.probabilities(_TEXTS)
    student = teacher.smaller(2)
    assert student.main_metric == "f1"
    assert student.settings == teacher.settings
    assert student.settings is not teacher.settings
    student.fit(_TEXTS, [0, 1, 0, 1], teacher=teacher, epochs=1, verbose=0)
    np.testing.assert_array_equal(teacher.probabilities(_TEXTS), before)
    student.save(tmp_path / "student")
    loaded = load_task(tmp_path / "student")
    assert loaded.pretrained.config.num_hidden_layers == 2
    np.testing.assert_allclose(
        loaded.probabilities(_TEXTS), student.probabilities(_TEXTS), atol=1e-6
    )
    assert loaded.settings == student.settings
