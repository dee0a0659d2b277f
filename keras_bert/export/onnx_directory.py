"""Export of models and tokenizers to ONNX directories."""

import dataclasses
import typing

from absl import logging

from keras_bert import artifacts
from keras_bert import checks
from keras_bert.checkpoints.formats.hugging_face import write_published_configs
from keras_bert.export.description import NO_COMMAND
from keras_bert.export.description import about
from keras_bert.export.onnx_graph import NAMES
from keras_bert.export.onnx_graph import onnx_model
from keras_bert.export.onnx_int8 import check_onnxruntime
from keras_bert.export.onnx_int8 import quantized
from keras_bert.export.tflite_samples import sample_columns
from keras_bert.export.tokenizer_json import write_tokenizer_json
from keras_bert.typing import Path

_FORMAT = "onnx"
_MOST_BYTES = 2**31 - 2**20  # Limit of protobuf, minus the nodes.
_PRECISIONS = ("float32", "int8")


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
    task: typing.Any,
    directory: Path,
    overwrite: bool = False,
    names: str = "hugging_face",
    packed: bool = False,
    precision: str = "float32",
    texts: list | None = None,
) -> None:
    """Export a task as an ONNX model of token ids with its tokenizer.

    `model.onnx` takes `input_ids`, `attention_mask` and, if the model has
    segments, `token_type_ids`, int64 `(batch_size, seq_length)` of any size.
    It returns float32 outputs: `last_hidden_state` of an encoder, also
    `sentence_embedding` of an embedder, `logits` of a task, `start_logits` and
    `end_logits` of a question answerer. Next to it are `tokenizer.json`,
    `tokenizer_config.json`, `config.json` and, for an embedder,
    `modules.json` with the files of sentence-transformers; other libraries
    load the directory. `manifest.json` describes the task and its labels.

    Args:
        task: an object of `tasks` that computes in float32, except `FillMask`.
        directory: directory to write, new or empty.
        overwrite: whether to replace the files of an earlier call. The
            old files are kept if the export fails.
        names: names of the inputs and outputs: "hugging_face", or
            "keras_bert" for `input_mask`, `segment_ids`, int32, and the outputs
            of `task.predict_ids`.
        packed: whether the model computes only tokens, not padding. It is
            faster on a CPU for texts of different lengths. The states of
            padding differ.
        precision: "float32", or "int8" for weights in int8. An int8 file is
            compared with float32 before it is written.
        texts: examples for the comparison, in the format of `predict`.
            Defaults to built-in sentences.

    Raises:
        ValueError: the directory contains files that may not be replaced,
            the task cannot be exported to ONNX, or int8 differs too much.
        ModuleNotFoundError: "int8" needs onnxruntime.
    """
    checks.one_of(NAMES, names=names)
    checks.one_of(_PRECISIONS, precision=precision)
    if texts is not None and precision == "float32":
        raise ValueError(
            "`texts` must be passed with precision='int8' only, for its "
            "comparison. Received: texts and precision='float32'."
        )
    _check_onnx(task)
    check_onnx_output(directory, overwrite=overwrite)
    comparison = None
    if precision == "int8":
        check_onnxruntime()
        sample_columns(task, texts)
    model = onnx_model(task, names, packed)
    if precision == "int8":
        model, found = quantized(task, model, names, texts)
        comparison = dataclasses.asdict(found)
    values = {
        **about(task),
        "format": _FORMAT,
        "inputs": [tensor.name for tensor in model.graph.input],
        "outputs": [tensor.name for tensor in model.graph.output],
        "labels": getattr(task, "labels", None),
        "packed": bool(packed),
        "precision": precision,
        "comparison": comparison,
        **NO_COMMAND,
    }
    with artifacts.directory(directory, values, (), overwrite) as staging:
        (staging / "model.onnx").write_bytes(model.SerializeToString())
        _write_published_files(task, staging)
        write_tokenizer_json(task.preprocess, staging / "tokenizer.json")


def _write_published_files(task, directory):
    """Write the files by which other libraries find tokenizer and task."""
    try:
        model, files = task.published_parts()
        if model.task and not model.task.head:
            raise ValueError(f"Received: a {model.task.task}, which none has.")
        length = task.preprocess.seq_length
        write_published_configs(model, directory, length)
        for name, write in files.items():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            write(directory / name)
    except ValueError as error:
        logging.warning(
            "No config.json is written, because other libraries do not support "
            "this task. %s",
            error,
        )
        task.preprocess.tokenizer.settings.write(directory)


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
