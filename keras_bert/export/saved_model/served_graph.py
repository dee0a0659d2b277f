"""Serving graph that maps texts or token ids to predictions."""

import tensorflow as tf

from keras_bert import features
from keras_bert.export.equal_nodes import merge_equal_nodes
from keras_bert.export.packed_model import row_lengths
from keras_bert.export.saved_model.served_model import use_narrow_constants


class ServedGraph:
    """Graph, variables and signatures for a task's SavedModel.

    The graph takes strings or token ids.

    Args:
        task: a task of `keras_bert.tasks`.
        model: `ServedModel` of the task's model.

    Attributes:
        graph: `tf.Graph`.
        values: list of (variable in the graph, value) pairs; each value is an
            array.
        signatures: dict mapping signature names to pairs of tensor dicts,
            the inputs and the outputs.
    """

    def __init__(self, task, model):
        traced = {}

        def trace(*texts):
            checked = _checked_texts(task, texts)
            inputs, extra = without_padding(task._graph_inputs)(*checked)
            ids = {
                name: tf.compat.v1.placeholder_with_default(
                    inputs[name], [None] * len(inputs[name].shape), name
                )
                for name in task.input_names
            }
            ids_checked = _checked(task, ids)
            outputs = task.predict_ids(ids_checked, model)
            answers = task._postprocess(
                outputs, {**inputs, **ids_checked}, *checked
            )
            texts = dict(zip(task.text_inputs, texts, strict=True))
            traced["serving_default"] = texts, {**answers, **extra}
            traced["tokens"] = texts, {n: inputs[n] for n in task.input_names}
            traced["ids"] = ids, outputs

        # With `tf.function`, the outputs for ids would depend on the checks of
        # the texts.
        function = tf.compat.v1.wrap_function(trace, text_signature(task))
        self.graph, self.values = _plain_graph(function)
        self.signatures = {
            name: tuple(self._tensors(side) for side in sides)
            for name, sides in traced.items()
        }

    def _tensors(self, traced):
        return {
            name: self.graph.get_tensor_by_name(tensor.name)
            for name, tensor in traced.items()
        }


def text_signature(task):
    """Return a `tf.TensorSpec` for each string input of a task."""
    return [
        tf.TensorSpec(task.text_shapes.get(name, [None]), tf.string, name)
        for name in task.text_inputs
    ]


def without_padding(encode):
    """Wrap `Task._graph_inputs` to trim padding beyond the longest text."""

    def cut(*texts):
        inputs, extra = encode(*texts)
        lengths = row_lengths(inputs[features.INPUT_MASK.name])
        length = tf.reduce_max(tf.concat([lengths, [1]], axis=0))
        return {name: x[..., :length] for name, x in inputs.items()}, extra

    return cut


def _plain_graph(function):
    """Trace a function and return its graph and (variable, value) pairs.

    Other captured tensors become constants of the graph.
    """
    outside = function.captured_inputs
    captured = function.inputs[len(function.inputs) - len(outside) :]
    known = {id(v.handle): v for v in function.graph.variables}
    variables, constants = {}, {}
    for inside, tensor in zip(captured, outside, strict=True):
        if id(tensor) in known:
            variables[inside.name] = known[id(tensor)]
        else:
            constants[inside.name] = tensor.numpy()
    values = [variable.numpy() for variable in variables.values()]
    graph_def = function.graph.as_graph_def()
    for nodes in (
        graph_def.node,
        *(each.node_def for each in graph_def.library.function),
    ):
        use_narrow_constants(nodes)
        for node in nodes:
            node.attr.pop(
                "_gradient_op_type", None
            )  # The attribute refers to Python functions.
    for each in graph_def.library.function:
        merge_equal_nodes(each)
    graph = tf.Graph()
    with graph.as_default():
        copies = _new_variables(variables.values())
        given = {name: tf.constant(x) for name, x in constants.items()}
        for name, variable in zip(variables, copies, strict=True):
            given[name] = variable.handle
        tf.import_graph_def(graph_def, input_map=given, name="")
    return graph, [*zip(copies, values, strict=True)]


def _new_variables(variables):
    """Create variables with the same names and shapes in the current graph."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        described = [
            v1.Variable(
                tf.zeros(variable.shape, variable.dtype),
                name="weights/" + variable.name.partition(":")[0],
                use_resource=True,
            ).to_proto()
            for variable in variables
        ]
    graph_def = graph.as_graph_def()
    for node in graph_def.node:
        # TensorFlow 2.12 does not know this attribute.
        node.attr.pop("debug_name", None)
    tf.import_graph_def(graph_def, name="")
    copies = [v1.Variable(variable_def=each) for each in described]
    v1.get_collection_ref(v1.GraphKeys.GLOBAL_VARIABLES).extend(copies)
    return copies


def _checked_texts(task, texts):
    """Check the shapes of a request's texts and return the texts."""
    texts = [
        tf.ensure_shape(text, spec.shape)
        for text, spec in zip(texts, text_signature(task), strict=True)
    ]
    shapes = {
        n: tf.shape(x) for n, x in zip(task.text_inputs, texts, strict=True)
    }
    counts = tf.stack([shape[0] for shape in shapes.values()])
    checks = [
        _assertion(
            _is(counts, counts[0]),
            f"{' and '.join(shapes)} must have equal numbers of rows. "
            "Received:",
            counts,
        ),
        *(
            _assertion(
                shapes[name][1] > 0,
                f"Each row of {name} must not be empty. Received shape:",
                shapes[name],
            )
            for name in task.text_shapes
        ),
    ]
    with tf.control_dependencies(checks):
        return [tf.identity(text) for text in texts]


def _checked(task, ids):
    """Check the values of a request's ids and return the ids."""
    ids = {name: tf.ensure_shape(x, x.shape) for name, x in ids.items()}
    shape = tf.shape(ids[features.INPUT_IDS.name])
    longest = task.preprocess.seq_length
    highest = {
        features.INPUT_IDS.name: len(task.preprocess.tokenizer.vocabulary) - 1,
        features.INPUT_MASK.name: 1,
        features.SEGMENT_IDS.name: task.pretrained.config.sizes.get("S", 1) - 1,
    }
    checks = [
        _assertion(
            tf.reduce_all([_is(tf.shape(x), shape) for x in ids.values()]),
            "All tensors must have the shape of input_ids. Received:",
            *(tf.shape(x) for x in ids.values()),
        ),
        _assertion(
            tf.logical_and(shape[-1] > 0, shape[-1] <= longest),
            f"Rows must have 1 to {longest} tokens. Received:",
            shape[-1],
        ),
        *(_in_range(x, n, highest[n]) for n, x in ids.items() if n in highest),
    ]
    with tf.control_dependencies(checks):
        return {name: tf.identity(tensor) for name, tensor in ids.items()}


def _in_range(tensor, name, highest):
    """Add an assertion that all values are between 0 and `highest`."""
    # `Min` is not used, because it was not tested on a server.
    least, greatest = -1 - tf.reduce_max(-1 - tensor), tf.reduce_max(tensor)
    return _assertion(
        tf.logical_and(least >= 0, greatest <= highest),
        f"{name} must be from 0 to {highest}. Received min, max:",
        least,
        greatest,
    )


def _assertion(condition, message, *received):
    """Create an op that fails with a message and the received value."""
    return tf.raw_ops.Assert(condition=condition, data=[message, *received])


def _is(tensor, wanted):
    return tf.reduce_all(tf.equal(tensor, wanted))
