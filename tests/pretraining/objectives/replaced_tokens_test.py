"""A generator and a discriminator in one step, with and without sharing."""

import dataclasses
import types

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.optimizers import bert_adamw
from keras_bert.pretraining.job.loop import PretrainingLoop
from keras_bert.pretraining.objectives.objectives import OBJECTIVES
from keras_bert.pretraining.objectives.replaced_tokens import (
    replaced_token_terms,
)
from keras_bert.pretraining.objectives.terms import mean_metrics
from tests import tiny

_CONFIGS = {
    "electra": tiny.config("electra", E=6),
    "electra_gdes": tiny.config("deberta-v2", L=4),
}
_TABLES = 5  # Words, positions, segments; gain and offset of the layer norm.
_TABLE = "embeddings/word_embeddings"


def trainable_models(name, generator=None, config=None, **changes):
    values = {"generator_size": 0.5, "init_checkpoint": None}
    values |= {"random_seed": 1, "do_lower_case": None, **changes}
    discriminator = tiny.pretrained(
        config or _CONFIGS[name], ["replaced_token_head"]
    )
    recipe = types.SimpleNamespace(**values)
    read = lambda *_, **__: generator  # noqa: E731
    return OBJECTIVES[name].trainable_models(discriminator, recipe, read)


@pytest.fixture(params=_CONFIGS, ids=["shared", "one_way"])
def name(request):
    return request.param


@pytest.fixture
def trainable(name):
    keras.utils.set_random_seed(1)
    return trainable_models(name)


@pytest.fixture
def batches(name, random_batch):
    batch = random_batch(0)
    batch[0]["masked_lm_positions"][:] = [1, 3, 4]
    data = tf.data.Dataset.from_tensors(batch).repeat()
    return OBJECTIVES[name].view(data)


def pulled(name, trainable, batch, factors):
    """Return the variables with a gradient for these factors of the terms."""
    inputs, labels, weights = batch
    inputs = {key: inputs[key] for key in trainable.model.input}
    with tf.GradientTape() as tape:
        outputs = trainable.model(inputs, training=True)
        loss = sum(
            factor * term.sums(outputs, labels, weights)["loss"]
            for term, factor in zip(OBJECTIVES[name].terms(), factors)
        )
    variables = trainable.model.trainable_variables
    gradients = tape.gradient(loss, variables)
    return {
        id(variable)
        for variable, x in zip(variables, gradients, strict=True)
        if x is not None and np.any(tf.convert_to_tensor(x))
    }


def ids_of(model):
    return {id(weight) for weight in model.weights.values()}


def test_each_weight_is_there_once_and_the_tables_are_shared(name, trainable):
    generator, discriminator = trainable.kept["generator"], trainable.kept[""]
    own, other = ids_of(generator), ids_of(discriminator)
    is_shared = name == "electra"
    assert len(own & other) == _TABLES * is_shared
    all_weights = [id(x) for x in trainable.model.weights]
    assert len(all_weights) == len({*all_weights})
    assert {*all_weights} == own | other
    # The output directory is written last, as the sign of a finished run.
    assert [*trainable.kept] == ["generator", ""]
    names = [x for x in trainable.weight_names if x]
    assert {*names} == {*discriminator.weights}
    # The sum of two tables is stored as one.
    assert names.count(_TABLE) == (0 if is_shared else 2)
    assert len(names) == len(discriminator.weights) + (not is_shared)
    assert generator.parts == {"masked_lm_head"}
    sizes = generator.config.num_hidden_layers, generator.config.hidden_size
    assert sizes == ((2, 4) if is_shared else (2, 8))


def test_the_labels_are_where_a_token_is_another(trainable, batches):
    inputs, labels, _ = next(iter(batches))
    inputs = {key: inputs[key] for key in trainable.model.input}
    seen = {}

    def look(*arguments, **options):
        seen["ids"], seen["is_replaced"] = draw(*arguments, **options)
        return seen["ids"], seen["is_replaced"]

    layer = trainable.model.get_layer("replacement")
    draw, layer.call = layer.call, look
    outputs = trainable.model(inputs, training=True)
    original = inputs["input_ids"].numpy()
    rows = np.arange(len(original))[:, None]
    original[rows, inputs["masked_lm_positions"]] = labels["mlm_logits"]
    np.testing.assert_array_equal(
        outputs["is_replaced"], seen["ids"].numpy() != original
    )
    assert np.any(outputs["is_replaced"])


