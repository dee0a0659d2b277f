"""Graph functions of a task and their conversion to TFLite flatbuffers."""

import collections
import warnings

import keras
import numpy as np
import tensorflow as tf

from keras_bert import features
from keras_bert.export.served_graph import text_signature
from keras_bert.export.served_graph import without_padding


def text_function(task):
    """Create a `tf.function` of strings with constant weights.

    Rows are as long as the longest text of the call, so that short texts cost
    little. It takes the task's `text_inputs` and gives the outputs of
    `predict_texts` except `substring_outputs`. No texts give outputs with no
    rows.
    """
    encode = without_padding(task.graph_inputs)

    def answer(*texts):
        outputs = task.predict_encoded(*encode(*texts), *texts)
        return {
            name: rows
            for name, rows in outputs.items()
            if name not in task.substring_outputs
        }

    return _constant_function(task.model, answer, text_signature(task))


def ids_function(task):
    """Create a `tf.function` of `predict_ids` on the task's `inputs`."""
    rank = len(task.model.input[features.INPUT_IDS.name].shape)
    signature = [
        tf.TensorSpec([None] * rank, tf.int32, name) for name in task.inputs
    ]
    return _constant_function(
        task.model,
        lambda *ids: task.predict_ids(dict(zip(task.inputs, ids, strict=True))),
        signature,
    )


def _constant_function(model, answer, signature):
    # An interpreter does not load variables.
    weights = [(v, v.numpy()) for v in model.variables]

    @tf.function(input_signature=signature)
    def function(*inputs):
        count = tf.shape(inputs[0])[0]
        constants = [(v, tf.constant(value)) for v, value in weights]
        rows = [_with_a_row(x, count) for x in same_rows(inputs)]
        with keras.StatelessScope(constants):
            outputs = answer(*rows)
        return {name: rows[:count] for name, rows in outputs.items()}

    return function


def same_rows(inputs):
    """Give all inputs of a request the leading dimensions of the first.

    TFLite and ONNX have no assertions. There a reshape fails if an input has
    another number of rows or, where it has the rank of the first, of values.
    """
    shape = tf.shape(inputs[0])
    rank = inputs[0].shape.rank
    return [
        tf.reshape(x, tf.concat([shape, tf.shape(x)[rank:]], axis=0))
        for x in inputs
    ]


def _with_a_row(rows, count):
    """Add a blank row to an empty batch, because TFLite ops fail on it."""
    blank = tf.constant("" if rows.dtype == tf.string else 0, rows.dtype)
    shape = tf.concat([[1], tf.maximum(tf.shape(rows)[1:], 1)], axis=0)
    return tf.cond(count > 0, lambda: rows, lambda: tf.fill(shape, blank))


def convert(function, model, kind, samples=()):
    """Convert a graph function to a TFLite flatbuffer (bytes).

    "int8" finds the scales of what it multiplies as it runs; "full_int8" has
    them from samples, dicts of arrays for the function.
    """
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [function.get_concrete_function()], model
    )
    # Those that TFLite has not are let through here, for the error of
    # `check_operators` names them.
    converter.allow_custom_ops = True
    if kind != "float32":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if kind == "float16":
        converter.target_spec.supported_types = [tf.float16]
    if kind == "full_int8":
        # Inputs are resized one by one, which fails for changing shapes:
        # repeat short samples, because masked padding spoils the scales.
        shape = max(x.shape for sample in samples for x in sample.values())
        converter.representative_dataset = lambda: (
            {name: np.resize(x, shape) for name, x in sample.items()}
            for sample in samples
        )
    with warnings.catch_warnings():
        # TensorFlow runs the samples in an interpreter that it has deprecated.
        warnings.filterwarnings("ignore", r"\s*Warning: tf.lite.Interpreter")
        try:
            return converter.convert()
        except tf.errors.OpError as error:
            first = f"{error}".strip().splitlines()[0]
            raise ValueError(
                f"TFLite cannot hold this model as {kind}. Received: {first}"
            ) from error


def operators(flatbuffer):
    """Count the ops of a TFLite file.

    Returns:
        Two `collections.Counter`s by name: of built-in ops, such as
        "FULLY_CONNECTED", and of custom ones. The ops of TensorFlow itself
        are custom ones whose names begin with "Flex".
    """
    from ai_edge_litert import schema_py_generated as schema

    names = {
        number: name
        for name, number in vars(schema.BuiltinOperator).items()
        if not name.startswith("_")
    }
    model = schema.Model.GetRootAs(flatbuffer)
    codes = [model.OperatorCodes(n) for n in range(model.OperatorCodesLength())]
    built_in, custom = collections.Counter(), collections.Counter()
    for number in range(model.SubgraphsLength()):
        graph = model.Subgraphs(number)
        for place in range(graph.OperatorsLength()):
            code = codes[graph.Operators(place).OpcodeIndex()]
            if code.CustomCode() is None:
                # Old files have the number in the narrower field.
                index = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
                built_in[names[index]] += 1
            else:
                custom[code.CustomCode().decode()] += 1
    return built_in, custom


def check_operators(flatbuffer, allowed, advice):
    """Raise ValueError if a file needs ops that are not allowed."""
    _, custom = operators(flatbuffer)
    missing = sorted({*custom} - {*allowed})
    if missing:
        raise ValueError(
            "A TFLite file must do with TFLite's built-in ops"
            f"{' and those of tensorflow-text' if allowed else ''}. "
            f"Received: a task that needs {', '.join(missing)}. {advice}"
        )
