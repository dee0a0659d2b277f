"""Every objective is the same in the loop and in `model.fit`."""

import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert import models
from keras_bert.models import bert_pretrainer
from keras_bert.optimizers import bert_adamw
from keras_bert.pretraining import LabelTerm
from keras_bert.pretraining import losses as pretraining_losses
from keras_bert.pretraining import metrics as pretraining_metrics
from keras_bert.pretraining.job.loop import PretrainingLoop
from keras_bert.pretraining.objectives.objectives import OBJECTIVES
from keras_bert.pretraining.objectives.terms import mean_metrics
from keras_bert.pretraining.objectives.trainable_models import TrainableModels
from tests import tiny
from tests.pretraining.job.loop_test import RATES
from tests.processes import run_python

_NUM_STEPS = 5
# The others train other models.
_OF_FIT = [
    name
    for name, objective in OBJECTIVES.items()
    if objective.trainable_models is OBJECTIVES["mlm"].trainable_models
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
    ours, model = (make_model(tiny_config, objective) for _ in range(2))
    loop = PretrainingLoop(
        TrainableModels(ours), bert_adamw(ours, RATES), objective=objective
    )
    model.compile(
        bert_adamw(model, RATES),
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
    _, labels, weights = data.element_spec
    assert {*labels} == {*weights} == {term.output for term in terms}
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


def test_objectives_are_known_without_keras():
    program = (
        "import sys; from keras_bert.pretraining.objectives import objectives; "
        "assert not {'keras', 'tensorflow', 'numpy'} & {*sys.modules}"
    )
    run_python("-c", program)


def test_an_objective_that_does_not_fit_is_an_error(tiny_config):
    model = make_model(tiny_config, OBJECTIVES["mlm"])
    with pytest.raises(
        ValueError,
        match="objective=mlm_nsp, which needs mlm_logits, nsp_logits; model "
        "outputs mlm_logits.$",
    ):
        PretrainingLoop(TrainableModels(model), bert_adamw(model, RATES))
    with pytest.raises(ValueError, match="one of mlm_nsp, mlm_sop, .*='nsp'"):
        pretraining_losses("nsp")
    with pytest.raises(ValueError, match="left_to_right .*='distillation'"):
        pretraining_losses("distillation")
