"""Distillation of every fine-tuned task."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from scipy.special import log_softmax

from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextRegressor
from keras_bert.tasks import TokenClassifier
from keras_bert.tasks import load_task
from keras_bert.tasks.inputs.question_rows import with_spans
from tests import tiny

pytestmark = [pytest.mark.large, pytest.mark.usefixtures("eager_steps")]

_TEXTS = ["the dog", "", "A Cat sees meat", "seeds and fish ." * 9]
_WORDS = [["The", "dogs", "eats"], ["a"], [], ["meat", "\u0301", "."] * 5]
_TAGS = [["a", "b", "a"], ["b"], [], ["a", "a", "b"] * 5]
_QUESTIONS = [("The dog", ["eats meat", "sees"]), ("a", ["fish", "bird"])]
_CONTEXT = "the dog eats meat and a bird eats seeds."
_SQUAD = tiny.squad(
    (_CONTEXT, {"1": ("eats", "meat")}),
    (_CONTEXT[:17], {"2": ("eats", "meat")}),
)
_STILL = {"learning_rate": 1e-12, "epochs": 1, "verbose": 0, "batch_size": 64}


def _soft_cross_entropy(teacher_logits, logits, temperature, axis=-1):
    teacher_logits, logits = (
        log_softmax(x.astype(float) / temperature, axis)
        for x in (teacher_logits, logits)
    )
    return -(temperature**2) * (np.exp(teacher_logits) * logits).sum(axis)


def _hard_cross_entropy(places, logits):
    rows = log_softmax(logits.astype(float), -1)
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
    sizes = {"seq_length": 8} if name == "words" else {}
    student = kind(berts[0], **arguments, **sizes)
    logits = [x._logits(x._labelled(*examples)) for x in (student, teacher)]
    hard, soft = expected(*logits, examples[1], 3.0)
    recipe = {"teacher": teacher, "temperature": 3.0, "label_share": 0.25}
    loss = _loss(student, *examples, **recipe)
    assert loss == pytest.approx(0.25 * hard + 0.75 * soft, rel=1e-4)


def test_windows_learn_what_the_teacher_says_of_their_text(berts):
    how = {"seq_length": 6, "windows": "mean"}
    student = TextClassifier(berts[0], **_AB, **how)
    teacher = TextClassifier(berts[1], **_AB)
    encoded = student._labelled(_TEXTS, _PLACES)
    logits = teacher._logits(teacher._labelled(_TEXTS, _PLACES))
    assert encoded.counts.max() > 2
    targets = student.inputs.distillation_targets(encoded, logits)
    expected = np.repeat(logits, encoded.counts, axis=0)
    np.testing.assert_array_equal(targets(np.arange(len(encoded))), expected)


def test_places_of_answers_are_learned_window_by_window(make_bert):
    keras.utils.set_random_seed(1)
    student, teacher = (QuestionAnswerer(make_bert()) for _ in range(2))
    encoded = with_spans(student._labelled(_SQUAD))
    assert len({*encoded.rows.lengths.tolist()}) > 1
    logits = [x._token_logits(encoded.rows) for x in (student, teacher)]
    rows = zip(encoded.targets, *logits, strict=True)
    losses = []
    for (start, end, _), own, teacher_logits in rows:
        losses.append(_hard_cross_entropy([start, end], own.T).mean())
        losses.append(_soft_cross_entropy(teacher_logits, own, 2.0, 0).mean())
    loss = _loss(student, _SQUAD, teacher=teacher)
    assert loss == pytest.approx(np.mean(losses), rel=1e-4)


@pytest.mark.smoke("TextClassifier")
@pytest.mark.parametrize("kind", [TextClassifier, TokenClassifier])
def test_labels_in_another_order_are_put_in_that_of_the_student(berts, kind):
    """Distill a model from itself: the loss is the entropy."""
    student = kind(berts[0], labels=["a", "b", "c"])
    teacher = kind(student.smaller(1).pretrained, labels=["c", "a", "b"])
    is_tagger = kind is TokenClassifier
    examples = (_WORDS, _TAGS) if is_tagger else (_TEXTS, [*"abca"])
    losses = [
        _loss(student, *examples, teacher=x, label_share=0.0)
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
        (others, r"`labels`.*\['a', 'c'\] of the teacher, labels=\['a', 'b'\]"),
        (several, "same `multi_label`.*=True of the teacher"),
        (pairs, "same `is_pair`.*=True of the teacher, is_pair=False"),
    ):
        with pytest.raises(ValueError, match=message):
            student.fit(_TEXTS, _PLACES, teacher=teacher, **_STILL)
    with pytest.raises(ValueError, match="lowercase=False of the teacher"):
        first, second = map(QuestionAnswerer, berts)
        first.fit(_SQUAD, teacher=second, **_STILL)


def test_a_smaller_task_is_saved_and_read(make_bert, tmp_path):
    bert = make_bert(num_hidden_layers=4)
    teacher = TextClassifier(bert, labels=["a", "b"], truncation="tail")
    teacher.main_metric = "f1"
    before = teacher.probabilities(_TEXTS)
    student = teacher.smaller(2)
    assert student.main_metric == "f1"
    assert student.settings == teacher.settings
    assert student.settings is not teacher.settings
    student.fit(_TEXTS, _PLACES, teacher=teacher, epochs=1, verbose=0)
    np.testing.assert_array_equal(teacher.probabilities(_TEXTS), before)
    student.save(tmp_path)
    assert load_task(tmp_path).pretrained.config.num_hidden_layers == 2


def test_a_teacher_reads_a_shuffled_dataset_in_the_same_order():
    teacher, student = (
        TextClassifier(tiny.make_bert(max_position_embeddings=16), ["a", "b"])
        for _ in range(2)
    )
    labels = [0, 1, 0, 1]
    data = tf.data.Dataset.from_tensor_slices((_TEXTS, labels)).repeat(2)
    data = data.shuffle(8, seed=1)
    orders = [[text for text, _ in data.as_numpy_iterator()] for _ in range(2)]
    assert orders[0] != orders[1]
    values = {"teacher": teacher, "label_share": 0.0}
    expected = _loss(student, _TEXTS, labels, **values)
    found = _loss(
        student, data.repeat(), steps_per_epoch=2, batch_size=8, **values
    )
    assert found == pytest.approx(expected, 1e-5)
