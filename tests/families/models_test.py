"""Models of all families: weights, files and the last block."""

import numpy as np
import pytest

from keras_bert import models
from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.weight_map import published_locations
from keras_bert.checkpoints.weight_table import HeadSize
from keras_bert.checkpoints.weight_table import model_types
from keras_bert.checkpoints.weight_table import weight_shapes
from tests import tiny

# Each family once, and variants with different weights.
_CONFIGS = {
    **{name: {} for name in model_types() if find_family(name).parts},
    "albert groups": {"num_hidden_groups": 2, "inner_group_num": 2},
    **{
        f"{name} long": {"attention_window": 4}
        for name in ("albert", "bert", "distilbert")
    },
    "deberta decoder": {"enhanced_mask_decoder": True},
    "deberta-v2 convolution": {"conv_kernel_size": 3},
    "deberta-v2 decoder": {
        **{"enhanced_mask_decoder": True, "conv_kernel_size": 3}
    },
    "electra wide": {"E": 8},
}


# All sizes are different, so that the table and the model cannot swap any.
_SIZES = {"P": 22, "H": 8, "I": 12, "L": 3, "N": 2, "E": 6}


@pytest.fixture(scope="module", params=_CONFIGS)
def config(request):
    name = request.param.split()[0]
    kind = find_family(name).config
    fields, keys = kind.__dataclass_fields__, kind.size_keys
    sizes = {k: x for k, x in _SIZES.items() if keys.get(k) in fields}
    return tiny.config(name, **{**sizes, **_CONFIGS[request.param]})


@pytest.fixture(scope="module")
def model(config):
    return tiny.widened(models.pretrainer(config))


@pytest.fixture
def inputs(model, random_batch):
    return tiny.inputs_of(model, random_batch(0)[0])


def test_the_table_has_every_weight_of_the_model(config, model):
    shapes = {w.path: tuple(w.shape) for w in model.weights}
    encoder = {w.path: tuple(w.shape) for w in models.encoder(config).weights}
    assert weight_shapes(config) == shapes | encoder


def test_the_table_has_every_weight_of_task_heads(config):
    family, shapes = find_family(config.model_type), weight_shapes(config)
    for part, kind in family.task_heads.items():
        size = HeadSize(part, 1 if part == "choice_scorer" else 2)
        head = kind.layer(config, size.num_outputs, part)
        head.build((None, config.sizes["H"]))
        known = weight_shapes(config, size)
        assert {*known} - {*shapes} == {w.path for w in head.weights}


def test_a_keras_file_and_a_clone_keep_outputs_and_ties(
    model, inputs, tmp_path
):
    tiny.check_keras_file(model, inputs, tmp_path)


def test_predictions_are_those_of_the_whole_sequence(model, inputs):
    """The last block computes only the states that a head reads."""
    if model.name.startswith("xlnet"):
        pytest.skip("The predicted tokens of XLNet are hidden.")
    number = inputs["masked_lm_positions"].shape[1]
    some = model(inputs)["mlm_logits"]
    every = np.tile(np.arange(10, dtype="int32"), (4, 1))
    whole = model({**inputs, "masked_lm_positions": every})["mlm_logits"]
    rows = inputs["masked_lm_positions"][:, :, None]
    assert some.shape == (4, number, 30)
    np.testing.assert_allclose(
        some, np.take_along_axis(np.asarray(whole), rows, axis=1), atol=1e-5
    )


@pytest.mark.parametrize("model_type", ["albert", "distilbert"])
def test_the_last_block_normalizes_only_what_is_looked_at(
    model_type, random_batch
):
    model = models.pretrainer(tiny.config(model_type, L=3))
    name = "group_0_block_0" if model_type == "albert" else "block_2"
    norm, shapes = model.get_layer(name).output_layer_norm, []
    normalize = norm.call
    norm.call = lambda x: shapes.append(tuple(x.shape)) or normalize(x)
    model(tiny.inputs_of(model, random_batch(0)[0]))
    runs = [(4, 10, 8), (4, 10, 8), (4, 4, 8)]  # Includes the pooler's token.
    assert shapes == (runs if model_type == "albert" else [(4, 3, 8)])


def test_a_head_that_transformers_has_no_class_for_has_no_place():
    config = tiny.config("deberta")
    with pytest.raises(
        ValueError, match="'hugging_face' .* DeBERTa with a choice_scorer"
    ):
        published_locations(
            config, "hugging_face", HeadSize("choice_scorer", 1)
        )
