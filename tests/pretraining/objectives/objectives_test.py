"""Every objective is the same in the loop and in `model.fit`."""

import dataclasses
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert import models
from keras_bert.models import bert_pretrainer
from keras_bert.optimizers import bert_adamw
from keras_bert.optimizers.schedules import LinearWarmupDecay
from keras_bert.pretraining import LabelTerm
from keras_bert.pretraining import losses as pretraining_losses
from keras_bert.pretraining import metrics as pretraining_metrics
from keras_bert.pretraining.objectives.learner import Learner
from keras_bert.pretraining.objectives.objectives import OBJECTIVES
from keras_bert.pretraining.objectives.objectives import objective_named
from keras_bert.pretraining.objectives.terms import mean_metrics
from keras_bert.pretraining.run.loop import PretrainingLoop
from tests import tiny

_NUM_STEPS = 5
# The others have their own learners.
_OF_FIT = [
    name
    for name, objective in OBJECTIVES.items()
    if objective.learner is OBJECTIVES["mlm"].learner
]


def make_model(config, objective):
    """Return a model for an objective, always with the same weights."""
    keras.config.set_dtype_policy("float32")
    keras.utils.set_random_seed(1)
    if "sop_head" in objective.parts:
        model = models.pretrainer(tiny.config("albert", V=config.vocab_size))
    else:
        model = bert_pretrainer(
            dataclasses.replace(config, is_decoder=objective.is_decoder)
        )
    outputs = {x.output: model.output[x.output] for x in objective.terms()}
    return keras.Model(model.input, outputs)


def make_optimizer(model):
    schedule = LinearWarmupDecay(0.01, num_train_steps=10, num_warmup_steps=2)
    return bert_adamw(model, schedule)


def make_loop(config, objective):
    model = make_model(config, objective)
    return PretrainingLoop(
        Learner(model), make_optimizer(model), objective=objective
    )


def make_data(random_batch, objective, num_steps=_NUM_STEPS):
    batches = [random_batch(seed) for seed in range(num_steps)]
    for inputs, *_ in batches:  # In records they are distinct.
        inputs["masked_lm_positions"][:] = [1, 3, 4]
    stacked = tf.nest.map_structure(lambda *x: np.stack(x), *batches)
    return objective.view(tf.data.Dataset.from_tensor_slices(stacked))


def train(loop, data):
    """Train and return the metrics of each step."""
    iterator = iter(data)
    steps = range(int(data.cardinality()))
    return [mean_metrics(loop.train(iterator, tf.constant(1))) for _ in steps]


@pytest.mark.smoke("mlm_nsp")
@pytest.mark.parametrize("name", _OF_FIT)
def test_loop_and_fit_give_the_same_losses(name, tiny_config, random_batch):
    objective = OBJECTIVES[name]
    data = make_data(random_batch, objective)
    loop = make_loop(tiny_config, objective)
    model = make_model(tiny_config, objective)
    model.compile(
        make_optimizer(model),
        pretraining_losses(name),
        weighted_metrics=pretraining_metrics(name),
        run_eagerly=True,
    )
    # One step per epoch, because Keras returns the running mean of an epoch.
    history = model.fit(
        data, epochs=_NUM_STEPS, steps_per_epoch=1, shuffle=False, verbose=0
    ).history
    curve = train(loop, data)
    losses = [step["loss"] for step in curve]
    np.testing.assert_allclose(losses, history["loss"], rtol=1e-5)
    assert len({*losses}) == _NUM_STEPS
    terms = objective.terms()
    for term in terms:
        # For one output, Keras returns only the total.
        mean = f"{term.output}_loss" if len(terms) > 1 else "loss"
        right = f"{term.name}_accuracy"
        if len(terms) > 1:
            right = f"{term.output}_{right}"
        for kind, theirs in (("loss", mean), ("accuracy", right)):
            ours = [step[f"{term.name}_{kind}"] for step in curve]
            np.testing.assert_allclose(ours, history[theirs], rtol=1e-5)
    for weight, other in zip(loop.model.weights, model.weights, strict=True):
        np.testing.assert_allclose(
            weight.numpy(), other.numpy(), atol=1e-5, err_msg=weight.path
        )


