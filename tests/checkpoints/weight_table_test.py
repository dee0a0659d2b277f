import dataclasses

import numpy as np
import pytest

from keras_bert.checkpoints.weight_table import own_places
from keras_bert.checkpoints.weight_table import published_places
from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.config import BertConfig
from keras_bert.models import bert_pretrainer

_FORMATS = ("hugging_face", "tf1", "model_garden")
_SIZES = ("tiny", "mini", "small", "medium", "base", "large")


def test_the_table_has_every_weight_of_the_model(tiny_config):
    model = bert_pretrainer(tiny_config)
    assert weight_shapes(tiny_config) == {
        weight.path: tuple(weight.shape) for weight in model.weights
    }


@pytest.mark.parametrize("size", _SIZES)
@pytest.mark.parametrize("column", _FORMATS)
def test_published_sizes_hold_as_many_numbers_as_the_model(column, size):
    config = BertConfig.from_json(f"configs/bert_{size}.json")
    places = published_places(config, column)
    assert len({place.name for place in places}) == len(places)
    assert sum(np.prod(place.shape) for place in places) == sum(
        np.prod(shape) for shape in weight_shapes(config).values()
    )


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


def test_own_names_are_those_that_keras_writes(tiny_config, tmp_path):
    h5py = pytest.importorskip("h5py")
    config = dataclasses.replace(tiny_config, num_hidden_layers=3)
    path = tmp_path / "model.weights.h5"
    bert_pretrainer(config).save_weights(path)
    saved = {}
    with h5py.File(path) as file:
        file.visititems(
            lambda name, item: (
                saved.update({name: item.shape})
                if isinstance(item, h5py.Dataset)
                else None
            )
        )
    assert {place.name: place.shape for place in own_places(config)} == saved
