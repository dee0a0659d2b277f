"""SavedModels for TensorFlow Serving that include the tokenizer."""

import contextlib
import typing

import tensorflow as tf
from absl import logging

from keras_bert.export.description import NO_COMMAND
from keras_bert.export.description import about
from keras_bert.export.length_comparison import check_lengths
from keras_bert.export.length_comparison import length_samples
from keras_bert.export.saved_model.served_graph import ServedGraph
from keras_bert.export.saved_model.served_model import ServedModel
from keras_bert.export.saved_model.served_ops import LEAST_SERVER
from keras_bert.export.saved_model.served_ops import TOKENIZER_OPS
from keras_bert.export.saved_model.served_ops import check_ops
from keras_bert.export.saved_model.served_ops import graph_ops
from keras_bert.export.saved_model.serving_files import version_directory
from keras_bert.export.saved_model.serving_files import write_serving_files
from keras_bert.export.saved_model.warmup import example_requests
from keras_bert.export.saved_model.warmup import write_warmup_requests
from keras_bert.files.atomic import write_json
from keras_bert.files.outputs import new_directory
from keras_bert.processor import processor_flags
from keras_bert.typing import Path

# Small groups of tokens fit the processor's caches and can be computed in
# parallel.
_BATCH_TOKENS = 512
# Limit of a protocol buffer, with room for the rest of the graph.
_MOST_BYTES = 2_000_000_000


def export_saved_model(
    task: typing.Any,
    directory: Path,
    version: int = 1,
    overwrite: bool = False,
    batch_tokens: int = _BATCH_TOKENS,
) -> None:
    """Export a task to a SavedModel that takes strings.

    Signature `serving_default` takes the `text_inputs` of the task, such as
    `text`, string `(batch_size,)`, and returns the outputs of `predict_texts`,
    padded to the longest text of the request. Signature `ids` takes the int32
    `(batch_size, seq_length)` inputs of the model, `input_ids`, `input_mask`
    and, if it has segments, `segment_ids`, and returns the outputs of
    `predict_ids`. Signature `tokens` maps texts to the inputs of `ids`. An
    empty batch returns empty outputs.

    The graph contains only TensorFlow ops and at most two tokenizer ops of
    tensorflow-text, which TensorFlow Serving includes. The weights of a float32
    model are variables. With the policy "mixed_bfloat16" they are constants of
    the graph; weights that are only used in bfloat16 are stored in bfloat16.

    A version contains `export_manifest.json`, with the signatures, labels and
    ops, and warm-up requests. `write_serving_files` writes `model.config` and
    `batching_parameters.txt` next to the versions.

    Args:
        task: an object of `keras_bert.tasks`.
        directory: parent directory of the versions. Its name is the name of the
            model on the server.
        version: number of the version; its folder must be new or empty.
        overwrite: whether to replace a version of an earlier call. The
            old version is kept if the export fails.
        batch_tokens: approximate number of tokens computed together. A
            GPU needs a larger number.

    Raises:
        ValueError: the directory contains files that may not be replaced, a
            graph cannot compute the predictions of the task, or constants
            exceed 2 GB.
    """
    task._check_servable()
    folder = version_directory(directory, version, overwrite=overwrite)
    _warn_without_amx(task.model)
    model = ServedModel(task.model, batch_tokens)
    if model.weights.num_bytes > _MOST_BYTES:
        raise ValueError(
            "The weights of a SavedModel in bfloat16 must be less than 2 GB. "
            f"Received: {model.weights.num_bytes / 1e9:.1f} GB. Export the "
            "model in float32, which has no such limit."
        )
    served = ServedGraph(task, model)
    graph_def = served.graph.as_graph_def()
    check_ops(graph_def, task.preprocess.tokenizer.kind)
    values = {**about(task), **NO_COMMAND}
    with new_directory(folder, values, (), overwrite) as staging:
        _write(task, served, staging)
        write_warmup_requests(staging, example_requests(task))
        _write_export_manifest(staging, task, served, graph_def)
    write_serving_files(directory)


def _warn_without_amx(model):
    """Warn if bfloat16 is known to be slow on this processor."""
    flags = processor_flags()
    if _is_narrow(model) and flags and "amx_bf16" not in flags:
        logging.warning(
            "The model is exported in bfloat16. On a processor without AMX, "
            "such as this one, it is slower than in float32 and needs more "
            "memory. Export it in float32, unless it runs on other machines."
        )


def _is_narrow(model):
    return any(layer.compute_dtype == "bfloat16" for layer in model.layers)


def _write(task, served, directory):
    """Check the graph and write it as a version 1 SavedModel.

    In version 2, each signature would have its own copy of the weights.
    """
    v1 = tf.compat.v1
    on_cpu = v1.ConfigProto(device_count={"GPU": 0})
    session = v1.Session(graph=served.graph, config=on_cpu)
    with contextlib.closing(session):
        with served.graph.as_default():
            session.run(
                [variable.initializer for variable, _ in served.values],
                {variable.initial_value: x for variable, x in served.values},
            )
        inputs, outputs = served.signatures["ids"]
        check_lengths(
            length_samples(task),
            lambda samples: [
                session.run(outputs, {inputs[k]: x for k, x in ids.items()})
                for ids in samples
            ],
            task.predict_ids,
            "bfloat16" if _is_narrow(task.model) else "float32",
        )
        builder = v1.saved_model.Builder(str(directory))
        with served.graph.as_default(), _no_advice():
            builder.add_meta_graph_and_variables(
                session,
                [tf.saved_model.SERVING],
                signature_def_map={
                    name: v1.saved_model.predict_signature_def(*sides)
                    for name, sides in served.signatures.items()
                },
                strip_default_attrs=True,
            )
            builder.save()


@contextlib.contextmanager
def _no_advice():
    """Suppress TensorFlow's warning that recommends SavedModel version 2."""
    logger = tf.get_logger()
    level = logger.level
    logger.setLevel("ERROR")
    try:
        yield
    finally:
        logger.setLevel(level)


def _write_export_manifest(directory, task, served, graph_def):
    ops = graph_ops(graph_def)
    text_ops = TOKENIZER_OPS[task.preprocess.tokenizer.kind].text
    values = {
        **about(task),
        "signatures": {
            name: {"inputs": _described(inputs), "outputs": _described(outputs)}
            for name, (inputs, outputs) in served.signatures.items()
        },
        "text_ops": [op for op in ops if op in text_ops],
        "core_ops": [op for op in ops if op not in text_ops],
        "least_tensorflow_serving": LEAST_SERVER,
    }
    write_json(directory / "export_manifest.json", values)


def _described(tensors):
    """Describe tensors as a dict mapping names to dtypes and shapes."""
    return {
        name: {"dtype": x.dtype.name, "shape": x.shape.as_list()}
        for name, x in tensors.items()
    }
