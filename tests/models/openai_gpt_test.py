import dataclasses
import pathlib

import numpy as np
import pytest

from keras_bert import models
from keras_bert.checkpoints.weight_table import HeadSize
from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.config import BertConfig
from keras_bert.models.bert import bert_backbone
from keras_bert.models.openai_gpt import FAMILY
from keras_bert.models.openai_gpt import openai_gpt_backbone
from keras_bert.models.openai_gpt_config import OpenAIGPTConfig
from keras_bert.models.task_model import add_task_head

_CONFIGS = pathlib.Path(__file__).parents[2] / "configs"
_TINY = OpenAIGPTConfig(
    vocab_size=30,
    n_positions=16,
    n_embd=8,
    n_layer=2,
    n_head=2,
    resid_pdrop=0.0,
    embd_pdrop=0.0,
    attn_pdrop=0.0,
)
# As of openai-gpt on the Hub.
_PUBLISHED = {
    "afn": "gelu",
    "architectures": ["OpenAIGPTLMHeadModel"],
    "attn_pdrop": 0.1,
    "embd_pdrop": 0.1,
    "initializer_range": 0.02,
    "layer_norm_epsilon": 1e-05,
    "model_type": "openai-gpt",
    "n_ctx": 512,
    "n_embd": 768,
    "n_head": 12,
    "n_layer": 12,
    "n_positions": 512,
    "n_special": 0,
    "predict_special_tokens": True,
    "resid_pdrop": 0.1,
    "summary_activation": None,
    "summary_first_dropout": 0.1,
    "summary_proj_to_labels": True,
    "summary_type": "cls_index",
    "summary_use_proj": True,
    "task_specific_params": {"text-generation": {"do_sample": True}},
    "vocab_size": 40478,
}


def double_heads(config):
    head = FAMILY.task_heads["choice_scorer"].layer(config, 1, "choice_scorer")
    return add_task_head(
        openai_gpt_backbone(config), head, "last_token", "model"
    )


@pytest.mark.parametrize(
    "build, count",
    [
        (models.encoder, 116_534_784),
        (models.pretrainer, 116_534_784),
        (double_heads, 116_535_553),
    ],
)
def test_parameter_count_is_the_published_one(num_parameters, build, count):
    config = OpenAIGPTConfig.from_dict(_PUBLISHED)
    assert config == OpenAIGPTConfig.from_json(_CONFIGS / "gpt1.json")
    assert num_parameters(build, config) == count


def test_the_table_has_every_weight_of_the_model():
    shapes = {w.path: tuple(w.shape) for w in models.pretrainer(_TINY).weights}
    assert weight_shapes(_TINY) == shapes
    for part, kind in FAMILY.task_heads.items():
        size = HeadSize(part, {"choice_scorer": 1}.get(part, 2))
        head = kind.layer(_TINY, size.num_outputs, part)
        head.build((None, _TINY.n_embd))
        known = weight_shapes(_TINY, size)
        assert {*known} - {*shapes} == {w.path for w in head.weights}


def test_its_blocks_are_those_of_bert_left_to_right(widened, random_batch):
    bert = BertConfig(
        vocab_size=30,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        layer_norm_eps=1e-5,
        max_position_embeddings=16,
        is_decoder=True,
    )
    ours = widened(openai_gpt_backbone(_TINY).states_model())
    theirs = bert_backbone(bert)
    values = {weight.path: weight for weight in ours.weights}
    model = theirs.states_model()
    for weight in model.weights:
        if weight.path in values:
            weight.assign(values[weight.path])
    ids = random_batch(0)[0]
    inputs = {name: ids[name] for name in ("input_ids", "input_mask")}
    states = ours(inputs)
    last = states["0"]
    for number, block in enumerate(theirs.blocks, start=1):
        last = block(last, inputs["input_mask"])
        np.testing.assert_allclose(states[str(number)], last, atol=1e-5)


def test_no_token_sees_the_next_one(widened):
    model = widened(models.pretrainer(_TINY))
    ids = np.random.default_rng(0).integers(1, 30, (2, 9)).astype("int32")
    positions = np.tile(np.arange(9, dtype="int32"), (2, 1))
    mask = np.ones_like(ids)
    changed = np.where(np.arange(9) < 5, ids, 1)
    first, second = (
        model(
            {
                "input_ids": x,
                "input_mask": mask,
                "masked_lm_positions": positions,
            }
        )["mlm_logits"].numpy()
        for x in (ids, changed)
    )
    np.testing.assert_array_equal(first[:, :5], second[:, :5])
    assert np.abs(first - second)[:, 5:].max() > 0.1


def test_keras_file_keeps_outputs_and_tie(
    random_batch, widened, check_keras_file
):
    inputs = random_batch(0)[0]
    del inputs["segment_ids"]
    check_keras_file(widened(models.pretrainer(_TINY)), inputs)


def test_dropouts_go_where_they_are_published():
    config = dataclasses.replace(
        _TINY, resid_pdrop=0.5, embd_pdrop=0.25, attn_pdrop=0.125
    )
    model = models.encoder(config)
    block = model.get_layer("block_1")
    assert model.get_layer("embeddings").output_dropout.rate == 0.25
    assert block.self_attention.weights_dropout.rate == 0.125
    assert block.self_attention.output_dropout.rate == 0.5
    assert block.feed_forward.output_dropout.rate == 0.5


def test_config_survives_its_own_file(check_config_file):
    check_config_file(_TINY)


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("model_type", "bert", "must be 'openai-gpt' for GPT-1.*'bert'"),
        ("hidden_size", 768, "Unknown config key.*hidden_size=768.*n_layer"),
        ("afn", "relu", "`afn` must be 'gelu_tanh' for GPT-1.*'relu'"),
        ("n_head", 7, "`n_embd` must be divisible by `n_head`.*n_head=7"),
        ("n_special", 3, "`n_special` must be 0.*n_special=3"),
        ("attn_pdrop", 1.0, "`attn_pdrop` must be at least 0 and below 1"),
    ],
)
def test_wrong_configs_are_refused(key, value, message, check_refused):
    check_refused(OpenAIGPTConfig, {**_PUBLISHED, key: value}, message)
