import dataclasses

import keras
import numpy as np
import pytest

from keras_bert.config import BertConfig
from keras_bert.layers import gelu_erf
from keras_bert.layers import gelu_tanh
from keras_bert.models import bert_encoder
from tests import tiny


def widened_encoder(config):
    return tiny.widened(bert_encoder(config), stddev=0.2)


def encoder_inputs(batch):
    inputs = batch[0]
    return {
        name: inputs[name]
        for name in ("input_ids", "input_mask", "segment_ids")
    }


def test_outputs_have_the_promised_names_shapes_and_dtypes(
    tiny_config, random_batch
):
    encoder = bert_encoder(tiny_config)
    assert {name: value.shape for name, value in encoder.output.items()} == {
        "sequence_output": (None, None, 8),
        "pooled_output": (None, 8),
    }
    outputs = encoder(encoder_inputs(random_batch(0, batch_size=4)))
    assert {name: value.shape for name, value in outputs.items()} == {
        "sequence_output": (4, 10, 8),
        "pooled_output": (4, 8),
    }
    assert all(value.dtype == "float32" for value in outputs.values())


def test_outputs_are_bfloat16_under_mixed_precision(tiny_config, random_batch):
    keras.config.set_dtype_policy("mixed_bfloat16")
    encoder = bert_encoder(tiny_config)
    outputs = encoder(encoder_inputs(random_batch(0)))
    for name, value in outputs.items():
        assert value.dtype == encoder.output[name].dtype == "bfloat16"
        assert np.isfinite(keras.ops.cast(value, "float32")).all()
    assert all(weight.dtype == "float32" for weight in encoder.weights)


def test_garbage_in_padding_changes_nothing(tiny_config, random_batch):
    encoder = widened_encoder(tiny_config)
    inputs = encoder_inputs(random_batch(0))
    padding = inputs["input_mask"] == 0
    assert padding.any()
    garbage = {
        "input_ids": np.where(padding, 17, inputs["input_ids"]),
        "input_mask": inputs["input_mask"],
        "segment_ids": np.where(padding, 1, inputs["segment_ids"]),
    }
    outputs = encoder.predict_on_batch(inputs)
    others = encoder.predict_on_batch(garbage)
    np.testing.assert_allclose(
        others["sequence_output"][~padding],
        outputs["sequence_output"][~padding],
        atol=1e-6,
    )
    np.testing.assert_allclose(
        others["pooled_output"], outputs["pooled_output"], atol=1e-6
    )


def test_dropout_is_for_training_alone(tiny_config, random_batch):
    config = dataclasses.replace(tiny_config, hidden_dropout_prob=0.5)
    encoder = widened_encoder(config)
    inputs = encoder_inputs(random_batch(0))

    def pooled(training):
        return np.asarray(encoder(inputs, training=training)["pooled_output"])

    np.testing.assert_array_equal(pooled(False), pooled(False))
    assert not np.array_equal(pooled(True), pooled(False))
    assert not np.array_equal(pooled(True), pooled(True))


@pytest.mark.parametrize(
    "hidden_act, expected",
    [
        ("gelu_tanh", gelu_tanh),
        ("gelu_erf", gelu_erf),
        ("relu", keras.activations.relu),
        ("tanh", keras.activations.tanh),
    ],
)
def test_config_words_reach_the_layers(hidden_act, expected):
    config = BertConfig(
        vocab_size=30,
        hidden_size=12,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=20,
        hidden_act=hidden_act,
        hidden_dropout_prob=0.2,
        attention_probs_dropout_prob=0.3,
        max_position_embeddings=9,
        type_vocab_size=5,
        initializer_range=0.5,
        layer_norm_eps=1e-3,
    )
    encoder = bert_encoder(config)
    embeddings = encoder.get_layer("embeddings")
    assert embeddings.word_embeddings.shape == (30, 12)
    assert embeddings.position_embeddings.shape == (9, 12)
    assert embeddings.segment_embeddings.shape == (5, 12)
    assert embeddings.output_dropout.rate == 0.2
    assert embeddings.layer_norm.epsilon == 1e-3
    table = keras.ops.convert_to_numpy(embeddings.word_embeddings)
    assert 0.3 < table.std() < 0.6
    assert [
        layer.name for layer in encoder.layers if "block" in layer.name
    ] == [
        "block_0",
        "block_1",
        "block_2",
    ]
    block = encoder.get_layer("block_2")
    assert block.num_heads == 4
    assert block.feed_forward.intermediate.kernel.shape == (12, 20)
    assert block.feed_forward.intermediate.activation is expected
    assert block.feed_forward.output_dropout.rate == 0.2
    assert block.self_attention.output_dropout.rate == 0.2
    assert block.self_attention.weights_dropout.rate == 0.3
    assert block.output_layer_norm.epsilon == 1e-3
    kernel = keras.ops.convert_to_numpy(block.feed_forward.intermediate.kernel)
    assert 0.3 < kernel.std() < 0.6


def test_no_two_weights_start_equal(tiny_config):
    matrices = [
        tuple(np.ravel(keras.ops.convert_to_numpy(weight))[:8])
        for weight in bert_encoder(tiny_config).weights
        if len(weight.shape) > 1
    ]
    assert len(set(matrices)) == len(matrices)


def test_weight_names_are_the_checkpoint_format(tiny_config):
    config = dataclasses.replace(tiny_config, num_hidden_layers=1)
    assert [weight.path for weight in bert_encoder(config).weights] == [
        "embeddings/word_embeddings",
        "embeddings/position_embeddings",
        "embeddings/segment_embeddings",
        "embeddings/layer_norm/gamma",
        "embeddings/layer_norm/beta",
        "block_0/self_attention/query_key_value/kernel",
        "block_0/self_attention/query_key_value/bias",
        "block_0/self_attention/attention_output/kernel",
        "block_0/self_attention/attention_output/bias",
        "block_0/attention_layer_norm/gamma",
        "block_0/attention_layer_norm/beta",
        "block_0/feed_forward/intermediate/kernel",
        "block_0/feed_forward/intermediate/bias",
        "block_0/feed_forward/feed_forward_output/kernel",
        "block_0/feed_forward/feed_forward_output/bias",
        "block_0/output_layer_norm/gamma",
        "block_0/output_layer_norm/beta",
        "pooler/kernel",
        "pooler/bias",
    ]
