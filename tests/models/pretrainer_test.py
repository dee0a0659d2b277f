import pathlib

import keras
import numpy as np
import pytest

from keras_bert.config import BertConfig
from keras_bert.models import add_heads
from keras_bert.models import add_pretraining_heads
from keras_bert.models import bert_encoder
from keras_bert.models import bert_pretrainer
from keras_bert.models.bert import bert_backbone
from keras_bert.models.bert import bert_heads

_ROOT = pathlib.Path(__file__).parents[2]
_GOLDEN = _ROOT / "tests" / "golden"


def published_config(size):
    return BertConfig.from_json(_ROOT / "configs" / f"bert_{size}.json")


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


def assert_same_outputs(model, expected_model, inputs):
    outputs = model(inputs)
    for name, expected in expected_model(inputs).items():
        np.testing.assert_array_equal(outputs[name], expected, name)


def assert_tied(model):
    """The head's table is the embeddings' variable, and there is no other."""
    head = model.get_layer("masked_lm_head")
    embeddings = model.get_layer("embeddings")
    assert head.embeddings.word_embeddings is embeddings.word_embeddings
    table_shape = tuple(embeddings.word_embeddings.shape)
    shapes = [tuple(weight.shape) for weight in model.weights]
    assert shapes.count(table_shape) == 1


def load_golden(name):
    return dict(np.load(_GOLDEN / f"{name}.npz"))


