import keras
import numpy as np

from keras_bert.models import add_pretraining_heads
from keras_bert.models import bert_encoder
from keras_bert.models import bert_pretrainer
from tests import tiny


def test_outputs_have_the_promised_names_shapes_and_dtypes(
    tiny_config, random_batch
):
    model = bert_pretrainer(tiny_config)
    assert {name: tensor.shape for name, tensor in model.output.items()} == {
        "mlm_logits": (None, None, 30),
        "nsp_logits": (None, 2),
    }
    inputs, _, _ = random_batch(0, batch_size=4, num_predictions=3)
    outputs = model(inputs)
    assert {name: value.shape for name, value in outputs.items()} == {
        "mlm_logits": (4, 3, 30),
        "nsp_logits": (4, 2),
    }
    assert all(value.dtype == "float32" for value in outputs.values())


def test_mixed_precision_gives_nearly_the_same_outputs(
    tiny_config, random_batch
):
    inputs = random_batch(0)[0]
    model = bert_pretrainer(tiny_config)
    tiny.widened(model, stddev=0.2)
    keras.config.set_dtype_policy("mixed_bfloat16")
    mixed = bert_pretrainer(tiny_config)
    mixed.set_weights(model.get_weights())
    outputs = mixed.predict_on_batch(inputs)
    for name, expected in model.predict_on_batch(inputs).items():
        assert outputs[name].dtype == mixed.output[name].dtype == "float32"
        np.testing.assert_allclose(outputs[name], expected, atol=0.1)
        assert not np.array_equal(outputs[name], expected)


def test_inputs_are_the_features_of_pretraining(tiny_config):
    model = bert_pretrainer(tiny_config)
    assert {name: value.dtype for name, value in model.input.items()} == {
        "input_ids": "int32",
        "input_mask": "int32",
        "segment_ids": "int32",
        "masked_lm_positions": "int32",
    }
    assert all(value.shape == (None, None) for value in model.input.values())


def test_heads_share_the_layers_of_the_encoder(tiny_config, random_batch):
    encoder = bert_encoder(tiny_config)
    model = add_pretraining_heads(encoder, tiny_config)
    for name in ("embeddings", "block_0", "block_1", "pooler"):
        assert model.get_layer(name) is encoder.get_layer(name)
    head, embeddings = (
        model.get_layer("masked_lm_head"),
        encoder.get_layer("embeddings"),
    )
    assert head.embeddings.word_embeddings is embeddings.word_embeddings
