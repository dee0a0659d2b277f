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


def test_equal_nodes_are_merged_but_no_random_numbers_and_large_constants():
    def function(x):
        large = [tf.constant(np.ones(300, "float32")) for _ in range(2)]
        sides = [2.0 * x + tf.constant(k) for k in (1.0, 1.0, 3.0)]
        randoms = [tf.random.uniform([9]) for _ in range(2)]
        return *randoms, *sides, x + sum(large)

    merged, (first, second, *sides, total) = _run_merged(
        function, np.float32(5.0)
    )
    assert not np.array_equal(first, second)
    assert sides == [11.0, 11.0, 13.0] and (total == 7.0).all()
    ops = [node.op for node in merged.node_def]
    assert ops.count("Mul") == 1
    sizes = [x.ByteSize() for x in merged.node_def if x.op == "Const"]
    assert sum(size > 1000 for size in sizes) == 2
