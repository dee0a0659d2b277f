import dataclasses
import pathlib

import keras
import numpy as np
import pytest

from keras_bert import models
from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.models.electra import FAMILY
from keras_bert.models.electra import ElectraConfig
from keras_bert.models.electra import electra_backbone
from keras_bert.models.electra import electra_heads
from keras_bert.models.heads import add_heads

_CONFIGS = pathlib.Path(__file__).parents[2] / "configs"
_TINY = ElectraConfig(
    vocab_size=30,
    embedding_size=4,
    hidden_size=8,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=16,
    max_position_embeddings=16,
)
_WIDE = dataclasses.replace(_TINY, embedding_size=8)
# As of google/electra-small-discriminator on the Hub.
_PUBLISHED = {
    "architectures": ["ElectraForPreTraining"],
    "attention_probs_dropout_prob": 0.1,
    "embedding_size": 128,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 256,
    "initializer_range": 0.02,
    "intermediate_size": 1024,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 512,
    "model_type": "electra",
    "num_attention_heads": 4,
    "num_hidden_layers": 12,
    "pad_token_id": 0,
    "position_embedding_type": "absolute",
    "summary_activation": "gelu",
    "summary_last_dropout": 0.1,
    "summary_type": "first",
    "summary_use_proj": True,
    "transformers_version": "4.0.0",
    "type_vocab_size": 2,
    "vocab_size": 30522,
}


def read(size):
    return ElectraConfig.from_json(_CONFIGS / f"electra_{size}.json")


def with_head(part, config):
    backbone = electra_backbone(config)
    heads = electra_heads(config, backbone.embeddings)
    return add_heads(backbone, {part: heads[part]}, "model")


def generator(config):
    return with_head("masked_lm_head", config)


def discriminator(config):
    return with_head("replaced_token_head", config)


@pytest.mark.smoke("small")
@pytest.mark.parametrize(
    "size, build, count",
    [
        ("small", models.encoder, 13_483_008),
        ("small", discriminator, 13_549_057),
        ("small", generator, 13_546_682),
        ("small_generator", models.encoder, 4_580_928),
        ("small_generator", generator, 4_620_026),
        ("base", models.encoder, 108_891_648),
        ("base", discriminator, 109_483_009),
        ("large", models.encoder, 334_092_288),
        ("large", discriminator, 335_142_913),
    ],
)
def test_parameter_counts_are_those_of_transformers(
    num_parameters, size, build, count
):
    assert num_parameters(build, read(size)) == count


@pytest.mark.parametrize(
    "size, share, counts",
    [
        ("small", 0.25, (4_580_928, 4_620_026)),
        ("small", 1.0, (13_483_008, 13_546_682)),
        ("base", 1 / 3, (33_511_168, 33_740_602)),
    ],
)
def test_generators_are_as_large_as_published(
    num_parameters, size, share, counts
):
    config = read(size).generator(share)
    builders = models.encoder, generator
    assert tuple(num_parameters(b, config) for b in builders) == counts
    if share == 0.25:
        assert config == read("small_generator")


@pytest.mark.parametrize("config", [_TINY, _WIDE])
def test_the_table_has_every_weight_of_the_model(config):
    shapes = {w.path: tuple(w.shape) for w in models.pretrainer(config).weights}
    assert weight_shapes(config) == shapes
    assert any("projection" in path for path in shapes) == (config is _TINY)


