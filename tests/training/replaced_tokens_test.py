"""ELECTRA's generator and discriminator in one step."""

import types

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.checkpoints import PretrainedModel
from keras_bert.models.electra import ElectraConfig
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
from keras_bert.training import bert_adamw
from keras_bert.training.flops import training_flops
from keras_bert.training.loop import PretrainingLoop
from keras_bert.training.objectives import OBJECTIVES
from keras_bert.training.replaced_tokens import replaced_token_learner
from keras_bert.training.replaced_tokens import replaced_token_terms
from keras_bert.training.terms import mean_metrics

_CONFIG = ElectraConfig(
    vocab_size=30,
    embedding_size=6,
    hidden_size=8,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=16,
    max_position_embeddings=16,
)
_TABLES = 5  # Words, positions, segments; gain and offset of their norm.


def discriminator_of(config=_CONFIG):
    words = [f"word{number}" for number in range(25)]
    tokenizer = BertTokenizer(Vocabulary([*SPECIAL_TOKENS, *words]))
    return PretrainedModel.from_config(
        config, tokenizer, ["replaced_token_head"]
    )


def learner_of(discriminator, generator=None, **changes):
    values = {"generator_size": 0.5, "init_checkpoint": None}
    values |= {"random_seed": 1, "do_lower_case": None, **changes}
    recipe = types.SimpleNamespace(**values)
    return replaced_token_learner(
        discriminator, recipe, lambda *_, **__: generator
    )


@pytest.fixture
def learner():
    keras.utils.set_random_seed(1)
    return learner_of(discriminator_of())


@pytest.fixture
def batch(random_batch):
    (batch,) = OBJECTIVES["electra"].view(
        tf.data.Dataset.from_tensors(_apart(random_batch(0)))
    )
    return batch


def _apart(batch):
    batch[0]["masked_lm_positions"][:] = [1, 3, 4]
    return batch


def _watched(learner, batch, factors):
    """Gradients, by variable, of the terms times some factors."""
    inputs, labels, weights = batch
    inputs = {name: inputs[name] for name in learner.model.input}
    with tf.GradientTape() as tape:
        outputs = learner.model(inputs, training=True)
        loss = sum(
            factor * term.sums(outputs, labels, weights)["loss"]
            for term, factor in zip(
                OBJECTIVES["electra"].terms(), factors, strict=True
            )
        )
    variables = learner.model.trainable_variables
    return {
        id(variable): gradient is not None
        and bool(np.any(tf.convert_to_tensor(gradient) != 0))
        for variable, gradient in zip(
            variables, tape.gradient(loss, variables), strict=True
        )
    }


def test_the_tables_and_their_norm_are_there_once(learner):
    generator, discriminator = learner.kept["generator"], learner.kept[""]
    of_generator = {id(x) for x in generator.weights.values()}
    of_discriminator = {id(x) for x in discriminator.weights.values()}
    assert len(of_generator & of_discriminator) == _TABLES
    all_weights = [id(x) for x in learner.model.weights]
    assert len(all_weights) == len({*all_weights})
    assert {*all_weights} == of_generator | of_discriminator
    assert [*learner.kept] == ["generator", ""]  # The latter is the last sign.
    names = [name for name in learner.weight_names if name]
    assert {*names} == {*discriminator.weights}
    assert len(names) == len(discriminator.weights)
    config = generator.config
    assert (config.hidden_size, config.embedding_size) == (4, 6)
    assert generator.parts == {"masked_lm_head"}


def test_operations_are_those_of_both(learner):
    assert learner.flops(16, 3) == sum(
        training_flops(bert.backbone, bert.heads, 16, 3)
        for bert in learner.kept.values()
    )


def test_the_labels_are_where_a_token_is_another(learner, batch):
    inputs, labels, _ = batch
    inputs = {name: inputs[name] for name in learner.model.input}
    seen = {}

    def look(*arguments, **options):
        seen["ids"], seen["is_replaced"] = draw(*arguments, **options)
        return seen["ids"], seen["is_replaced"]

    layer = learner.model.get_layer("replacement")
    draw, layer.call = layer.call, look
    outputs = learner.model(inputs, training=True)
    original = inputs["input_ids"].numpy()
    rows = np.arange(len(original))[:, None]
    original[rows, inputs["masked_lm_positions"]] = labels["mlm_logits"]
    np.testing.assert_array_equal(
        outputs["is_replaced"], seen["ids"].numpy() != original
    )
    assert np.any(outputs["is_replaced"])


def test_each_model_learns_from_its_own_term(learner, batch):
    generator, discriminator = learner.kept["generator"], learner.kept[""]
    own = {id(x): p for p, x in generator.weights.items()}
    found = {id(x): p for p, x in discriminator.weights.items()}
    shared = own.keys() & found.keys()
    of_mlm = _watched(learner, batch, (1.0, 0.0))
    of_replaced = _watched(learner, batch, (0.0, 1.0))
    for number, path in own.items():
        assert of_mlm[number], path
        assert of_replaced[number] == (number in shared), path
    for number, path in found.items():
        assert of_replaced[number], path
        assert of_mlm[number] == (number in shared), path


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


def test_both_learn_in_one_step(learner, random_batch):
    objective = OBJECTIVES["electra"]
    loop = PretrainingLoop(
        learner, bert_adamw(learner.model, 0.01), objective=objective
    )
    batches = objective.view(
        tf.data.Dataset.from_tensors(_apart(random_batch(0))).repeat()
    )
    iterator = iter(batches)
    points = [
        mean_metrics(loop.train(iterator, tf.constant(1))) for _ in range(30)
    ]
    for point in points:
        loss = point["mlm_loss"] + 50 * point["replaced_token_loss"]
        assert point["loss"] == pytest.approx(loss, rel=1e-5)
        assert 0 < point["replaced_token_share"] < 1
    for name in ("mlm_loss", "replaced_token_loss"):
        assert points[-1][name] < points[0][name]
    assert loop.evaluate(batches.take(2)) == loop.evaluate(batches.take(2))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"embedding_size": 4}, "'E': 4.* in there/generator.*'E': 6"),
        ({"max_position_embeddings": 8}, "'P': 8.*'P': 16"),
        ({"hidden_size": 10}, "no wider. .*'H': 10.*'H': 8"),
    ],
)
def test_a_generator_that_does_not_fit_is_an_error(changes, message):
    generator = PretrainedModel.from_config(
        ElectraConfig(**{**vars(_CONFIG), **changes}),
        discriminator_of().tokenizer_settings,
        ["masked_lm_head"],
    )
    with pytest.raises(ValueError, match=message):
        learner_of(discriminator_of(), generator, init_checkpoint="there")