def golden_config(golden, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(str(golden["config"]), encoding="utf-8")
    return BertConfig.from_json(path)


def set_hugging_face_weights(model, golden):
    """Copies the state dict of `BertForPreTraining`, every weight of it."""
    state = {
        key.removeprefix("weights/"): value
        for key, value in golden.items()
        if key.startswith("weights/")
    }
    # Tied to the word embeddings and to `cls.predictions.bias`.
    np.testing.assert_array_equal(
        state.pop("cls.predictions.decoder.weight"),
        state["bert.embeddings.word_embeddings.weight"],
    )
    np.testing.assert_array_equal(
        state.pop("cls.predictions.decoder.bias"),
        state["cls.predictions.bias"],
    )

    def table(name):
        return [state.pop(f"{name}.weight")]

    def dense(*names):
        """Kernel and bias of matrices side by side, ours `[in, out]`."""
        kernels = [state.pop(f"{name}.weight").T for name in names]
        biases = [state.pop(f"{name}.bias") for name in names]
        return [np.concatenate(kernels, axis=1), np.concatenate(biases)]

    def layer_norm(name):
        name = f"{name}.LayerNorm"
        return [state.pop(f"{name}.weight"), state.pop(f"{name}.bias")]

    model.get_layer("embeddings").set_weights(
        table("bert.embeddings.word_embeddings")
        + table("bert.embeddings.position_embeddings")
        + table("bert.embeddings.token_type_embeddings")
        + layer_norm("bert.embeddings")
    )
    for index in range(2):
        block = model.get_layer(f"block_{index}")
        prefix = f"bert.encoder.layer.{index}"
        projections = [
            f"{prefix}.attention.self.{name}"
            for name in ("query", "key", "value")
        ]
        block.self_attention.set_weights(
            dense(*projections) + dense(f"{prefix}.attention.output.dense")
        )
        block.attention_layer_norm.set_weights(
            layer_norm(f"{prefix}.attention.output")
        )
        block.feed_forward.intermediate.set_weights(
            dense(f"{prefix}.intermediate.dense")
        )
        block.feed_forward.feed_forward_output.set_weights(
            dense(f"{prefix}.output.dense")
        )
        block.output_layer_norm.set_weights(layer_norm(f"{prefix}.output"))
    model.get_layer("pooler").set_weights(dense("bert.pooler.dense"))
    head = model.get_layer("masked_lm_head")
    head.transform.set_weights(dense("cls.predictions.transform.dense"))
    head.layer_norm.set_weights(layer_norm("cls.predictions.transform"))
    head.output_bias.assign(state.pop("cls.predictions.bias"))
    model.get_layer("nsp_head").set_weights(dense("cls.seq_relationship"))
    assert not state, f"weights without a place: {sorted(state)}"


def golden_outputs(config, golden):
    """Our outputs, under the names of the golden ones."""
    backbone = bert_backbone(config)
    encoder = backbone.encoder("encoder")
    model = add_heads(backbone, bert_heads(config, backbone.embeddings), "all")
    set_hugging_face_weights(model, golden)
    inputs = {
        "input_ids": golden["inputs/input_ids"],
        "input_mask": golden["inputs/attention_mask"],
        "segment_ids": golden["inputs/token_type_ids"],
        "masked_lm_positions": golden["inputs/masked_lm_positions"],
    }
    everything = keras.Model(
        model.input,
        {
            "last_hidden_state": encoder.output["sequence_output"],
            "pooler_output": encoder.output["pooled_output"],
            "prediction_logits": model.output["mlm_logits"],
            "seq_relationship_logits": model.output["nsp_logits"],
            "hidden_states/0": backbone.states[0],
            "hidden_states/1": backbone.states[1],
            "hidden_states/2": backbone.states[2],
        },
    )
    return everything.predict_on_batch(inputs)


def at_tokens(value, golden):
    """Drops what stands at padding, where there is a sequence."""
    mask = golden["inputs/attention_mask"].astype(bool)
    return value[mask] if value.shape[:2] == mask.shape else value


@pytest.mark.parametrize("name", ["hf_gelu", "hf_gelu_new"])
def test_outputs_are_those_of_hugging_face(name, tmp_path):
    golden = load_golden(name)
    outputs = golden_outputs(golden_config(golden, tmp_path), golden)
    names = {key[8:] for key in golden if key.startswith("outputs/")}
    assert names == set(outputs)
    for name, output in outputs.items():
        expected = golden[f"outputs/{name}"]
        assert output.shape == expected.shape
        np.testing.assert_allclose(
            at_tokens(output, golden),
            at_tokens(expected, golden),
            atol=1e-5,
            rtol=1e-5,
            err_msg=name,
        )


@pytest.mark.parametrize(
    "name, other", [("hf_gelu", "hf_gelu_new"), ("hf_gelu_new", "hf_gelu")]
)
def test_the_other_gelu_is_seen(name, other, tmp_path):
    golden = load_golden(name)
    config = golden_config(load_golden(other), tmp_path)
    outputs = golden_outputs(config, golden)
    for name in ("last_hidden_state", "prediction_logits"):
        difference = outputs[name] - golden[f"outputs/{name}"]
        assert np.abs(at_tokens(difference, golden)).max() > 5e-4


@pytest.mark.smoke("base")
@pytest.mark.parametrize(
    "size, count", [("base", 110_106_428), ("large", 336_226_108)]
)
def test_parameter_count_is_the_published_one(num_parameters, size, count):
    assert num_parameters(bert_pretrainer, published_config(size)) == count


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
    random = np.random.default_rng(0)
    for weight in model.trainable_weights:
        noise = random.normal(0.0, 0.2, weight.shape)
        weight.assign_add(noise.astype("float32"))
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


def test_last_block_skips_only_what_no_head_looks_at(tiny_config, random_batch):
    encoder = bert_encoder(tiny_config)
    model = add_pretraining_heads(encoder, tiny_config)
    inputs = random_batch(0)[0]
    positions = inputs["masked_lm_positions"]
    whole = encoder(
        {k: v for k, v in inputs.items() if k != "masked_lm_positions"}
    )
    outputs = model(inputs)
    head, classifier = map(model.get_layer, ("masked_lm_head", "nsp_head"))
    np.testing.assert_allclose(
        outputs["mlm_logits"],
        head(whole["sequence_output"], positions),
        atol=1e-6,
    )
    np.testing.assert_allclose(
        outputs["nsp_logits"], classifier(whole["pooled_output"]), atol=1e-6
    )


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


def test_keras_file_keeps_the_outputs(tiny_config, random_batch, tmp_path):
    model = trained_model(tiny_config, [random_batch(0)])
    model.save(tmp_path / "model.keras")
    reloaded = keras.saving.load_model(tmp_path / "model.keras")
    assert len(reloaded.weights) == len(model.weights)
    assert reloaded.count_params() == model.count_params()
    assert [w.path for w in reloaded.weights] == [w.path for w in model.weights]
    assert_same_outputs(reloaded, model, random_batch(1)[0])


def test_keras_file_keeps_the_tie(tiny_config, random_batch, tmp_path):
    trained_model(tiny_config, [random_batch(0)]).save(tmp_path / "m.keras")
    model = keras.saving.load_model(tmp_path / "m.keras")
    assert_tied(model)
    head = model.get_layer("masked_lm_head")
    before = keras.ops.convert_to_numpy(head.embeddings.word_embeddings)
    model.train_on_batch(*random_batch(1))
    after = keras.ops.convert_to_numpy(
        model.get_layer("embeddings").word_embeddings
    )
    assert (before != after).any(axis=-1).all()
    assert_tied(model)


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


def test_weights_file_keeps_the_outputs(tiny_config, random_batch, tmp_path):
    model = trained_model(tiny_config, [random_batch(0)])
    model.save_weights(tmp_path / "model.weights.h5")
    other = bert_pretrainer(tiny_config)
    other.load_weights(tmp_path / "model.weights.h5")
    assert_same_outputs(other, model, random_batch(1)[0])
    assert_tied(other)


def test_clone_keeps_the_tie(tiny_config, random_batch):
    model = trained_model(tiny_config, [random_batch(0)])
    clone = keras.models.clone_model(model)
    assert_tied(clone)
    clone.set_weights(model.get_weights())
    assert_same_outputs(clone, model, random_batch(1)[0])


def test_model_from_its_config_keeps_the_tie(tiny_config, random_batch):
    model = trained_model(tiny_config, [random_batch(0)])
    copy = keras.Model.from_config(model.get_config())
    assert_tied(copy)
    copy.set_weights(model.get_weights())
    assert_same_outputs(copy, model, random_batch(1)[0])