def test_a_generator_shares_the_tables_and_their_norm_only():
    config = dataclasses.replace(_WIDE, hidden_size=4, num_attention_heads=1)
    first = electra_backbone(_WIDE)
    second = electra_backbone(config, first.embeddings.tables)
    heads = electra_heads(config, second.embeddings)
    parts = {"masked_lm_head": heads["masked_lm_head"]}
    model = add_heads(second, parts, "generator")
    ours, others = (
        {w.path: w for w in x.weights} for x in (model, first.encoder("first"))
    )
    shared = {path for path in ours if ours[path] is others.get(path)}
    assert shared == {
        *(f"embeddings/tables/{x}_embeddings" for x in ("word", "position")),
        "embeddings/tables/segment_embeddings",
        "embeddings/tables/layer_norm/gamma",
        "embeddings/tables/layer_norm/beta",
    }
    # So that it is saved as any other generator is.
    shapes = weight_shapes(config)
    assert {
        p: tuple(w.shape) for p, w in ours.items()
    }.items() <= shapes.items()
    assert "embeddings/projection/kernel" in ours


def test_both_heads_read_the_same_states(random_batch, widened):
    model = widened(models.pretrainer(_TINY))
    inputs = random_batch(0)[0]
    outputs = model(inputs)
    backbone = models.Backbone(
        model.get_layer("embeddings"),
        [model.get_layer(f"block_{index}") for index in range(2)],
        inputs={k: x for k, x in model.input.items() if "masked" not in k},
    )
    for part in FAMILY.parts:
        head = {part: model.get_layer(part)}
        lone = add_heads(backbone, head, "alone")
        alone = lone({name: inputs[name] for name in lone.input})
        (name,) = alone
        np.testing.assert_allclose(alone[name], outputs[name], atol=1e-5)
    assert outputs["replaced_token_logits"].shape == (4, 10)
    assert outputs["mlm_logits"].shape == (4, 3, 30)


def test_a_discriminator_learns_from_every_token(random_batch):
    model = discriminator(_TINY)
    inputs = random_batch(0)[0]
    del inputs["masked_lm_positions"]
    labels = (inputs["input_ids"] % 2).astype("float32")
    model.compile(
        keras.optimizers.Adam(0.01),
        {
            "replaced_token_logits": keras.losses.BinaryCrossentropy(
                from_logits=True
            )
        },
        jit_compile=False,
    )
    before = {w.path: w.numpy() for w in model.trainable_weights}
    targets = {"replaced_token_logits": labels}
    losses = [model.train_on_batch(inputs, targets) for _ in range(20)]
    assert np.ravel(losses[-1])[0] < np.ravel(losses[0])[0]
    for weight in model.trainable_weights:
        assert not np.array_equal(before[weight.path], weight), weight.path


@pytest.mark.parametrize("config", [_TINY, _WIDE])
def test_keras_file_keeps_outputs_and_tie(
    config, random_batch, widened, check_keras_file
):
    model = widened(models.pretrainer(config))
    check_keras_file(model, random_batch(0)[0])


def test_published_config_is_read():
    config = ElectraConfig.from_dict(_PUBLISHED)
    assert config == ElectraConfig(30522) == read("small")
    assert config.hidden_act == "gelu_erf"
    assert read("tiny").embedding_size != read("tiny").hidden_size


def test_gelu_is_the_erf_form_to_both_publishers():
    values = {"vocab_size": 9, "hidden_act": "gelu"}
    assert ElectraConfig.from_dict(values).hidden_act == "gelu_erf"


def test_config_survives_its_own_file(check_config_file):
    check_config_file(_TINY)
    check_config_file(_TINY.generator(0.5))


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("model_type", "bert", "must be 'electra' for ELECTRA.*'bert'"),
        ("embedding_size", 0, "`embedding_size` must be at least 1.*=0"),
        ("is_decoder", True, "`is_decoder` must be False.*=True"),
        ("summary_type", "mean", "`summary_type` must be 'first'.*'mean'"),
        ("summary_use_proj", False, "must be True for ELECTRA.*=False"),
        ("summary_activation", "tanh", "must be 'gelu' for ELECTRA.*'tanh'"),
        ("dim", 768, "Unknown config key.*dim=768.*embedding_size"),
    ],
)
def test_wrong_configs_are_errors(key, value, message, check_refused):
    check_refused(ElectraConfig, {**_PUBLISHED, key: value}, message)
