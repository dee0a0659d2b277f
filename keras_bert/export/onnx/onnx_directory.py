"""Export of models and tokenizers to ONNX directories."""

import dataclasses
import functools
import typing

from keras_bert import checks
from keras_bert.export.onnx.id_directory import check_id_export
from keras_bert.export.onnx.id_directory import write_id_directory
from keras_bert.export.onnx.onnx_graph import NAMES
from keras_bert.export.onnx.onnx_graph import check_graph
from keras_bert.export.onnx.onnx_graph import onnx_model
from keras_bert.export.onnx.onnx_graph import run_onnx
from keras_bert.export.onnx.onnx_int8 import quantized
from keras_bert.export.samples import sample_columns
from keras_bert.lazy import import_package
from keras_bert.typing import Path

_FORMAT = "onnx"
_PRECISIONS = ("float32", "int8")


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
    segments, `token_type_ids`. These are int64 tensors of any shape
    `(batch_size, seq_length)`. The outputs are float32:

    - `last_hidden_state` for an encoder;
    - `last_hidden_state` and `sentence_embedding` for an embedder;
    - `start_logits` and `end_logits` for a question answerer;
    - `logits` for other tasks.

    The directory also contains `tokenizer.json`, `tokenizer_config.json`,
    `config.json` and, for an embedder, `modules.json` and the other files of
    sentence-transformers, so that other libraries can load the model.
    `manifest.json` describes the task and its labels.

    Args:
        task: object of `keras_bert.tasks` that computes in float32, except
            `FillMask`.
        directory: directory to write, new or empty.
        overwrite: whether to replace the files of an earlier call. The
            old files are kept if the export fails.
        names: names of the inputs and outputs: "hugging_face", as above, or
            "keras_bert" for the int32 inputs `input_ids`, `input_mask` and
            `segment_ids`, and the outputs of `task.predict_ids`.
        packed: whether the model skips padding, which is faster on a CPU for
            texts of different lengths. Hidden states at padding are arbitrary.
        precision: "float32", or "int8" for weights in int8. An int8 model is
            compared with the float32 model before it is written.
        texts: examples for the comparison, in the format of `predict`.
            Defaults to built-in sentences.

    Raises:
        ValueError: the directory contains files that may not be replaced,
            the task cannot be exported to ONNX, or the outputs of the int8
            model differ too much.
    """
    checks.one_of(NAMES, names=names)
    check_id_export(
        task, directory, _FORMAT, precision, _PRECISIONS, texts, overwrite
    )
    # Needed to compare the model with the task.
    import_package("onnxruntime", "export_onnx")
    if precision == "int8":
        sample_columns(task, texts)
    model, comparison = onnx_model(task, names, packed), None
    check_graph(task, names, functools.partial(run_onnx, model))
    if precision == "int8":
        model, comparison = quantized(task, model, names, texts)
        check_graph(task, names, functools.partial(run_onnx, model), precision)
    content = model.SerializeToString()
    write_id_directory(
        task,
        directory,
        lambda folder: (folder / "model.onnx").write_bytes(content),
        overwrite,
        names,
        format=_FORMAT,
        inputs=[tensor.name for tensor in model.graph.input],
        outputs=[tensor.name for tensor in model.graph.output],
        packed=bool(packed),
        precision=precision,
        comparison=comparison and dataclasses.asdict(comparison),
    )
