"""Conversion of tasks to ONNX graphs."""

import keras
import numpy as np
import onnx
import tensorflow as tf
import tf2onnx

from keras_bert.export.length_comparison import check_lengths
from keras_bert.export.length_comparison import length_samples
from keras_bert.export.packed_model import packed_model
from keras_bert.export.samples import id_samples
from keras_bert.export.samples import sample_columns
from keras_bert.export.tflite.functions import same_rows
from keras_bert.lazy import import_package

# The first opset with layer normalization (ONNX Runtime 1.12).
_OPSET = 17
_DIMENSIONS = {
    2: ("batch_size", "seq_length"),
    3: ("batch_size", "num_choices", "seq_length"),
}
# Dimensions of the outputs of embedders with several values for a text.
_OUTPUT_DIMENSIONS = {
    "piece_ids": ("batch_size", "num_active"),
    "weights": ("batch_size", "num_active"),
    "token_embeddings": ("batch_size", "num_tokens"),
}
NAMES = ("hugging_face", "keras_bert")
# Hugging Face names of inputs and outputs, by their names in this library.
_PUBLISHED = {
    "input_mask": "attention_mask",
    "segment_ids": "token_type_ids",
    "embedding": "sentence_embedding",
    "pooled_output": "pooler_output",
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
    dtype = tf.int64 if names == "hugging_face" else tf.int32
    converted, _ = tf2onnx.convert.from_function(
        tf.function(_graph_function(task, names, packed)),
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
        names = _OUTPUT_DIMENSIONS.get(tensor.name, _DIMENSIONS[rank])
        for dimension, name in zip(dimensions, names, strict=False):
            if not dimension.dim_value:
                dimension.dim_param = name
    # Check the ops, because the converter accepts ops that ONNX lacks.
    onnx.checker.check_model(converted, full_check=True)
    return converted


def check_graph(task, names, run, precision="float32"):
    """Compare the outputs of a graph with its task, see `check_lengths`."""
    function = _graph_function(task, names, packed=False)
    check_lengths(
        _feeds(task, names, length_samples(task)),
        run,
        lambda feed: function(*feed.values()),
        precision,
    )


def graph_samples(task, texts, names):
    """Return a list with a dict of input arrays for each text."""
    samples = id_samples(task, sample_columns(task, texts))
    return _feeds(task, names, samples)


def run_onnx(model, samples):
    """Run an `onnx.ModelProto` and return the outputs for each sample.

    Args:
        model: `onnx.ModelProto`.
        samples: list of dicts of input arrays.

    Returns:
        A list of dicts of output arrays.
    """
    onnxruntime = import_package("onnxruntime", "export_onnx")
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return [
        dict(zip(names, session.run(None, sample), strict=True))
        for sample in samples
    ]


def _graph_function(task, names, packed):
    """Return a function that takes id tensors, to be traced as the graph."""
    inputs, is_published = _inputs(task), names == "hugging_face"
    model = _with_states(task) if is_published else task.model
    if packed:
        # ONNX Runtime runs matrix products in parallel itself.
        model = packed_model(model, num_chunks=1)

    def function(*ids):
        ids = same_rows([tf.cast(x, tf.int32) for x in ids])
        given = dict(zip(inputs, ids, strict=True))
        # Other inputs, such as offsets in a text, do not affect the outputs.
        unused = {name: tf.zeros_like(ids[0]) for name in task.input_names}
        outputs = task.predict_ids({**unused, **given}, model)
        if is_published and "score" in outputs:
            outputs = model(given)  # config.json contains the activation.
        return {
            graph_name(name, names): tf.identity(values)
            for name, values in outputs.items()
            if values.dtype.is_floating or name in task.integer_outputs
        }

    return function


def _feeds(task, names, samples):
    """Return samples with the names and dtype of a graph's inputs."""
    dtype = "int64" if names == "hugging_face" else "int32"
    return [
        {graph_name(x, names): sample[x].astype(dtype) for x in _inputs(task)}
        for sample in samples
    ]


def _inputs(task):
    return [name for name in task.input_names if name in task.model.input]


def _with_states(task):
    """Return a task's model; for one embedding, add the last hidden states."""
    embedding = task.model.output.get("embedding")
    if embedding is None or len(embedding.shape) != 2:
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
