import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import BertEmbeddings
from keras_bert.layers import FlatDense
from keras_bert.layers import TransformerEncoderBlock
from keras_bert.models import Backbone
from keras_bert.tasks.training.graph_function import GraphFunction

_MANY = 64
_SEED = 7
_TOKENS = {
    "input_ids": tf.constant([[2, 5, 7, 9], [4, 3, 0, 0]]),
    "input_mask": tf.constant([[1, 1, 1, 1], [1, 1, 0, 0]]),
    "segment_ids": tf.constant([[0, 0, 1, 1], [0, 0, 0, 0]]),
}


@pytest.fixture
def narrow():
    """Return a bfloat16 model, one of its matrices, and its output."""
    x = keras.Input((4,), name="x")
    dense = FlatDense(3, "gelu", dtype="mixed_bfloat16")
    model = keras.Model({"x": x}, {"y": dense(x)})
    model.dtype_policy = "mixed_bfloat16"
    inputs = {"x": tf.random.stateless_normal([5, 4], [0, 1])}
    return model, dense, lambda f: f(inputs)["y"].numpy().astype(np.float32)


@pytest.fixture
def wide():
    """Return the same in float32, with a block that can be packed."""
    keras.utils.set_random_seed(_SEED)
    block = TransformerEncoderBlock(8, 2, 16)
    model = Backbone(BertEmbeddings(30, 8, 32), [block]).encoder("encoder")
    for variable in block.weights:
        variable.assign(keras.random.normal(variable.shape, stddev=0.3))
    dense = block.feed_forward.intermediate
    return model, dense, lambda f: f(_TOKENS)["sequence_output"].numpy()[0]


def _after_calls(functions, number):
    for _ in range(number):
        function = functions.for_batches(1)
    return function


def test_many_batches_get_constants_and_the_same_answers(narrow):
    model, _, outputs = narrow
    functions = GraphFunction(model)
    plain = functions.for_batches(_MANY - 2)
    assert functions.for_batches(1) is plain
    constant = functions.for_batches(1)
    assert constant is not plain
    np.testing.assert_array_equal(outputs(constant), outputs(plain))
    assert functions.for_batches(1) is constant


def test_many_calls_in_float32_get_a_packed_model(wide):
    model, _, outputs = wide
    functions = GraphFunction(model)
    plain = functions.for_batches(_MANY)
    assert _after_calls(functions, _MANY - 2) is plain
    packed = functions.for_batches(1)
    assert packed is not plain
    np.testing.assert_allclose(outputs(packed), outputs(plain), atol=1e-6)


def _add_in_graph(variable):
    tf.function(lambda: variable.assign(variable + 1.0))()


def _apply_gradients(variable):
    optimizer = keras.optimizers.SGD(1.0)
    optimizer.apply([-tf.ones(variable.shape)], [variable])


@pytest.mark.smoke("1e-06-kernel-optimizer", "bias-in_graph", "0.02-kernel-ass")
@pytest.mark.parametrize(
    "change",
    [
        lambda variable: variable.assign(np.ones(variable.shape)),
        _add_in_graph,
        _apply_gradients,
    ],
    ids=["assign", "in_graph", "optimizer"],
)
@pytest.mark.parametrize(
    ("kind", "atol", "name"),
    [
        # Eager execution rounds between the product and the GELU.
        ("narrow", 0.02, "kernel"),
        ("wide", 1e-6, "kernel"),
        ("wide", 1e-6, "bias"),
    ],
)
def test_a_changed_weight_is_seen_in_copies(request, kind, atol, name, change):
    model, dense, outputs = request.getfixturevalue(kind)
    functions = GraphFunction(model)
    before = outputs(_after_calls(functions, _MANY))
    change(getattr(dense, name))
    expected = outputs(lambda x: model(x, training=False))
    for _ in range(2):
        after = outputs(functions.for_batches(1))
        np.testing.assert_allclose(after, expected, atol=atol)
    assert np.abs(after - before).max() > 0.1
