"""Conversion of tasks to ONNX graphs."""

import keras
import numpy as np
import onnx
import tensorflow as tf
import tf2onnx

from keras_bert.export.packed_model import packed_model
from keras_bert.export.tflite_functions import same_rows
from keras_bert.export.tflite_samples import id_samples
from keras_bert.export.tflite_samples import sample_columns

# The first opset with layer normalization (ONNX Runtime 1.12).
_OPSET = 17
_DIMENSIONS = {
    2: ("batch_size", "seq_length"),
    3: ("batch_size", "num_choices", "seq_length"),
}
NAMES = ("hugging_face", "keras_bert")
# Hugging Face names of inputs and outputs, by their names in this library.
_PUBLISHED = {
    "input_mask": "attention_mask",
    "segment_ids": "token_type_ids",
    "embedding": "sentence_embedding",
    "pooled_output": "pooler_output",
    "score": "logits",
    "sequence_output": "last_hidden_state",
}
# Some loaders read the first output regardless of its name.
_FIRST_OUTPUTS = ("last_hidden_state", "logits", "start_logits")


def graph_name(name, names):
    """Return the name of an input or output in the ONNX graph."""
    return _PUBLISHED.get(name, name) if names == "hugging_face" else name


def onnx_model(task, names, packed):
    """Convert `predict_ids` to an `onnx.ModelProto`.

    The model takes the inputs of `task.model` and returns the float32 outputs
    of the task by name. The weights are constants.

    Args:
        task: a `Task`.
        names: "hugging_face", with int64 inputs, or "keras_bert", with int32
            inputs.
        packed: bool, whether the graph skips padding.
    """
    inputs = _inputs(task)
    rank = len(task.model.input[inputs[0]].shape)
    is_published = names == "hugging_face"
    dtype = tf.int64 if is_published else tf.int32
    model = _with_states(task) if is_published else task.model
    if packed:
        # ONNX Runtime runs matrix products in parallel itself.
        model = packed_model(model, num_parts=1)

    @tf.function
    def from_ids(*ids):
        ids = same_rows([tf.cast(x, tf.int32) for x in ids])
        # Other inputs, such as offsets in a text, do not affect the outputs.
        given = {name: tf.zeros_like(ids[0]) for name in task.inputs}
        given |= dict(zip(inputs, ids, strict=True))
        outputs = {}
        for name, values in task.predict_ids(given, model).items():
            if values.dtype.is_floating:
                if is_published and name == "score" and values.shape.rank == 1:
                    values = values[:, tf.newaxis]
                outputs[graph_name(name, names)] = tf.identity(values)
        return outputs

    converted, _ = tf2onnx.convert.from_function(
        from_ids,
        input_signature=[
            tf.TensorSpec([None] * rank, dtype, graph_name(name, names))
            for name in inputs
        ],
        opset=_OPSET,
        custom_op_handlers={"Erfc": (_convert_erfc, [])},
    )
    graph = converted.graph
    outputs = sorted(graph.output, key=lambda x: x.name not in _FIRST_OUTPUTS)
    del graph.output[:]
    graph.output.extend(outputs)
    for tensor in [*graph.input, *graph.output]:
        # Outputs may have fewer dimensions.
        dimensions = tensor.type.tensor_type.shape.dim
        for dimension, name in zip(dimensions, _DIMENSIONS[rank], strict=False):
            if not dimension.dim_value:
                dimension.dim_param = name
    # Check the ops, because the converter accepts ops that ONNX lacks.
    onnx.checker.check_model(converted, full_check=True)
    return converted


def graph_samples(task, texts, names):
    """Return a list with a dict of input arrays for each text."""
    dtype = "int64" if names == "hugging_face" else "int32"
    return [
        {graph_name(x, names): sample[x].astype(dtype) for x in _inputs(task)}
        for sample in id_samples(task, sample_columns(task, texts))
    ]


def _inputs(task):
    return [name for name in task.inputs if name in task.model.input]


def _with_states(task):
    """Return a task's model; for embedders, add the last hidden states."""
    if "embedding" not in task.model.output:
        return task.model
    states = task.pretrained.backbone.states[-1]
    return keras.Model(
        task.model.input, {**task.model.output, "sequence_output": states}
    )


def _convert_erfc(graph, node, name, args):
    """Convert `Erfc`, used by GELU, which tf2onnx 1.17 does not support."""
    del args
    one = graph.make_const(f"{name}_one", np.array(1.0, np.float32))
    erf = graph.make_node("Erf", node.input[:1])
    graph.remove_node(name)
    graph.make_node(
        "Sub", [one.output[0], erf.output[0]], name=name, outputs=node.output
    )
