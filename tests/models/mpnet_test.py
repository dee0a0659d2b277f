import json
import pathlib

import keras
import numpy as np
import pytest

from keras_bert import models
from keras_bert.checkpoints.weight_map import published_places
from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.layers import RelativeBias
from keras_bert.layers import SelfAttention
from keras_bert.models.mpnet import MPNetConfig
from keras_bert.text import BertTokenizer

_ROOT = pathlib.Path(__file__).parents[2]
_TINY = MPNetConfig(
    vocab_size=30,
    hidden_size=8,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=16,
    max_position_embeddings=16,
)
_RANDOM = np.random.default_rng(0)


def read(size):
    return MPNetConfig.from_json(_ROOT / "configs" / f"mpnet_{size}.json")


@pytest.mark.parametrize(
    "build, count",
    [(models.encoder, 109_486_464), (models.pretrainer, 109_518_527)],
)
def test_parameter_counts_are_those_of_transformers(
    num_parameters, build, count
):
    assert num_parameters(build, read("base")) == count


def test_the_table_has_every_weight_of_the_model():
    config = read("tiny")
    paths = {
        w.path: tuple(w.shape)
        for build in (models.encoder, models.pretrainer)
        for w in build(config).weights
    }
    assert weight_shapes(config) == paths


def test_states_of_a_long_text_are_those_of_transformers():
    with np.load(_ROOT / "tests/golden/hf_mpnet.npz") as golden:
        arrays = dict(golden)
    values = json.loads(str(arrays["config"]))
    config = MPNetConfig.from_dict(values)
    encoder = models.encoder(config)
    weights = {w.path: np.zeros(w.shape, "float32") for w in encoder.weights}
    for place in published_places(config, "hugging_face"):
        if place.weight in weights:
            array = arrays[f"weights/{place.name}"]
            place.read_into(weights[place.weight], array)
    encoder.set_weights([weights[w.path] for w in encoder.weights])
    length = config.max_seq_length
    ids = (4 + np.arange(length) ** 2 % 31)[np.newaxis].astype("int32")
    states = encoder({"input_ids": ids, "input_mask": np.ones_like(ids)})
    np.testing.assert_allclose(
        np.asarray(states["sequence_output"])[0, ::10],
        arrays["outputs/long"],
        rtol=1e-5,
        atol=1e-5,
    )


def test_a_bias_is_added_to_scores():
    inputs = _RANDOM.normal(size=(2, 5, 8)).astype("float32")
    mask = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], "int32")
    bias = keras.ops.convert_to_tensor(
        _RANDOM.normal(size=(1, 2, 5, 5)).astype("float32")
    )
    attention = SelfAttention(8, 2, dropout=0.0)
    whole = np.asarray(attention(inputs, mask, about={"score_bias": bias}))
    plain = attention.attention_weights(inputs, mask)
    found = attention.attention_weights(inputs, mask, {"score_bias": bias})
    expected = np.asarray(plain) * np.exp(bias)
    expected /= expected.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    positions = np.array([[0, 3], [2, 1]], "int32")
    some = attention(inputs, mask, positions, {"score_bias": bias})
    at = positions[..., np.newaxis]
    expected = np.take_along_axis(whole, at, axis=1)
    np.testing.assert_allclose(some, expected, atol=1e-5)


def test_bias_layer_gives_a_number_for_each_distance():
    layer = RelativeBias(2, 8, 16)
    biases = np.asarray(layer(np.zeros((3, 40), "int32")))
    assert biases.shape == (1, 2, 40, 40)
    table = np.asarray(layer.relative_embeddings)
    rows = {0: 0, -1: 1, -2: 2, -16: 3, -39: 3, 1: 5, 2: 6, 16: 7, 39: 7}
    for distance, row in rows.items():
        for head in range(2):
            found = np.diagonal(biases[0, head], distance)
            np.testing.assert_array_equal(found, table[row, head])
    again = RelativeBias.from_config(layer.get_config())
    assert again.get_config() == layer.get_config()
    symbolic = layer(keras.Input((None,), dtype="int32"))
    assert symbolic.shape == (1, 2, None, None)
    with pytest.raises(ValueError, match="multiple of 4.*num_buckets=6"):
        RelativeBias(2, 6)


def test_keras_file_keeps_outputs_and_tie(
    random_batch, widened, check_keras_file
):
    model = widened(models.pretrainer(_TINY))
    inputs = random_batch(0)[0]
    check_keras_file(model, {name: inputs[name] for name in model.input})


def test_config_survives_its_own_file(check_config_file):
    check_config_file(_TINY)
    assert read("base") == MPNetConfig(30527)


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("model_type", "bert", "must be 'mpnet' for MPNet.*'bert'"),
        ("type_vocab_size", 2, "`type_vocab_size` must be 0 for MPNet.*=2"),
        ("relative_attention_num_buckets", 16, "must be 32 for MPNet.*=16"),
    ],
)
def test_wrong_configs_are_errors(key, value, message, check_refused):
    check_refused(MPNetConfig, {"vocab_size": 30, key: value}, message)


def test_special_tokens_of_its_vocabulary_are_found(make_settings_of):
    tokenizer = BertTokenizer(make_settings_of("mpnet").vocabulary)
    assert tokenizer.vocabulary.id_of("<mask>") == 40
    text = "word1<mask> WORD2 </s><s>word3 \u0705"
    plain = tokenizer([text]).to_list()[0]
    assert not {0, 2, 40} & {*plain}
    finding = tokenizer.with_special_tokens()
    ids, starts, ends = (
        x.to_list()[0] for x in finding.tokenize_with_offsets([text])
    )
    assert finding([text]).to_list() == [ids]
    data = text.encode()
    spans = [data[start:end].decode() for start, end in zip(starts, ends)]
    assert spans == [
        *("word1", "<mask>", "WORD2", "</s>", "<s>", "word3", "\u0705"),
    ]
    assert [finding.vocabulary.tokens[x] for x in ids] == [
        *("word1", "<mask>", "word2", "</s>", "<s>", "word3", "[UNK]"),
    ]
