import collections
import dataclasses
import math

import numpy as np
import pytest

from keras_bert.checkpoints.weight_map import published_places
from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.config import BertConfig
from keras_bert.models import bert_pretrainer

_FORMATS = ("hugging_face", "tf1", "model_garden")

# Numbers of arrays and weights of published encoders with poolers.
_ENCODERS = {
    "tiny": (39, 4_385_920),
    "mini": (71, 11_170_560),
    "small": (71, 28_763_648),
    "medium": (135, 41_373_184),
    "base": (199, 109_482_240),
    "large": (391, 335_141_888),
}
# Published names of the arrays of a BERT with vocabulary 30, 16 positions,
# hidden size 8, 2 heads and intermediate size 16.
_PUBLISHED = {
    "hugging_face": {
        "bert.embeddings.word_embeddings.weight": (30, 8),
        "bert.embeddings.position_embeddings.weight": (16, 8),
        "bert.embeddings.token_type_embeddings.weight": (2, 8),
        "bert.embeddings.LayerNorm.weight": (8,),
        "bert.encoder.layer.0.attention.self.query.weight": (8, 8),
        "bert.encoder.layer.1.attention.self.value.bias": (8,),
        "bert.encoder.layer.1.attention.output.dense.weight": (8, 8),
        "bert.encoder.layer.0.attention.output.LayerNorm.bias": (8,),
        "bert.encoder.layer.0.intermediate.dense.weight": (16, 8),
        "bert.encoder.layer.0.intermediate.dense.bias": (16,),
        "bert.encoder.layer.1.output.dense.weight": (8, 16),
        "bert.encoder.layer.1.output.LayerNorm.weight": (8,),
        "bert.pooler.dense.weight": (8, 8),
        "cls.predictions.bias": (30,),
        "cls.predictions.transform.dense.weight": (8, 8),
        "cls.predictions.transform.LayerNorm.weight": (8,),
        "cls.seq_relationship.weight": (2, 8),
        "cls.seq_relationship.bias": (2,),
    },
    "tf1": {
        "bert/embeddings/word_embeddings": (30, 8),
        "bert/embeddings/position_embeddings": (16, 8),
        "bert/embeddings/token_type_embeddings": (2, 8),
        "bert/embeddings/LayerNorm/gamma": (8,),
        "bert/encoder/layer_0/attention/self/query/kernel": (8, 8),
        "bert/encoder/layer_1/attention/self/value/bias": (8,),
        "bert/encoder/layer_1/attention/output/dense/kernel": (8, 8),
        "bert/encoder/layer_0/attention/output/LayerNorm/beta": (8,),
        "bert/encoder/layer_0/intermediate/dense/kernel": (8, 16),
        "bert/encoder/layer_0/intermediate/dense/bias": (16,),
        "bert/encoder/layer_1/output/dense/kernel": (16, 8),
        "bert/encoder/layer_1/output/LayerNorm/gamma": (8,),
        "bert/pooler/dense/kernel": (8, 8),
        "cls/predictions/output_bias": (30,),
        "cls/predictions/transform/dense/kernel": (8, 8),
        "cls/predictions/transform/LayerNorm/gamma": (8,),
        "cls/seq_relationship/output_weights": (2, 8),
        "cls/seq_relationship/output_bias": (2,),
    },
    "model_garden": {
        "word_embeddings/embeddings": (30, 8),
        "position_embedding/embeddings": (16, 8),
        "type_embeddings/embeddings": (2, 8),
        "transformer/layer_0/self_attention/query/kernel": (8, 2, 4),
        "transformer/layer_1/self_attention/value/bias": (2, 4),
        "transformer/layer_1/self_attention/attention_output/kernel": (2, 4, 8),
        "transformer/layer_0/self_attention/attention_output/bias": (8,),
        "transformer/layer_0/self_attention_layer_norm/gamma": (8,),
        "transformer/layer_0/intermediate/kernel": (8, 16),
        "transformer/layer_1/output/kernel": (16, 8),
        "pooler_transform/kernel": (8, 8),
        "cls/predictions/output_bias/bias": (30,),
        "next_sentence/logits/kernel": (8, 2),
        "next_sentence/logits/bias": (2,),
    },
}


@pytest.mark.parametrize("column", _FORMATS)
def test_every_weight_of_the_model_is_in_a_file_exactly_once(
    column, tiny_config
):
    """Check single arrays, and fused matrices and biases by thirds."""
    thirds = collections.defaultdict(list)
    for place in published_places(tiny_config, column):
        thirds[place.weight].append(place.third)
    expected = {
        weight.path: [0, 1, 2] if "query_key_value" in weight.path else [None]
        for weight in bert_pretrainer(tiny_config).weights
    }
    assert {weight: sorted(them) for weight, them in thirds.items()} == expected


@pytest.mark.parametrize("column", _FORMATS)
@pytest.mark.parametrize("size", [*_ENCODERS])
def test_published_sizes_have_the_published_numbers_of_weights(column, size):
    config = BertConfig.from_json(f"configs/bert_{size}.json")
    places = published_places(config, column)
    assert len({place.name for place in places}) == len(places)
    heads = ("masked_lm_head", "nsp_head")
    encoder = [place for place in places if place.part not in heads]
    num_arrays, num_weights = _ENCODERS[size]
    assert len(encoder) == num_arrays
    assert sum(math.prod(place.shape) for place in encoder) == num_weights
    # Five arrays of the masked-LM head, two of the NSP head.
    assert len(places) == num_arrays + 7


@pytest.mark.parametrize("column", _FORMATS)
def test_names_and_shapes_are_those_of_the_publishers(column, tiny_config):
    places = published_places(tiny_config, column)
    shapes = {place.name: place.shape for place in places}
    assert shapes.items() >= _PUBLISHED[column].items()


def test_parts_of_a_fused_matrix_lie_as_the_publishers_lay_them(tiny_config):
    """Check transposed arrays of torch and separate heads of Model Garden."""
    fused = np.arange(8 * 24.0).reshape(8, 24)
    key = fused[:, 8:16]
    expected = {
        "hugging_face": (
            "bert.encoder.layer.1.attention.self.key.weight",
            key.T,
        ),
        "tf1": ("bert/encoder/layer_1/attention/self/key/kernel", key),
        "model_garden": (
            "transformer/layer_1/self_attention/key/kernel",
            key.reshape(8, 2, 4),
        ),
    }
    for column, (name, array) in expected.items():
        (place,) = [
            place
            for place in published_places(tiny_config, column)
            if place.name == name
        ]
        np.testing.assert_array_equal(place.written_from(fused), array)
        read = np.full((8, 24), np.nan)
        place.read_into(read, array)
        np.testing.assert_array_equal(read[:, 8:16], key)
        assert np.isnan(read[:, :8]).all() and np.isnan(read[:, 16:]).all()


@pytest.mark.parametrize("column", _FORMATS)
def test_writing_is_the_inverse_of_reading(column, tiny_config):
    config = dataclasses.replace(tiny_config, num_attention_heads=4)
    random = np.random.default_rng(0)
    for weight, shape in weight_shapes(config).items():
        values = random.normal(size=shape).astype(np.float32)
        read = np.full_like(values, np.nan)
        for place in published_places(config, column):
            if place.weight == weight:
                array = place.written_from(values)
                assert array.shape == place.shape
                place.read_into(read, array)
        np.testing.assert_array_equal(read, values, weight)
