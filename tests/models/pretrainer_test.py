import keras
import numpy as np
import pytest

from keras_bert.models import add_pretraining_heads
from keras_bert.models import bert_encoder
from keras_bert.models import bert_pretrainer
from tests import tiny


def trained_model(config, batches):
    """A compiled pre-trainer after one step on each batch."""
    model = bert_pretrainer(config)
    losses = {
        name: keras.losses.SparseCategoricalCrossentropy(
            from_logits=True, reduction="mean_with_sample_weight"
        )
        for name in ("mlm_logits", "nsp_logits")
    }
    model.compile(keras.optimizers.Adam(0.01), losses, run_eagerly=True)
    for batch in batches:
        model.train_on_batch(*batch)
    return model


def assert_tied(model):
    """The head's table is the embeddings' variable, and there is no other."""
    head = model.get_layer("masked_lm_head")
    embeddings = model.get_layer("embeddings")
    assert head.embeddings.word_embeddings is embeddings.word_embeddings
    table_shape = tuple(embeddings.word_embeddings.shape)
    shapes = [tuple(weight.shape) for weight in model.weights]
    assert shapes.count(table_shape) == 1


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


def test_logits_are_float32_under_mixed_precision(tiny_config, random_batch):
    keras.config.set_dtype_policy("mixed_bfloat16")
    model = bert_pretrainer(tiny_config)
    assert model.get_layer("block_0").compute_dtype == "bfloat16"
    outputs = model(random_batch(0)[0])
    for name, value in outputs.items():
        assert value.dtype == model.output[name].dtype == "float32"
        assert np.isfinite(value).all()


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
    assert_tied(model)


def test_one_step_changes_the_one_table_through_both_uses(
    tiny_config, random_batch
):
    """Padding never predicted moves in the head; what it reads, it shares."""
    model = trained_model(tiny_config, [])
    head = model.get_layer("masked_lm_head")
    before = keras.ops.convert_to_numpy(head.embeddings.word_embeddings)
    model.train_on_batch(*random_batch(0))
    after = keras.ops.convert_to_numpy(
        model.get_layer("embeddings").word_embeddings
    )
    assert (before != after).any(axis=-1).all()
    np.testing.assert_array_equal(
        keras.ops.convert_to_numpy(head.embeddings.word_embeddings), after
    )


def _reloaded(model, folder):
    model.save(folder / "model.keras")
    return keras.saving.load_model(folder / "model.keras")


def _weights_file(model, folder):
    model.save_weights(folder / "model.weights.h5")
    other = keras.models.clone_model(model)
    other.load_weights(folder / "model.weights.h5")
    return other


def _clone(model, folder):
    clone = keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    return clone


def _from_config(model, folder):
    copy = keras.Model.from_config(model.get_config())
    copy.set_weights(model.get_weights())
    return copy


@pytest.mark.parametrize(
    "copy", [_reloaded, _weights_file, _clone, _from_config]
)
def test_a_copy_keeps_outputs_and_tie(
    copy, tiny_config, random_batch, tmp_path
):
    model = trained_model(tiny_config, [random_batch(0)])
    other = copy(model, tmp_path)
    assert [w.path for w in other.weights] == [w.path for w in model.weights]
    inputs = random_batch(1)[0]
    outputs = other(inputs)
    for name, expected in model(inputs).items():
        np.testing.assert_array_equal(outputs[name], expected, name)
    assert_tied(other)


def test_training_goes_on_from_a_keras_file(
    tiny_config, random_batch, tmp_path
):
    batches = [random_batch(seed) for seed in range(5)]
    model = trained_model(tiny_config, batches[:2])
    model.save(tmp_path / "model.keras")
    model.reset_metrics()  # Keras before 3.13 averages over all batches.
    expected = [float(model.train_on_batch(*batch)[0]) for batch in batches[2:]]
    reloaded = keras.saving.load_model(tmp_path / "model.keras")
    assert int(reloaded.optimizer.iterations) == 2
    losses = [
        float(reloaded.train_on_batch(*batch)[0]) for batch in batches[2:]
    ]
    assert losses == expected
    assert len(set(losses)) == 3
    assert_tied(reloaded)
