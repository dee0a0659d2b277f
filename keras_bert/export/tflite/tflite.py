"""Export to TFLite files that take strings or token ids."""

import dataclasses
import json
import typing
import zipfile

from absl import logging

from keras_bert import lazy
from keras_bert.export.description import NO_COMMAND
from keras_bert.export.description import about
from keras_bert.export.length_comparison import check_lengths
from keras_bert.export.length_comparison import length_samples
from keras_bert.export.samples import id_samples
from keras_bert.export.samples import sample_columns
from keras_bert.export.saved_model.served_ops import TOKENIZER_OPS
from keras_bert.export.tflite.comparison import Comparison
from keras_bert.export.tflite.comparison import compare
from keras_bert.export.tflite.comparison import signature_runner
from keras_bert.export.tflite.comparison import tolerance
from keras_bert.export.tflite.functions import check_operators
from keras_bert.export.tflite.functions import convert
from keras_bert.export.tflite.functions import ids_function
from keras_bert.export.tflite.functions import text_function
from keras_bert.export.tflite.mediapipe import LABELS
from keras_bert.export.tflite.mediapipe import VOCABULARY
from keras_bert.export.tflite.mediapipe import check_mediapipe
from keras_bert.export.tflite.mediapipe import mediapipe_function
from keras_bert.export.tflite.mediapipe import mediapipe_samples
from keras_bert.export.tflite.mediapipe import with_metadata
from keras_bert.export.tflite.names import DEFAULT_FILES
from keras_bert.export.tflite.names import check_kind
from keras_bert.export.tflite.names import tflite_paths
from keras_bert.files.outputs import check_files
from keras_bert.files.outputs import new_file
from keras_bert.typing import Path


def export_tflite(
    task: typing.Any,
    path: Path,
    kind: str = "int8",
    texts: list | None = None,
    representative_texts: list | None = None,
    files: typing.Collection[str] = DEFAULT_FILES,
    overwrite: bool = False,
    force: bool = False,
) -> dict[str, Comparison]:
    """Export a task to TFLite files.

    For the path "model.tflite", up to three files are written:

    - `model_text.tflite` takes strings named like the `text_inputs` of the task
      and needs two ops of tensorflow-text.
    - `model_ids.tflite` takes the int32 inputs of the model and runs in any
      interpreter.
    - `model_mediapipe.tflite` runs in MediaPipe's TextEmbedder or
      TextClassifier, which tokenize the text.

    All files have one signature, `serving_default`. The first two accept any
    number of rows of any length. They return the outputs of `predict_texts` and
    `predict_ids`; for questions, only the position of the answer is returned,
    because TFLite cannot split strings. Outputs with a value for each token are
    as long as the longest text. Each file is compared with the task before it
    is renamed to its final name. Each file contains a ZIP archive with
    `export.json`, `vocab.txt` and, if there are labels, `labels.txt`. A
    manifest is written next to each file.

    Args:
        task: object of `keras_bert.tasks`.
        path: path that ends in ".tflite".
        kind: number format of the weights: "float32", "float16", "int8",
            or "full_int8", which also quantizes activations with fixed scales.
        texts: examples for comparing the files with the task, in the format of
            `predict`: a list of str or of tuples of str. Defaults to built-in
            sentences.
        representative_texts: examples in the same format, to calibrate
            the scales of "full_int8".
        files: names of the files to write: "text", "ids" and "mediapipe".
            "mediapipe" supports `TextEmbedder` and single-text `TextClassifier`
            with a lower-casing WordPiece tokenizer.
        overwrite: whether to replace files of an earlier call.
        force: whether to write a file even if its outputs differ from
            the task by more than the tolerance of its number format.

    Returns:
        A dict mapping the names in `files` to `Comparison`.

    Raises:
        ValueError: a file exists and may not be replaced, TFLite lacks an op
            of the task, or the outputs differ too much.
        ModuleNotFoundError: the interpreter of LiteRT is not installed.
    """
    task._check_servable()
    _check_precision(task.model)
    check_kind(kind, files, representative_texts is not None)
    if "mediapipe" in files:
        check_mediapipe(task)
    paths = tflite_paths(path, files)
    # Needed to compare each file with the task.
    lazy.import_package("ai_edge_litert.interpreter", "`export_tflite`")
    check_files(paths.values(), overwrite=overwrite)
    columns = sample_columns(task, texts)
    made = {}
    for name in paths:
        source = _SOURCES[name]
        function, fixing = source.function(task), []
        if representative_texts is not None:
            fixing = sample_columns(task, representative_texts)
            fixing = source.samples(task, fixing)
        flatbuffer = convert(function, task.model, kind, fixing)
        allowed = source.ops(task)
        check_operators(flatbuffer, allowed, source.advice)
        flatbuffer = source.finish(task, flatbuffer)
        run = signature_runner(flatbuffer, bool(allowed))
        samples = source.samples(task, columns)
        comparison = compare(function, run, samples, len(flatbuffer))
        _check_close(paths[name], kind, comparison, force)
        if not force:
            check_lengths(
                length_samples(task, source.samples),
                lambda samples, run=run: [run(**x) for x in samples],
                lambda sample, function=function: function(*sample.values()),
                kind,
            )
        made[name] = (
            flatbuffer,
            comparison,
            _about(task, kind, function, comparison),
        )
    for name, (flatbuffer, _, values) in made.items():
        _write(task, paths[name], flatbuffer, values)
    return {name: comparison for name, (_, comparison, _) in made.items()}


