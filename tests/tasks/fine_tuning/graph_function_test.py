import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import FlatDense
from keras_bert.tasks.fine_tuning.graph_function import GraphFunction

_MANY = 64
_INPUTS = {"x": tf.random.stateless_normal([5, 4], [0, 1])}


def _model(policy):
    x = keras.Input((4,), name="x")
    dense = FlatDense(3, "gelu", dtype=policy)
    model = keras.Model({"x": x}, {"y": dense(x)})
    model.dtype_policy = policy
    return model, dense.kernel


def _outputs(function):
    return function(_INPUTS)["y"].numpy().astype(np.float32)


@pytest.fixture
def narrow():
    return _model("mixed_bfloat16")


def _add_in_graph(kernel):
    tf.function(lambda: kernel.assign(kernel + 1.0))()


def _apply_gradients(kernel):
    optimizer = keras.optimizers.SGD(1.0)
    optimizer.apply([tf.ones([4, 3])], [kernel])


def test_many_batches_get_constants_and_the_same_answers(narrow):
    functions = GraphFunction(narrow[0])
    plain = functions.for_batches(_MANY - 2)
    assert functions.for_batches(1) is plain
    constant = functions.for_batches(1)
    assert constant is not plain
    np.testing.assert_array_equal(_outputs(constant), _outputs(plain))
    assert functions.for_batches(1) is constant


def test_float32_stays_as_it_is():
    functions = GraphFunction(_model("float32")[0])
    assert functions.for_batches(_MANY) is functions.for_batches(1)


@pytest.mark.parametrize(
    "change",
    [
        lambda kernel: kernel.assign(np.ones([4, 3])),
        lambda kernel: kernel.assign_add(np.ones([4, 3])),
        _add_in_graph,
        _apply_gradients,
    ],
    ids=["assign", "assign_add", "in_graph", "optimizer"],
)
@pytest.mark.parametrize("num_batches", [1, _MANY])
def test_a_changed_matrix_is_seen(narrow, change, num_batches):
    model, kernel = narrow
    functions = GraphFunction(model)
    before = _outputs(functions.for_batches(_MANY))
    change(kernel)
    after = _outputs(functions.for_batches(num_batches))
    assert np.abs(after - before).max() > 0.1
    # Eagerly it rounds between the product and the GELU.
    eager = model(_INPUTS)["y"].numpy().astype(np.float32)
    np.testing.assert_allclose(after, eager, atol=0.02)
