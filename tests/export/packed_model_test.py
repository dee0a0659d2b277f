import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.export.packed_model import packed_model
from keras_bert.layers import BertEmbeddings
from keras_bert.layers import FeedForward
from keras_bert.layers import FlatDense
from keras_bert.layers import PostNormBlock
from keras_bert.layers import SelfAttention
from keras_bert.models import Backbone
from keras_bert.models.families.albert.model import albert_backbone
from keras_bert.models.families.modernbert.model import modernbert_backbone
from keras_bert.models.task_model import add_task_head
from keras_bert.models.task_model import over_choices
from tests import tiny

_SEED = 7
# 1 at tokens: a full row, a row with one masked token, an empty row.
_MASK = [[1] * 21, [1, 1, 0, 1, 0] + [0] * 16, [0] * 21, [1] * 9 + [0] * 12]
_LENGTHS = [21, 4, 1, 9]
_WITH_TOKENS = [0, 1, 3]


@pytest.fixture
def backbone():
    backbone = albert_backbone(tiny.config("albert", L=3, P=32))
    tiny.widened(backbone.encoder("encoder"))
    return backbone


@pytest.fixture
def inputs():
    random = np.random.default_rng(_SEED)
    return {
        "input_ids": random.integers(0, 30, (4, 21), np.int32),
        "input_mask": np.array(_MASK, np.int32),
        "segment_ids": random.integers(0, 2, (4, 21), np.int32),
    }


@pytest.fixture
def modernbert():
    config = tiny.config("modernbert", H=12, P=600, local_attention=8)
    backbone = modernbert_backbone(config)
    tiny.widened(backbone.encoder("encoder"))
    return backbone


@pytest.mark.parametrize("name", ["backbone", "modernbert"])
def test_tokens_have_the_states_of_the_model(name, request, inputs):
    model = request.getfixturevalue(name).states_model()
    inputs = tiny.inputs_of(model, inputs)
    expected, packed = model(inputs), packed_model(model)
    assert not [x for x in packed.layers if x.name.startswith("block_")]
    found = packed(inputs)
    assert expected.keys() == found.keys()
    for name, states in expected.items():
        _check_tokens(found[name], states)


def test_some_positions_have_the_states_of_the_model(backbone, inputs):
    name = "masked_lm_positions"
    positions = keras.Input((3,), dtype="int32", name=name)
    model = keras.Model(
        {**backbone.inputs, name: positions}, backbone.last_states(positions)
    )
    inputs[name] = np.array([[20, 0, 5], [3, 1, 0], [0, 0, 0], [2, 8, 0]])
    found, expected = packed_model(model)(inputs), model(inputs)
    np.testing.assert_allclose(
        found.numpy()[_WITH_TOKENS], expected.numpy()[_WITH_TOKENS], atol=1e-5
    )


def test_long_rows_of_modernbert_are_compared_in_blocks(modernbert):
    head = keras.layers.Dense(2, dtype="float32")
    model = add_task_head(modernbert, head, "first_token", "classifier")
    random = np.random.default_rng(_SEED)
    lengths = np.array([[540], [30]])
    inputs = {
        "input_ids": random.integers(0, 30, (2, 540), np.int32),
        "input_mask": (np.arange(540) < lengths).astype("int32"),
    }
    packed = tf.function(packed_model(model))
    np.testing.assert_allclose(
        packed(inputs)["logits"], model(inputs)["logits"], atol=1e-5
    )


def _check_tokens(found, expected, atol=1e-5):
    for row in _WITH_TOKENS:
        np.testing.assert_allclose(
            found[row, : _LENGTHS[row]],
            expected[row, : _LENGTHS[row]],
            atol=atol,
        )


def test_models_inside_a_model(backbone, inputs):
    head = keras.layers.Dense(1, dtype="float32")
    inner = add_task_head(backbone, head, "pooled_output", "scorer")
    model = over_choices(inner, "choices")
    inputs = {
        name: np.stack([x[[0, 1]], x[[3, 0]]]) for name, x in inputs.items()
    }
    packed = packed_model(model)
    expected, found = model(inputs), packed(inputs)
    np.testing.assert_allclose(found["logits"], expected["logits"], atol=1e-5)
    assert "choices" not in [layer.name for layer in packed.layers]


