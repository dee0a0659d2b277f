"""Distillation: terms compared with torch, students from layers, a run."""

import dataclasses
import pathlib
import re
import types

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.models.families.distilbert.model import DistilBertConfig
from keras_bert.pretraining.objectives.distillation import copy_layers
from keras_bert.pretraining.objectives.distillation import distillation_models
from keras_bert.pretraining.objectives.distillation import distillation_terms
from tests import tiny

_GOLDEN = pathlib.Path(__file__).parents[2] / "golden" / "distillation.npz"
_WORDS = [f"other{number}" for number in range(25)]
_CONFIG = tiny.config("bert", L=12)


@pytest.fixture(scope="module")
def teacher():
    """Return a teacher with large weights."""
    keras.utils.set_random_seed(1)
    return tiny.widened(tiny.pretrained(_CONFIG))


def student_of(config, depth=6):
    config = dataclasses.replace(config, num_hidden_layers=depth)
    return tiny.pretrained(config, ["masked_lm_head"])


def trainable_models(student, teacher, **changes):
    values = {"teacher_dir": "there", "do_lower_case": None}
    values |= {"max_seq_length": 16, "init_checkpoint": None, **changes}
    recipe = types.SimpleNamespace(**values)
    return distillation_models(student, recipe, lambda *_, **__: teacher)


def test_the_terms_are_those_of_torch():
    golden = np.load(_GOLDEN)
    outputs = {
        "token_logits": tf.constant(golden["student_logits"]),
        "sequence_output": tf.constant(golden["student_states"]),
    }
    labels = {
        "token_logits": golden["teacher_logits"],
        "sequence_output": golden["teacher_states"],
    }
    weights = {"tokens": golden["mask"].astype("float32")}
    expected = {
        "teacher": ("divergence", "logits_gradient", 5.0),
        "cosine": ("cosine", "states_gradient", 1.0),
    }
    for term in distillation_terms():
        if term.name not in expected:
            assert (term.name, term.factor) == ("mlm", 2.0)
            continue
        loss, gradient, factor = expected.pop(term.name)
        assert term.factor == factor
        (output,) = term.outputs
        with tf.GradientTape() as tape:
            tape.watch(outputs[output])
            sums = term.sums(outputs, labels, weights)
            mean = sums["loss"] / term.total_weight(weights)
        assert float(sums["weight"]) == golden["mask"].sum()
        assert float(mean) == pytest.approx(float(golden[loss]), rel=1e-5)
        np.testing.assert_allclose(
            tape.gradient(mean, outputs[output]), golden[gradient], atol=1e-6
        )
    assert not expected


@pytest.mark.parametrize(
    ("student", "taken"),
    [
        (_CONFIG, [0, 2, 4, 7, 9, 11]),
        (_CONFIG, [0, 6, 11]),  # Python rounds 5.5 to the even number.
        (DistilBertConfig(30, 8, 6, 2, 16, "gelu_erf"), [0, 2, 4, 7, 9, 11]),
    ],
)
def test_a_student_begins_as_layers_of_its_teacher(teacher, student, taken):
    key = student.size_keys["L"]
    config = dataclasses.replace(student, **{key: len(taken)})
    student = tiny.pretrained(config, ["masked_lm_head"])
    copy_layers(student, teacher)
    for path, weight in student.weights.items():
        if weight.shape != teacher.weights[path].shape:
            # It is longer, so it is initialized randomly.
            assert path == "embeddings/position_embeddings"
            continue
        number = re.match(r"block_(\d+)/", path)
        if number:
            block = f"block_{taken[int(number[1])]}/"
            path = path.replace(number[0], block)
        np.testing.assert_array_equal(weight, teacher.weights[path])


@pytest.mark.parametrize(
    ("changes", "words", "message"),
    [
        ({}, _WORDS, "the same vocabulary as the student"),
        ({"vocab_size": 32}, None, "number of rows .*: 30 .*, 32 in there"),
        ({"hidden_size": 4}, None, "width .*: 8 of the student, 4 in there"),
        ({"is_decoder": True}, None, "direction .*, left to right in"),
        ({"max_position_embeddings": 8}, None, "from 1 to 8.*=16"),
    ],
)
def test_another_kind_of_teacher_is_an_error(changes, words, message):
    config = dataclasses.replace(_CONFIG, num_hidden_layers=1)
    teacher = tiny.pretrained(
        dataclasses.replace(config, **changes), words=words
    )
    student = student_of(_CONFIG, 1)
    with pytest.raises(ValueError, match=message):
        trainable_models(student, teacher)
    with pytest.raises(ValueError, match="has no masked_lm_head"):
        trainable_models(student, teacher.with_parts(["pooler"]))


def test_what_goes_on_keeps_its_weights(teacher):
    student = student_of(_CONFIG, 1)
    before = [x.numpy() for x in student.weights.values()]
    trainable_models(student, teacher, init_checkpoint="student")
    for old, new in zip(before, student.weights.values(), strict=True):
        np.testing.assert_array_equal(old, new)


def test_a_teacher_is_no_part_of_what_learns(teacher, random_batch):
    student = student_of(_CONFIG, 1)
    trainable = trainable_models(student, teacher)
    assert {id(x) for x in trainable.model.weights} <= {
        id(x) for x in student.weights.values()
    }
    assert trainable.weight_names == [x.path for x in trainable.model.weights]
    inputs, *_ = random_batch(0)
    said = trainable.targets(inputs)
    known = {name: inputs[name] for name in teacher.backbone.inputs}
    expected = teacher.encoder(known, training=False)["sequence_output"]
    np.testing.assert_allclose(said["sequence_output"], expected, atol=1e-5)
    outputs = trainable.model(inputs, training=False)
    rows = np.arange(len(inputs["input_ids"]))[:, None]
    for found, logits in (
        (said, teacher.pretrainer(inputs, training=False)["mlm_logits"]),
        (outputs, outputs["mlm_logits"]),
    ):
        found = found["token_logits"].numpy()
        found = found[rows, inputs["masked_lm_positions"]]
        np.testing.assert_allclose(found, logits, atol=1e-4)
