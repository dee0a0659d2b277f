"""A directory for ONNX Runtime and the like: a model, and its tokenizer."""

from keras_bert import artifacts
from keras_bert.export.description import NO_COMMAND
from keras_bert.export.description import about
from keras_bert.export.onnx_graph import check_onnx
from keras_bert.export.onnx_graph import onnx_model
from keras_bert.export.tokenizer_json import write_tokenizer_json

_FORMAT = "onnx"


def check_onnx_output(directory, inputs=(), overwrite=False):
    """Raises ValueError unless `export_onnx` may write a directory.

    Args:
        directory: str, which must be new or empty; or, with `overwrite`, one
            that `export_onnx` wrote, and nothing else that we wrote.
        inputs: list of str, files and directories that are read.
        overwrite: bool, replace what we wrote before.
    """
    artifacts.check_output_directory(
        directory,
        inputs,
        overwrite,
        "what an export to ONNX wrote",
        lambda manifest: manifest.get("format") == _FORMAT,
    )


def export_onnx(task, directory, overwrite=False):
    """Writes an ONNX file that takes ids, and the tokenizer that makes them.

    `model.onnx` takes the int32 `(batch_size, seq_length)` tensors that
    `task.model` takes, of any size: `input_ids`, `input_mask` and, if it has
    segments, `segment_ids`. It gives the float32 outputs of the task, such as
    `logits`. `tokenizer.json` is for the package `tokenizers`, and cuts texts
    as the task does. A `manifest.json` tells what the file was made of, and
    the labels.

    Args:
        task: an object of `tasks` that computes in float32; no `FillMask`.
        directory: str, new or empty.
        overwrite: bool, replace what an earlier call has written. It stays as
            it is if the new one cannot be made.

    Raises:
        ValueError: the directory holds something that may not be replaced, or
            the task cannot be an ONNX file.
    """
    check_onnx(task)
    check_onnx_output(directory, overwrite=overwrite)
    model = onnx_model(task)
    told = {
        **about(task),
        "format": _FORMAT,
        "inputs": [tensor.name for tensor in model.graph.input],
        "outputs": [tensor.name for tensor in model.graph.output],
        "labels": getattr(task, "labels", None),
        **NO_COMMAND,
    }
    with artifacts.recorded_directory(directory, told) as staging:
        (staging / "model.onnx").write_bytes(model.SerializeToString())
        task.preprocess.tokenizer.settings.save(staging)
        write_tokenizer_json(task.preprocess, staging / "tokenizer.json")
