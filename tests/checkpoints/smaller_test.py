"""Models initialized with some layers of larger models."""

import numpy as np
import pytest

from keras_bert.checkpoints import PretrainedModel
from keras_bert.models.backbone import student_layer_indices
from tests import tiny


@pytest.fixture
def make(make_settings_of):
    def make(model_type, **changes):
        settings = make_settings_of(model_type)
        size = len(settings.vocabulary)
        config = tiny.config(model_type, V=size, L=5, **changes)
        return tiny.widened(PretrainedModel.from_config(config, settings))

    return make


@pytest.mark.parametrize(
    ("num_teacher", "num_student", "period", "layers"),
    [
        (12, 6, 1, [0, 2, 4, 7, 9, 11]),
        (3, 3, 1, [0, 1, 2]),
        (22, 7, 3, [0, 4, 5, 9, 13, 17, 21]),
    ],
)
def test_layers_are_spread_evenly(num_teacher, num_student, period, layers):
    assert student_layer_indices(num_teacher, num_student, period) == layers


def test_each_kind_of_layer_stays_and_none_comes_twice():
    for period in (1, 2, 3, 5):
        for num_teacher in range(1, 26):
            for num_student in range(1, num_teacher + 1):
                kept = student_layer_indices(num_teacher, num_student, period)
                assert kept == sorted({*kept}) and kept[-1] < num_teacher
                assert all((x - i) % period == 0 for i, x in enumerate(kept))


@pytest.mark.parametrize("num_student", [0, 7, 2.0])
def test_other_numbers_of_layers_are_refused(num_student):
    message = f"`num_layers` must be .* from 1 to 6.*={num_student}"
    with pytest.raises(ValueError, match=message):
        student_layer_indices(6, num_student)


# Blocks 0 and 3 of ModernBERT have full attention.
@pytest.mark.parametrize(
    ("family", "layers"), [("bert", [0, 2, 4]), ("modernbert", [0, 1, 2])]
)
def test_a_smaller_model_has_the_weights_of_the_layers_it_keeps(
    family, layers, make
):
    model = make(family)
    small = model.smaller(3)
    assert small.config.sizes == {**model.config.sizes, "L": 3}
    assert small.tokenizer_settings is model.tokenizer_settings
    for new, place in enumerate(layers):
        old, block = model.backbone.blocks[place], small.backbone.blocks[new]
        own = {w.path.partition("/")[2]: w for w in old.weights}
        assert block.weights
        for weight in block.weights:
            original = own[weight.path.partition("/")[2]]
            assert weight is not original
            np.testing.assert_array_equal(weight, original)
    weights = model.weights
    others = {
        path: weight
        for path, weight in small.weights.items()
        if not path.startswith("block_")
    }
    assert any("masked_lm_head" in path for path in others)
    for path, weight in others.items():
        np.testing.assert_array_equal(weight, weights[path], err_msg=path)


def test_layers_that_share_their_weights_keep_them_all(make):
    model = make("albert", num_hidden_groups=2, inner_group_num=2)
    small = model.smaller(2)
    assert len(small.backbone.blocks) == 4
    assert {*small.weights} == {*model.weights}
    for path, weight in small.weights.items():
        np.testing.assert_array_equal(weight, model.weights[path])
    with pytest.raises(
        ValueError, match="`num_hidden_groups` must be .*from 1 to 1.*=2"
    ):
        model.smaller(1)