@dataclasses.dataclass(frozen=True)
class TeacherTerm(LabelTerm):
    """A term of another kind: the distance from a teacher's output."""

    name = "teacher"

    def sums(self, outputs, labels, weights):
        distance = keras.ops.square(outputs[self.output] - labels["teacher"])
        weights = weights[self.output]
        distance = keras.ops.sum(keras.ops.mean(distance, -1) * weights)
        return {"loss": distance, "weight": keras.ops.sum(weights)}


def _distilled(batches):
    def add_teacher(inputs, labels, weights):
        teacher = tf.one_hot(labels["mlm_logits"], 30)
        return inputs, {**labels, "teacher": teacher}, weights

    return batches.map(add_teacher)


def test_a_new_objective_is_its_description(tiny_config, random_batch):
    vocab_size = tiny_config.vocab_size
    assert vocab_size == 30
    objective = dataclasses.replace(
        OBJECTIVES["mlm_nsp"],
        name="distillation",
        view=_distilled,
        terms=lambda: [
            LabelTerm("mlm_logits", factor=0.5),
            LabelTerm("nsp_logits", factor=2.0),
            TeacherTerm("mlm_logits", factor=3.0),
        ],
    )
    data = make_data(random_batch, objective)
    loop = make_loop(tiny_config, objective)
    first, *_, last = train(loop, data.take(1).repeat(40).take(40))
    for step in (first, last):
        expected = (
            0.5 * step["mlm_loss"]
            + 2 * step["nsp_loss"]
            + 3 * step["teacher_loss"]
        )
        assert step["loss"] == pytest.approx(expected, rel=1e-5)
    assert "teacher_accuracy" not in first
    assert last["teacher_loss"] < first["teacher_loss"]
    assert last["loss"] < first["loss"] - 0.3


def test_a_factor_counts_in_fit(random_batch):
    _, labels, weights = random_batch(0)
    logits = np.random.default_rng(1).normal(
        size=(*weights["mlm_logits"].shape, 30)
    )
    whole, half = (
        LabelTerm("mlm_logits", factor).keras_loss()(
            labels["mlm_logits"], logits, weights["mlm_logits"]
        )
        for factor in (1.0, 0.5)
    )
    assert float(half) == pytest.approx(float(whole) / 2)
    config = LabelTerm("mlm_logits", 0.5).keras_loss().get_config()
    assert config["factor"] == 0.5


@pytest.mark.parametrize("name", ["mlm_nsp", "mlm_sop", "mlm", "left_to_right"])
def test_batches_have_the_labels_of_the_terms(name, random_batch):
    objective = OBJECTIVES[name]
    inputs, labels, weights = make_data(random_batch, objective).element_spec
    shape = inputs["masked_lm_positions"].shape
    assert labels["mlm_logits"].shape == weights["mlm_logits"].shape == shape
    outputs = {term.output for term in objective.terms()}
    assert {*labels} == {*weights} == outputs


def test_a_model_without_the_outputs_is_an_error(tiny_config):
    model = make_model(tiny_config, OBJECTIVES["mlm"])
    with pytest.raises(
        ValueError,
        match="objective=mlm_nsp, which needs mlm_logits, nsp_logits; model "
        "outputs mlm_logits.$",
    ):
        PretrainingLoop(Learner(model), make_optimizer(model))


def test_an_unknown_objective_is_an_error():
    with pytest.raises(
        ValueError,
        match="one of mlm_nsp, mlm_sop, mlm, mlm_sbo, plm, left_to_right, "
        "distillation, electra, electra_gdes. .*='nsp'",
    ):
        objective_named("nsp")


def test_an_objective_that_fit_cannot_train_is_an_error():
    with pytest.raises(ValueError, match="left_to_right .*='distillation'"):
        pretraining_losses("distillation")


def test_objectives_are_known_without_keras():
    program = (
        "import sys; from keras_bert.pretraining.objectives import objectives; "
        "assert not {'keras', 'tensorflow', 'numpy'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
