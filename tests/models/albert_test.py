import dataclasses

import keras
import numpy as np
import pytest

from keras_bert import models
from keras_bert.config import BertConfig
from keras_bert.models import bert_encoder
from keras_bert.models.albert import FAMILY
from keras_bert.models.albert import AlbertConfig
from keras_bert.models.albert import albert_backbone
from keras_bert.models.albert import albert_heads
from keras_bert.models.heads import add_heads

_TINY = AlbertConfig(
    vocab_size=30,
    embedding_size=4,
    hidden_size=8,
    num_hidden_layers=3,
    num_attention_heads=2,
    intermediate_size=16,
    max_position_embeddings=16,
)
# As of albert-base-v2 on the Hub.
_PUBLISHED = {
    "architectures": ["AlbertForMaskedLM"],
    "attention_probs_dropout_prob": 0,
    "bos_token_id": 2,
    "classifier_dropout_prob": 0.1,
    "down_scale_factor": 1,
    "embedding_size": 128,
    "eos_token_id": 3,
    "gap_size": 0,
    "hidden_act": "gelu_new",
    "hidden_dropout_prob": 0,
    "hidden_size": 768,
    "initializer_range": 0.02,
    "inner_group_num": 1,
    "intermediate_size": 3072,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 512,
    "model_type": "albert",
    "net_structure_type": 0,
    "num_attention_heads": 12,
    "num_hidden_groups": 1,
    "num_hidden_layers": 12,
    "num_memory_blocks": 0,
    "pad_token_id": 0,
    "type_vocab_size": 2,
    "vocab_size": 30000,
}


def masked_lm(config):
    backbone = albert_backbone(config)
    heads = albert_heads(config, backbone.embeddings)
    del heads["sop_head"]
    return add_heads(backbone, heads, "masked_lm")


@pytest.mark.smoke("encoder-base-", "masked_lm")
@pytest.mark.parametrize(
    "build, size, count",
    [
        (models.encoder, "base", 11_683_584),
        (models.encoder, "large", 17_683_968),
        (models.encoder, "xlarge", 58_724_864),
        (models.encoder, "xxlarge", 222_595_584),
        (models.encoder, "base_v1", 11_683_584),
        (models.encoder, "large_v1", 17_683_968),
        (models.encoder, "xlarge_v1", 58_724_864),
        (models.encoder, "xxlarge_v1", 222_595_584),
        (masked_lm, "base", 11_221_680),
        (models.pretrainer, "base", 11_813_810),
        (models.pretrainer, "xxlarge", 223_158_450),
    ],
)
def test_parameter_count_is_the_published_one(
    num_parameters, build, size, count
):
    config = AlbertConfig.from_json(f"configs/albert_{size}.json")
    assert num_parameters(build, config) == count


@pytest.mark.parametrize("size", ["base", "large", "xlarge", "xxlarge"])
def test_version_1_differs_in_its_dropout_only(size):
    ours, newer = (
        AlbertConfig.from_json(f"configs/albert_{size}{version}.json")
        for version in ("_v1", "")
    )
    dropout = 0.0 if size == "xxlarge" else 0.1
    assert ours == dataclasses.replace(
        newer,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )


def test_it_is_a_bert_of_equal_blocks_behind_a_matrix(random_batch, widened):
    """One whose blocks are copies, fed with what the embeddings give."""
    encoder = widened(models.encoder(_TINY))
    bert = bert_encoder(BertConfig(30, 8, 3, 2, 16, max_position_embeddings=16))
    block = encoder.get_layer("group_0_block_0").get_weights()
    states = encoder.get_layer("embeddings")
    inputs = random_batch(0)[0]
    del inputs["masked_lm_positions"]
    states = states(inputs["input_ids"], inputs["segment_ids"])
    for index in range(3):
        copy = bert.get_layer(f"block_{index}")
        copy.set_weights(block)
        states = copy(states, inputs["input_mask"])
    np.testing.assert_allclose(
        encoder.predict_on_batch(inputs)["sequence_output"], states, atol=1e-5
    )


