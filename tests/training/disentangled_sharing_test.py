"""A generator and a discriminator that share a table one way only."""

import dataclasses
import types

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.checkpoints import PretrainedModel
from keras_bert.models.deberta_v2_config import DebertaV2Config
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
from keras_bert.training import bert_adamw
from keras_bert.training.disentangled_sharing import disentangled_learner
from keras_bert.training.flops import training_flops
from keras_bert.training.loop import PretrainingLoop
from keras_bert.training.objectives import OBJECTIVES
from keras_bert.training.terms import mean_metrics

_CONFIG = DebertaV2Config(
    30, 8, 4, 2, 16, max_position_embeddings=16, position_buckets=6
)
_TABLE = "embeddings/word_embeddings"
_OBJECTIVE = OBJECTIVES["electra_gdes"]


def learner_of(config=_CONFIG):
    words = [f"word{number}" for number in range(25)]
    tokenizer = BertTokenizer(Vocabulary([*SPECIAL_TOKENS, *words]))
    discriminator = PretrainedModel.from_config(
        config, tokenizer, ["replaced_token_head"]
    )
    recipe = types.SimpleNamespace(
        generator_size=0.5, init_checkpoint=None, random_seed=1
    )
    return disentangled_learner(discriminator, recipe, None)


@pytest.fixture
def learner():
    keras.utils.set_random_seed(1)
    return learner_of()


@pytest.fixture
def batches(random_batch):
    batch = random_batch(0)
    batch[0]["masked_lm_positions"][:] = [1, 3, 4]
    return _OBJECTIVE.view(tf.data.Dataset.from_tensors(batch).repeat())


def gradients_of(learner, batch, factors):
    """Those of the terms times some factors, None where there is none."""
    inputs, labels, weights = batch
    inputs = {name: inputs[name] for name in learner.model.input}
    with tf.GradientTape() as tape:
        outputs = learner.model(inputs, training=True)
        loss = sum(
            factor * term.sums(outputs, labels, weights)["loss"]
            for term, factor in zip(_OBJECTIVE.terms(), factors, strict=True)
        )
    variables = learner.model.trainable_variables
    found = tape.gradient(loss, variables)
    return {
        id(v): None if x is None else np.asarray(tf.convert_to_tensor(x))
        for v, x in zip(variables, found, strict=True)
    }


def test_a_discriminator_begins_with_its_generators_table(learner):
    generator, discriminator = learner.kept["generator"], learner.kept[""]
    assert np.all(np.asarray(discriminator.weights[_TABLE]) == 0)
    discriminate = learner.model.get_layer("discriminator")
    embeddings = discriminate.get_layer("disentangled_embeddings")
    ids = np.array([[2, 7, 9]], "int32")
    np.testing.assert_allclose(
        embeddings(ids), generator.backbone.embeddings(ids), atol=1e-6
    )
    config = generator.config
    assert (config.num_hidden_layers, config.hidden_size) == (2, 8)
    assert config.enhanced_mask_decoder
    assert generator.parts == {"masked_lm_head"}


def test_the_discriminators_loss_pulls_at_its_own_table_only(learner, batches):
    batch = next(iter(batches))
    generator, discriminator = learner.kept["generator"], learner.kept[""]
    of_mlm = gradients_of(learner, batch, (1.0, 0.0))
    of_replaced = gradients_of(learner, batch, (0.0, 1.0))
    for path, weight in generator.weights.items():
        assert np.any(of_mlm[id(weight)]), path
        found = of_replaced[id(weight)]
        assert found is None or not np.any(found), path
    for path, weight in discriminator.weights.items():
        assert np.any(of_replaced[id(weight)]), path
        assert of_mlm[id(weight)] is None or not np.any(of_mlm[id(weight)])


def test_the_model_has_each_weight_once(learner):
    generator, discriminator = learner.kept["generator"], learner.kept[""]
    weights = [id(x) for x in learner.model.weights]
    of_both = [*generator.weights.values(), *discriminator.weights.values()]
    assert sorted(weights) == sorted(map(id, of_both))
    names = [name for name in learner.weight_names if name]
    assert {*names} == {*discriminator.weights}
    assert sorted(names).count(_TABLE) == 2
    assert len(names) == len(discriminator.weights) + 1
    assert learner.flops(16, 3) == sum(
        training_flops(bert.backbone, bert.heads, 16, 3)
        for bert in learner.kept.values()
    )


@pytest.mark.exhaustive
def test_what_is_kept_answers_as_what_has_learned(learner, batches):
    loop = PretrainingLoop(
        learner, bert_adamw(learner.model, 0.01), objective=_OBJECTIVE
    )
    iterator = iter(batches)
    points = [
        mean_metrics(loop.train(iterator, tf.constant(1))) for _ in range(20)
    ]
    for name in ("mlm_loss", "replaced_token_loss"):
        assert points[-1][name] < points[0][name]
    generator, discriminator = learner.kept["generator"], learner.kept[""]
    (own, shared) = (
        np.asarray(x.weights[_TABLE]) for x in (discriminator, generator)
    )
    assert np.abs(own).max() > 0.01
    ids = np.array([[2, 7, 9, 5]], "int32")
    inputs = {"input_ids": ids, "input_mask": np.ones_like(ids)}
    learned = learner.model.get_layer("discriminator")(inputs)
    learner.finish()
    np.testing.assert_array_equal(discriminator.weights[_TABLE], own + shared)
    np.testing.assert_allclose(
        discriminator.model(inputs)["replaced_token_logits"],
        learned["replaced_token_logits"],
        atol=1e-5,
    )


def test_a_discriminator_has_no_mask_decoder():
    config = dataclasses.replace(_CONFIG, enhanced_mask_decoder=True)
    with pytest.raises(ValueError, match="enhanced_mask_decoder=True"):
        learner_of(config)
