"""A task whose answers need more of the texts than their ids."""

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.export import export_saved_model
from keras_bert.tasks import QuestionAnswerer

_PAIRS = [
    ("who eats?", "The dög – eats."),
    ("", ""),
    ("what", "a cat"),
    ("sees a bird sees", "meat"),
    ("who eats?", "the dog sees a cat and the bird eats seeds . " * 30),
]


@pytest.fixture(
    scope="module",
    params=[
        None,
        pytest.param(-1e9, marks=pytest.mark.exhaustive),
        pytest.param(1e9, marks=pytest.mark.exhaustive),
    ],
)
def exported(request, bert, tmp_path_factory):
    """A task with a threshold, and the directory of its SavedModel."""
    task = QuestionAnswerer(bert, max_query_length=3)
    task.null_threshold = request.param
    directory = tmp_path_factory.mktemp("served")
    export_saved_model(task, directory)
    return task, directory / "1"


@pytest.fixture(scope="module")
def signatures(exported):
    return tf.saved_model.load(str(exported[1])).signatures


def _served(signatures, pairs):
    questions, contexts = zip(*pairs) if pairs else ([], [])
    return signatures["serving_default"](
        question=tf.constant(questions, tf.string),
        context=tf.constant(contexts, tf.string),
    )


def test_a_server_answers_as_python(exported, signatures):
    task, _ = exported
    outputs = _served(signatures, _PAIRS)
    assert sorted(outputs) == sorted(task.outputs)
    answers = task.predict(_PAIRS)
    np.testing.assert_allclose(
        outputs["score"], [answer["score"] for answer in answers], atol=1e-4
    )
    for index, ((_, context), answer) in enumerate(zip(_PAIRS, answers)):
        place = slice(outputs["start"][index], outputs["end"][index])
        served = outputs["answer"][index].numpy()
        assert context.encode()[place] == served == answer["answer"].encode()
    has_answer = [bool(answer["answer"]) for answer in answers]
    may_answer = task.null_threshold != -1e9
    assert has_answer == [may_answer, False, *[may_answer] * 3]


def test_no_questions_give_no_rows(signatures):
    for values in _served(signatures, []).values():
        assert values.shape == (0,)