@pytest.mark.parametrize(
    "num_layers, num_groups, inner, runs",
    [
        (3, 1, 1, "00 00 00"),
        (4, 2, 1, "00 00 10 10"),
        (3, 2, 2, "00 01 00 01 10 11"),
        (5, 5, 1, "00 10 20 30 40"),
        (18, 14, 1, None),
    ],
)
def test_groups_are_run_one_after_the_other(
    num_layers, num_groups, inner, runs
):
    config = dataclasses.replace(
        _TINY,
        num_hidden_layers=num_layers,
        num_hidden_groups=num_groups,
        inner_group_num=inner,
    )
    backbone = albert_backbone(config)
    assert len(backbone.states) == config.depth + 1 == num_layers * inner + 1
    names = [block.name for block in backbone.blocks]
    if runs:
        expected = ["group_{}_block_{}".format(*run) for run in runs.split()]
        assert names == expected
    assert len({*names}) == num_groups * inner


def test_the_last_run_computes_only_what_is_looked_at(random_batch):
    model = models.pretrainer(_TINY)
    shapes = []
    block = model.get_layer("group_0_block_0")
    normalize = block.output_layer_norm.call
    block.output_layer_norm.call = lambda x: (
        shapes.append(tuple(x.shape)) or normalize(x)
    )
    outputs = model(random_batch(0)[0])
    assert shapes == [(4, 10, 8), (4, 10, 8), (4, 4, 8)]
    assert outputs["mlm_logits"].shape == (4, 3, 30)
    assert outputs["sop_logits"].shape == (4, 2)


def test_a_shared_block_learns_from_all_its_runs(random_batch):
    model = models.pretrainer(_TINY)
    inputs, labels, _ = random_batch(0)
    labels["sop_logits"] = labels.pop("nsp_logits")
    losses = {
        name: keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        for name in labels
    }
    model.compile(keras.optimizers.SGD(0.5), losses, jit_compile=False)
    before = {w.path: w.numpy() for w in model.trainable_weights}
    history = [model.train_on_batch(inputs, labels)[0] for _ in range(5)]
    assert history[-1] < history[0]
    for weight in model.trainable_weights:
        assert not np.array_equal(before[weight.path], weight), weight.path


def test_its_heads_dropout_is_its_own():
    config = dataclasses.replace(_TINY, classifier_dropout_prob=0.25)
    rates = {
        part: kind.layer(config, 2, part).dropout
        for part, kind in FAMILY.task_heads.items()
    }
    assert rates.pop("span_classifier") == 0.0
    assert {*rates.values()} == {0.25}


def test_keras_file_keeps_outputs_tie_and_sharing(
    random_batch, widened, check_keras_file
):
    model = widened(models.pretrainer(_TINY))
    check_keras_file(model, random_batch(0)[0])


def test_published_config_is_read():
    config = AlbertConfig.from_dict(_PUBLISHED)
    assert config == AlbertConfig(vocab_size=30000)
    assert config == AlbertConfig.from_json("configs/albert_base.json")
    assert config.hidden_act == "gelu_tanh"


def test_gelu_is_what_the_publisher_means_by_it():
    values = {"vocab_size": 9, "hidden_act": "gelu"}
    assert AlbertConfig.from_dict(values).hidden_act == "gelu_tanh"
    published = {**_PUBLISHED, "hidden_act": "gelu"}  # As of albert-base-v1.
    assert AlbertConfig.from_dict(published).hidden_act == "gelu_erf"


def test_config_survives_its_own_file(check_config_file):
    check_config_file(_TINY)


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("model_type", "bert", "must be 'albert' for ALBERT.*'bert'"),
        ("num_hidden_groups", 13, "at most `num_hidden_layers`.*groups=13"),
        ("inner_group_num", 0, "`inner_group_num` must be at least 1.*=0"),
        ("embedding_size", 12.5, "`embedding_size` must be an integer.*12.5"),
        ("net_structure_type", 1, "`net_structure_type` must be 0.*=1"),
        ("classifier_dropout_prob", 1, "at least 0 and below 1.*prob=1"),
        ("dim", 768, "Unknown config key.*dim=768.*embedding_size"),
    ],
)
def test_wrong_configs_are_errors(key, value, message, check_refused):
    check_refused(AlbertConfig, {**_PUBLISHED, key: value}, message)
