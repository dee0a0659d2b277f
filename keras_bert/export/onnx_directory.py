"""Export to an ONNX directory: model and tokenizer."""

import numpy as np
import onnx
import tensorflow as tf
import tf2onnx

from keras_bert import artifacts
from keras_bert.export.description import NO_COMMAND
from keras_bert.export.description import about
from keras_bert.export.tflite_functions import same_rows
from keras_bert.export.tokenizer_json import write_tokenizer_json

_FORMAT = "onnx"
# The first with layer normalization; ONNX Runtime has had it since 1.12.
_OPSET = 17
_MOST_BYTES = 2**31 - 2**20  # Of a protobuf message, less what the nodes take.
_DIMENSIONS = {
    2: ("batch_size", "seq_length"),
    3: ("batch_size", "num_choices", "seq_length"),
}


def check_onnx_output(directory, inputs=(), overwrite=False):
    """Raise ValueError unless `export_onnx` may write a directory.

    It must be new or empty; or, with `overwrite`, one that `export_onnx` wrote,
    and nothing else that we wrote. It must not be among the inputs.
    """
    artifacts.check_directory(
        directory,
        inputs,
        overwrite,
        lambda manifest: manifest.get("format") == _FORMAT,
    )


def export_onnx(task, directory, overwrite=False):
    """Export a task to an ONNX model of token ids and a tokenizer.json.

    `model.onnx` takes the int32 `(batch_size, seq_length)` tensors that
    `task.model` takes, of any size: `input_ids`, `input_mask` and, if it has
    segments, `segment_ids`. It gives the float32 outputs of the task, such as
    `logits`. `tokenizer.json` is for the package `tokenizers`, and cuts texts
    as the task does. `manifest.json` describes the task and its labels.

    Args:
        task: an object of `tasks` that computes in float32; no `FillMask`.
        directory: str, new or empty.
        overwrite: bool, replace what an earlier call has written. It stays as
            it is if the new one cannot be made.

    Raises:
        ValueError: the directory holds something that may not be replaced, or
            the task cannot be an ONNX file.
    """
    _check_onnx(task)
    check_onnx_output(directory, overwrite=overwrite)
    model = _onnx_model(task)
    values = {
        **about(task),
        "format": _FORMAT,
        "inputs": [tensor.name for tensor in model.graph.input],
        "outputs": [tensor.name for tensor in model.graph.output],
        "labels": getattr(task, "labels", None),
        **NO_COMMAND,
    }
    with artifacts.directory(directory, values, (), overwrite) as staging:
        (staging / "model.onnx").write_bytes(model.SerializeToString())
        task.preprocess.tokenizer.settings.write(staging)
        write_tokenizer_json(task.preprocess, staging / "tokenizer.json")


def _check_onnx(task):
    """Raise ValueError if a task cannot be exported."""
    task.check_servable()
    prompt = getattr(task.preprocess, "prompt", "")
    if prompt:
        raise ValueError(
            "The tokenizer.json of an ONNX export cannot add a prompt. "
            "Export an embedder with default_prompt_name=None, and put the "
            f"prompt there. Received: the prompt {prompt!r}."
        )
    if "mlm_logits" in task.model.output:
        raise ValueError(
            "An ONNX file gives numbers, and words fill masks. Export a "
            "SavedModel, or the vectors of a FeatureExtractor. Received: a "
            "FillMask."
        )
    dtypes = {layer.compute_dtype for layer in task.model.layers}
    if dtypes - {"float32", "int32"}:
        raise ValueError(
            "An ONNX file computes in float32, for few runtimes have bfloat16. "
            "Read the model under the policy float32. Received: a model that "
            f"computes in {', '.join(sorted(dtypes))}."
        )
    size = 4 * task.model.count_params()
    if size > _MOST_BYTES:
        raise ValueError(
            "An ONNX file holds at most 2 GiB, and weights in further files "
            "are not written here. Export a SavedModel. Received: "
            f"{size / 2**30:.2f} GiB of weights."
        )


def _onnx_model(task):
    """Convert `predict_ids` to an `onnx.ModelProto`.

    It takes the int32 tensors that `task.model` takes, and gives the float32
    outputs of the task, by their names. The weights are constants.
    """
    names = [name for name in task.inputs if name in task.model.input]
    rank = len(task.model.input[names[0]].shape)
    signature = [tf.TensorSpec([None] * rank, tf.int32, n) for n in names]

    @tf.function
    def from_ids(*ids):
        ids = same_rows(ids)
        # What else the task takes, such as places in a text, has no part in
        # its numbers.
        given = {name: tf.zeros_like(ids[0]) for name in task.inputs}
        outputs = task.predict_ids(
            {**given, **dict(zip(names, ids, strict=True))}
        )
        return {
            name: tf.identity(values)
            for name, values in outputs.items()
            if values.dtype.is_floating
        }

    model, _ = tf2onnx.convert.from_function(
        from_ids,
        input_signature=signature,
        opset=_OPSET,
        custom_op_handlers={"Erfc": (_convert_erfc, [])},
    )
    for tensor in [*model.graph.input, *model.graph.output]:
        # Outputs may have fewer.
        dimensions = tensor.type.tensor_type.shape.dim
        for dimension, name in zip(dimensions, _DIMENSIONS[rank], strict=False):
            if not dimension.dim_value:
                dimension.dim_param = name
    # What has no op in ONNX the converter leaves as it is.
    onnx.checker.check_model(model, full_check=True)
    return model


def _convert_erfc(graph, node, name, args):
    """Convert the GELU's 1 - erf(x), for which tf2onnx 1.17 has no rule."""
    del args
    one = graph.make_const(f"{name}_one", np.array(1.0, np.float32))
    erf = graph.make_node("Erf", node.input[:1])
    graph.remove_node(name)
    graph.make_node(
        "Sub", [one.output[0], erf.output[0]], name=name, outputs=node.output
    )