def test_each_model_learns_from_its_own_term(name, trainable, batches):
    batch = next(iter(batches))
    own, other = (ids_of(model) for model in trainable.kept.values())
    assert pulled(name, trainable, batch, (1.0, 0.0)) == own
    assert pulled(name, trainable, batch, (0.0, 1.0)) == other


def test_the_loss_is_the_mean_over_all_tokens():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(3, 6)).astype("float32")
    is_replaced = rng.integers(0, 2, (3, 6))
    tokens = np.arange(6) < [[6], [4], [0]]
    _, term = replaced_token_terms()
    outputs = {"replaced_token_logits": logits, "is_replaced": is_replaced}
    weights = {"tokens": tokens.astype("float32")}
    sums = term.sums(outputs, {}, weights)
    signs = np.where(is_replaced, 1, -1)
    losses = np.log1p(np.exp(-signs * logits.astype("float64")))[tokens]
    assert float(sums["loss"]) == pytest.approx(losses.sum(), rel=1e-5)
    assert float(sums["weight"]) == term.total_weight(weights) == 10
    right = ((logits > 0) == (is_replaced > 0))[tokens].sum()
    assert float(sums["accuracy"]) == right
    assert float(sums["share"]) == is_replaced[tokens].sum()
    assert term.factor == 50.0


@pytest.mark.smoke("shared")
def test_both_learn_in_one_step_and_are_kept(name, trainable, batches):
    discriminator = trainable.kept[""]
    loop = PretrainingLoop(
        trainable, bert_adamw(trainable.model, 0.01), objective=OBJECTIVES[name]
    )
    iterator = iter(batches)
    points = [
        mean_metrics(loop.train(iterator, tf.constant(1))) for _ in range(20)
    ]
    for point in points:
        loss = point["mlm_loss"] + 50 * point["replaced_token_loss"]
        assert point["loss"] == pytest.approx(loss, rel=1e-5)
        assert 0 < point["replaced_token_share"] < 1
    for key in ("mlm_loss", "replaced_token_loss"):
        assert points[-1][key] < points[0][key]
    assert loop.evaluate(batches.take(2)) == loop.evaluate(batches.take(2))
    ids = np.array([[2, 7, 9, 5]], "int32")
    inputs = {"input_ids": ids, "input_mask": np.ones_like(ids)}
    inputs["segment_ids"] = np.zeros_like(ids)
    read = trainable.model.get_layer("discriminator")
    learned = read({key: inputs[key] for key in read.input})
    trainable.finish()
    found = discriminator.model(tiny.inputs_of(discriminator.model, inputs))
    np.testing.assert_allclose(
        found["replaced_token_logits"],
        learned["replaced_token_logits"],
        atol=1e-5,
    )


def test_a_discriminator_begins_with_its_generators_table():
    trainable = trainable_models("electra_gdes")
    generator, discriminator = trainable.kept["generator"], trainable.kept[""]
    assert generator.config.enhanced_mask_decoder
    assert np.all(np.asarray(discriminator.weights[_TABLE]) == 0)
    embeddings = trainable.model.get_layer("discriminator").get_layer(
        "disentangled_embeddings"
    )
    ids = np.array([[2, 7, 9]], "int32")
    np.testing.assert_allclose(
        embeddings(ids), generator.backbone.embeddings(ids), atol=1e-6
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"embedding_size": 4}, "'E': 4.* in there/generator.*'E': 6"),
        ({"hidden_size": 10}, "not be wider. .*'H': 10.*'H': 8"),
    ],
)
def test_a_generator_that_does_not_fit_is_an_error(changes, message):
    config = dataclasses.replace(_CONFIGS["electra"], **changes)
    generator = tiny.pretrained(config, ["masked_lm_head"])
    with pytest.raises(ValueError, match=message):
        trainable_models("electra", generator, init_checkpoint="there")


def test_a_discriminator_has_no_mask_decoder():
    config = tiny.config("deberta-v2", enhanced_mask_decoder=True)
    with pytest.raises(ValueError, match="enhanced_mask_decoder=True"):
        trainable_models("electra_gdes", config=config)
