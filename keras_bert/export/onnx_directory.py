"""Export of models and tokenizers to ONNX directories."""

import typing

import numpy as np
import onnx
import tensorflow as tf
import tf2onnx

from keras_bert import artifacts
from keras_bert.export.description import NO_COMMAND
from keras_bert.export.description import about
from keras_bert.export.tflite_functions import same_rows
from keras_bert.export.tokenizer_json import write_tokenizer_json
from keras_bert.typing import Path

_FORMAT = "onnx"
# The first opset with layer normalization (ONNX Runtime 1.12).
_OPSET = 17
_MOST_BYTES = 2**31 - 2**20  # Limit of protobuf, minus the nodes.
_DIMENSIONS = {
    2: ("batch_size", "seq_length"),
    3: ("batch_size", "num_choices", "seq_length"),
}


def check_onnx_output(directory, inputs=(), overwrite=False):
    """Raise ValueError unless `export_onnx` may write a directory.

    The directory must be new or empty; or, with `overwrite`, contain only an
    earlier result of `export_onnx`. It must not be an input.
    """
    artifacts.check_directory(
        directory,
        inputs,
        overwrite,
        lambda manifest: manifest.get("format") == _FORMAT,
    )


def export_onnx(
    task: typing.Any, directory: Path, overwrite: bool = False
) -> None:
    """Export a task as an ONNX model of token ids with a tokenizer.json.

    `model.onnx` takes the int32 `(batch_size, seq_length)` inputs of
    `task.model`, of any size: `input_ids`, `input_mask` and, if it has
    segments, `segment_ids`. It returns the float32 outputs of the task, such as
    `logits`. `tokenizer.json` is read by the `tokenizers` package and tokenizes
    texts like the task. `manifest.json` describes the task and its labels.

    Args:
        task: an object of `tasks` that computes in float32, except `FillMask`.
        directory: directory to write, new or empty.
        overwrite: whether to replace the files of an earlier call. The
            old files are kept if the export fails.

    Raises:
        ValueError: the directory contains files that may not be replaced, or
            the task cannot be exported to ONNX.
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
            "Export an embedder with default_prompt_name=None, and prepend the "
            f"prompt to the texts. Received: the prompt {prompt!r}."
        )
    if "mlm_logits" in task.model.output:
        raise ValueError(
            "ONNX files return numbers, but FillMask returns words. Export a "
            "SavedModel, or the vectors of a FeatureExtractor. Received: a "
            "FillMask."
        )
    dtypes = {layer.compute_dtype for layer in task.model.layers}
    if dtypes - {"float32", "int32"}:
        raise ValueError(
            "An ONNX file computes in float32, because few runtimes support "
            "bfloat16. Load the model with the policy float32. Received: a "
            f"model in {', '.join(sorted(dtypes))}."
        )
    size = 4 * task.model.count_params()
    if size > _MOST_BYTES:
        raise ValueError(
            "An ONNX file has at most 2 GiB, and external weight files are "
            "not supported. Export a SavedModel. Received: "
            f"{size / 2**30:.2f} GiB of weights."
        )


def _onnx_model(task):
    """Convert `predict_ids` to an `onnx.ModelProto`.

    The model takes the int32 inputs of `task.model` and returns the float32
    outputs of the task by name. The weights are constants.
    """
    names = [name for name in task.inputs if name in task.model.input]
    rank = len(task.model.input[names[0]].shape)
    signature = [tf.TensorSpec([None] * rank, tf.int32, n) for n in names]

    @tf.function
    def from_ids(*ids):
        ids = same_rows(ids)
        # Other inputs, such as offsets in a text, do not affect the outputs.
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
        # Outputs may have fewer dimensions.
        dimensions = tensor.type.tensor_type.shape.dim
        for dimension, name in zip(dimensions, _DIMENSIONS[rank], strict=False):
            if not dimension.dim_value:
                dimension.dim_param = name
    # The converter does not fail on ops that ONNX lacks.
    onnx.checker.check_model(model, full_check=True)
    return model


def _convert_erfc(graph, node, name, args):
    """Convert `Erfc`, used by GELU, which tf2onnx 1.17 does not support."""
    del args
    one = graph.make_const(f"{name}_one", np.array(1.0, np.float32))
    erf = graph.make_node("Erf", node.input[:1])
    graph.remove_node(name)
    graph.make_node(
        "Sub", [one.output[0], erf.output[0]], name=name, outputs=node.output
    )
