"""Graph functions of a task and their conversion to TFLite."""

import collections
import warnings

import keras
import numpy as np
import tensorflow as tf

from keras_bert import features
from keras_bert.export.saved_model.served_graph import text_signature
from keras_bert.export.saved_model.served_graph import without_padding


def text_function(task):
    """Create a `tf.function` that takes strings and has constant weights.

    The function takes the `text_inputs` of the task and returns the outputs of
    `predict_texts` except `substring_outputs`. Rows are padded to the longest
    text of the call. An empty batch returns empty outputs.
    """
    encode = without_padding(task._graph_inputs)

    def answer(*texts):
        outputs = task._predict_encoded(*encode(*texts), *texts)
        return {
            name: rows
            for name, rows in outputs.items()
            if name not in task.substring_outputs
        }

    answer = _of_any_rows(answer)
    return constant_function(task.model, answer, text_signature(task))


def ids_function(task):
    """Create a `tf.function` that calls `predict_ids` on model inputs."""
    rank = len(task.model.input[features.INPUT_IDS.name].shape)
    signature = [
        tf.TensorSpec([None] * rank, tf.int32, name)
        for name in task.input_names
    ]
    answer = _of_any_rows(
        lambda *ids: task.predict_ids(
            dict(zip(task.input_names, ids, strict=True))
        )
    )
    return constant_function(task.model, answer, signature)


def constant_function(model, answer, signature):
    """Create a `tf.function` with the variables of a model as constants.

    TFLite interpreters cannot load variables.
    """
    weights = [(v, v.numpy()) for v in model.variables]

    @tf.function(input_signature=signature)
    def function(*inputs):
        constants = [(v, tf.constant(value)) for v, value in weights]
        with keras.StatelessScope(constants):
            return answer(*inputs)

    return function


def _of_any_rows(answer):
    """Wrap a function so that an empty batch has empty outputs."""

    def wrapped(*inputs):
        count = tf.shape(inputs[0])[0]
        outputs = answer(*(_with_a_row(x, count) for x in same_rows(inputs)))
        return {name: rows[:count] for name, rows in outputs.items()}

    return wrapped


def same_rows(inputs):
    """Reshape all inputs of a request to the shape of the first input.

    TFLite and ONNX have no assertions. Instead, the reshape fails if an input
    has a different number of rows, or the same rank and a different number of
    values.
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


def convert(function, model, precision, samples=()):
    """Convert a graph function to a TFLite flatbuffer (bytes).

    "int8" computes the scales of activations at run time; "full_int8" computes
    them from `samples`, dicts of input arrays.
    """
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [function.get_concrete_function()], model
    )
    # Allow unsupported ops here, because the error of `check_operators` names
    # them.
    converter.allow_custom_ops = True
    if precision != "float32":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if precision == "float16":
        converter.target_spec.supported_types = [tf.float16]
    if precision == "full_int8":
        # Give all samples the same shape, because the interpreter resizes
        # inputs one by one. Repeat short samples, because padding distorts the
        # scales.
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
                f"TFLite cannot convert this model to {precision}: {first}"
            ) from error


def operators(flatbuffer):
    """Count the ops of a TFLite file.

    Returns:
        Two `collections.Counter`s of op names: built-in ops, such as
        "FULLY_CONNECTED", and custom ops. TensorFlow ops are custom ops
        with names that begin with "Flex".
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
        for position in range(graph.OperatorsLength()):
            code = codes[graph.Operators(position).OpcodeIndex()]
            if code.CustomCode() is None:
                # Older files use the narrower field.
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
            "A TFLite file may use only the built-in ops of TFLite"
            f"{' and ops of tensorflow-text' if allowed else ''}. "
            f"Received: a task that needs {', '.join(missing)}. {advice}"
        )