def test_calls_of_one_block_share_its_weights(backbone):
    model = backbone.encoder("encoder")
    kernels = [
        sum(w.name == "kernel" for w in x.weights)
        for x in (model, packed_model(model))
    ]
    # The block's four products and their halves.
    assert kernels[1] - kernels[0] == 2 * 4


def test_one_chunk_has_no_copies_of_weights(backbone):
    model = backbone.encoder("encoder")
    packed = packed_model(model, num_chunks=1)
    assert {id(w) for w in packed.weights} == {id(w) for w in model.weights}


def test_no_rows(backbone, inputs):
    packed = packed_model(backbone.encoder("encoder"))
    none = packed({name: x[:0] for name, x in inputs.items()})
    assert none["sequence_output"].shape == (0, 21, 8)
    assert none["pooled_output"].shape == (0, 8)


def test_products_are_of_tokens_and_attention_of_few_shapes(
    backbone, inputs, monkeypatch
):
    packed = packed_model(backbone.encoder("encoder"))
    tokens, grids = [], []
    call, attend = FlatDense.call, SelfAttention.attend

    def seen_call(layer, x, training=None):
        if layer.name == "query_key_value":
            tokens.append((x.shape[0], layer.units))
        return call(layer, x, training)

    def seen_attend(layer, heads, context, *arguments):
        grids.append(tuple(context.attention_mask.shape))
        return attend(layer, heads, context, *arguments)

    monkeypatch.setattr(FlatDense, "call", seen_call)
    monkeypatch.setattr(SelfAttention, "attend", seen_attend)
    many = {name: np.tile(x, (10, 1)) for name, x in inputs.items()}
    # 21, 25, 26, 35 and 9 x 35 + 25 tokens.
    for num_rows, num_tokens, grid_rows in (
        (1, 24, 1),
        (2, 28, 2),
        (3, 28, 3),
        (4, 36, 4),
        (38, 352, 48),
    ):
        tokens.clear()
        grids.clear()
        packed({name: x[:num_rows] for name, x in many.items()})
        # Three blocks with two parts, each with 12 of the 24 units.
        assert tokens == [(num_tokens, 12)] * 6
        assert grids == [(grid_rows, 24)] * 6


@pytest.mark.parametrize(
    "policy, sizes, atol",
    [
        # Products in bfloat16 are not divided.
        ("mixed_bfloat16", (8, 2, 16), 0.05),
        ("float32", (7, 1, 9), 1e-5),
    ],
)
def test_other_widths_and_policies(policy, sizes, atol, inputs, monkeypatch):
    if policy == "mixed_bfloat16":
        monkeypatch.setattr(FlatDense, "select_units", None)
    width, num_heads, inner = sizes
    block = PostNormBlock(
        SelfAttention(width, num_heads, dtype=policy, name="self_attention"),
        FeedForward(width, inner, dtype=policy, name="feed_forward"),
        dtype=policy,
    )
    embeddings = BertEmbeddings(30, width, 32)
    model = Backbone(embeddings, [block]).encoder("encoder")
    found, expected = packed_model(model)(inputs), model(inputs)
    name = "sequence_output"
    _check_tokens(found[name], expected[name], atol=atol)


def test_a_block_with_its_own_call_is_left_alone(inputs):
    class Doubled(SelfAttention):
        def call(self, *arguments, **named):
            return 2 * super().call(*arguments, **named)

    block = PostNormBlock(
        Doubled(8, 2, name="self_attention"),
        FeedForward(8, 16, name="feed_forward"),
    )
    model = Backbone(BertEmbeddings(30, 8, 32), [block]).encoder("encoder")
    np.testing.assert_array_equal(
        packed_model(model)(inputs)["sequence_output"],
        model(inputs)["sequence_output"],
    )


def test_a_loss_is_not_taken_along(backbone):
    model = backbone.encoder("encoder")
    model.compile(loss=lambda labels, outputs: outputs)
    assert not packed_model(model).compiled
