import numpy as np
import tensorflow as tf

from keras_bert.export.equal_nodes import merge_equal_nodes


def _run_merged(function, inputs):
    """Return the merged `FunctionDef` and its outputs for an array."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        outputs = tf.function(function)(tf.constant(inputs))
        names = [x.name for x in outputs]
    graph_def = graph.as_graph_def()
    (merged,) = graph_def.library.function
    merge_equal_nodes(merged)
    with tf.Graph().as_default(), v1.Session() as session:
        outputs = tf.graph_util.import_graph_def(
            graph_def, return_elements=names
        )
        return merged, session.run(outputs)


def test_equal_nodes_are_merged_and_outputs_are_the_same():
    def function(x):
        sides = [2.0 * x[:, :1] + tf.constant(k) for k in (1.0, 1.0, 3.0)]
        return *sides, tf.reshape(sides[1], tf.shape(sides[0])[:1])

    inputs = np.arange(6.0, dtype="float32").reshape(3, 2)
    merged, outputs = _run_merged(function, inputs)
    for found, expected in zip(outputs, function(inputs), strict=True):
        np.testing.assert_array_equal(found, expected)
    ops = [node.op for node in merged.node_def]
    assert (ops.count("Mul"), ops.count("AddV2")) == (1, 2)


def test_random_numbers_and_large_constants_are_kept():
    def function(x):
        large = [tf.constant(np.ones(300, "float32")) for _ in range(2)]
        return *(tf.random.uniform([9]) for _ in range(2)), x + sum(large)

    merged, (first, second, _) = _run_merged(function, np.float32(0.0))
    assert not np.array_equal(first, second)
    sizes = [x.ByteSize() for x in merged.node_def if x.op == "Const"]
    assert sum(size > 1000 for size in sizes) == 2
