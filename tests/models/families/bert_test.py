import keras
import numpy as np
import pytest

from keras_bert.layers import gelu_erf
from keras_bert.layers import gelu_tanh
from keras_bert.models import bert_encoder
from tests import tiny


@pytest.mark.parametrize(
    "hidden_act, expected",
    [
        ("gelu_tanh", gelu_tanh),
        ("gelu_erf", gelu_erf),
        ("relu", keras.activations.relu),
    ],
)
def test_config_words_reach_the_layers(hidden_act, expected):
    config = tiny.config(
        "bert",
        hidden_act=hidden_act,
        hidden_dropout_prob=0.2,
        attention_probs_dropout_prob=0.3,
        initializer_range=0.5,
        layer_norm_eps=1e-3,
    )
    encoder = bert_encoder(config)
    embeddings = encoder.get_layer("embeddings")
    block = encoder.get_layer("block_1")
    assert embeddings.output_dropout.rate == 0.2
    assert block.feed_forward.output_dropout.rate == 0.2
    assert block.self_attention.output_dropout.rate == 0.2
    assert block.self_attention.weights_dropout.rate == 0.3
    assert block.feed_forward.intermediate.activation is expected
    for layer_norm in (embeddings.layer_norm, block.output_layer_norm):
        assert layer_norm.epsilon == 1e-3
    kernel = block.feed_forward.intermediate.kernel
    for table in (embeddings.word_embeddings, kernel):
        assert 0.3 < keras.ops.convert_to_numpy(table).std() < 0.6


def test_no_two_weights_start_equal(tiny_config):
    matrices = [
        tuple(np.ravel(keras.ops.convert_to_numpy(weight))[:8])
        for weight in bert_encoder(tiny_config).weights
        if len(weight.shape) > 1
    ]
    assert len(set(matrices)) == len(matrices)