def _check_precision(model):
    dtypes = {layer.compute_dtype for layer in model.layers}
    if dtypes & {"bfloat16", "float16"}:
        raise ValueError(
            "A TFLite file needs a model that computes in float32; `kind` sets "
            "the number format of the file. Received: a model in "
            f"{', '.join(sorted(dtypes))}. Load it again after "
            "keras.config.set_dtype_policy('float32')."
        )


class _Source(typing.NamedTuple):
    """Functions that create one type of TFLite file.

    Args:
        function: callable that converts a task to a graph function.
        samples: callable that converts a task and text columns to inputs of the
            graph function.
        ops: callable that returns the names of the custom ops allowed for a
            task.
        advice: str, advice in the error message for unsupported ops.
        finish: callable that takes a task and a flatbuffer and returns the
            final flatbuffer.
    """

    function: typing.Callable
    samples: typing.Callable
    ops: typing.Callable = lambda task: ()
    advice: str = "No file can be written."
    finish: typing.Callable = lambda task, flatbuffer: flatbuffer


def _text_samples(task, columns):
    return [
        {
            name: column[index : index + 1]
            for name, column in zip(task.text_inputs, columns, strict=True)
        }
        for index in range(len(columns[0]))
    ]


def _text_ops(task):
    ops = TOKENIZER_OPS[task.preprocess.tokenizer.kind]
    return ops.text if ops.in_tflite else ()


_SOURCES = {
    "text": _Source(
        text_function,
        _text_samples,
        _text_ops,
        "Write the file that takes ids: files=['ids'].",
    ),
    "ids": _Source(ids_function, id_samples),
    "mediapipe": _Source(
        mediapipe_function, mediapipe_samples, finish=with_metadata
    ),
}


def _check_close(path, precision, comparison, force):
    logging.info("%s as %s: %s.", path.name, precision, comparison)
    if comparison.is_within(precision):
        return
    if not force:
        raise ValueError(
            f"{path.name} ({precision}) differs too much from the task. "
            f"Allowed: {tolerance(precision)}. Received: {comparison}. Choose "
            "another `kind`, compare more texts, or pass force=True to write "
            "it anyway. No file was written."
        )
    logging.warning(
        "%s differs too much from the task, but is written. Allowed: %s.",
        path.name,
        tolerance(precision),
    )


def _about(task, precision, function, comparison):
    """Return the description of a TFLite file for its manifest and archive."""
    function = function.get_concrete_function()
    return {
        **about(task),
        "kind": precision,
        "inputs": [
            spec.name for spec in function.structured_input_signature[0]
        ],
        "outputs": sorted(function.structured_outputs),
        "comparison": dataclasses.asdict(comparison),
        "is_within_tolerance": comparison.is_within(precision),
    }


def _write(task, path, flatbuffer, values):
    """Write a TFLite file followed by a ZIP archive.

    Interpreters ignore the archive, and ZIP readers find it. TFLite's own
    metadata uses the same format.
    """
    lines = {VOCABULARY: task.preprocess.tokenizer.vocabulary.tokens}
    if getattr(task, "labels", None) is not None:
        lines[LABELS] = task.labels
    files = {"export.json": json.dumps(values, indent=2) + "\n"}
    for name, texts in lines.items():
        files[name] = "".join(f"{text}\n" for text in texts)
    values = {**values, **NO_COMMAND}
    with new_file(path, values, overwrite=True) as temporary:
        temporary.write_bytes(flatbuffer)
        with zipfile.ZipFile(temporary, "a") as archive:
            for name, text in files.items():
                # Use a fixed date, so that equal exports give equal files. Do
                # not compress, because MediaPipe cannot read compressed files.
                archive.writestr(zipfile.ZipInfo(name), text)
