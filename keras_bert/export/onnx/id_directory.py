"""Export directories with a token-id model and its tokenizer files."""

from absl import logging

from keras_bert import checks
from keras_bert.checkpoints.formats.hugging_face import write_published_configs
from keras_bert.export.description import NO_COMMAND
from keras_bert.export.description import about
from keras_bert.export.onnx.tokenizer_json import point_to_tokenizer_json
from keras_bert.export.onnx.tokenizer_json import write_tokenizer_json
from keras_bert.files.outputs import check_directory
from keras_bert.files.outputs import new_directory
from keras_bert.messages import brief

_MOST_BYTES = 2**31 - 2**20  # Protobuf limit, with room for the nodes.


def check_id_output(directory, model_format, inputs=(), overwrite=False):
    """Raise ValueError unless an export may write to a directory.

    The directory must be new or empty. If `overwrite` is True, it may also
    contain an earlier export in `model_format`. It must not be one of `inputs`.
    """
    check_directory(
        directory,
        inputs,
        overwrite,
        lambda manifest: manifest.get("format") == model_format,
    )


def check_id_export(
    task, directory, model_format, precision, precisions, texts, overwrite
):
    """Raise ValueError if a task cannot be exported with token ids as inputs.

    Args:
        task: a `Task`.
        directory, model_format, overwrite: see `check_id_output`.
        precision: str, one of `precisions`.
        precisions: tuple of str, supported precisions.
        texts: list of examples for "int8", or None.
    """
    checks.one_of(precisions, precision=precision)
    if texts is not None and precision != "int8":
        raise ValueError(
            "`texts` must be passed with precision='int8' only. "
            f"Received: texts and precision={brief(precision)}."
        )
    _check_id_task(task)
    check_id_output(directory, model_format, overwrite=overwrite)


def _check_id_task(task):
    """Raise ValueError if the task does not support token ids as inputs."""
    task._check_servable()
    prompt = getattr(task.preprocess, "prompt", "")
    if prompt:
        raise ValueError(
            "An exported tokenizer.json cannot add a prompt. Export an "
            "embedder with default_prompt_name=None, and prepend the prompt "
            f"to the texts. Received: the prompt {brief(prompt)}."
        )
    if "mlm_logits" in task.model.output:
        raise ValueError(
            "FillMask returns words, but an exported model with token ids as "
            "inputs returns only numbers. Export a SavedModel, or a "
            "FeatureExtractor for its vectors. Received: a FillMask."
        )
    dtypes = {layer.compute_dtype for layer in task.model.layers}
    if dtypes - {"float32", "int32"}:
        raise ValueError(
            "Only models in float32 can be exported, because few runtimes "
            "support bfloat16. Load the model with the policy float32. "
            f"Received: a model in {', '.join(sorted(dtypes))}."
        )
    size = 4 * task.model.count_params()
    if size > _MOST_BYTES:
        raise ValueError(
            "An ONNX graph has at most 2 GiB, and external weight files are "
            "not supported. Export a SavedModel. Received: "
            f"{size / 2**30:.2f} GiB of weights."
        )


def write_id_directory(
    task, directory, write_model, overwrite, names, **values
):
    """Write a model, its tokenizer and the config files for other libraries.

    Other libraries load only models with the names of Hugging Face. With the
    names of this library, the graph contains all settings, such as the pooling.

    Args:
        task: a `Task`.
        directory: directory to write.
        write_model: callable that writes the model to a directory, a
            `pathlib.Path`.
        overwrite: bool, whether to replace an earlier export.
        names: names of the inputs and outputs, see `export_onnx`.
        **values: additional JSON-serializable values for the manifest.
    """
    values = {
        **about(task),
        "labels": getattr(task, "labels", None),
        **values,
        **NO_COMMAND,
    }
    with new_directory(directory, values, (), overwrite) as staging:
        write_model(staging)
        if names == "hugging_face":
            _write_published_files(task, staging)
            path = staging / "tokenizer_config.json"
            point_to_tokenizer_json(task.preprocess, path, values["inputs"])
        else:
            task.preprocess.tokenizer.settings.write(staging)
        write_tokenizer_json(task.preprocess, staging / "tokenizer.json")


def _write_published_files(task, directory):
    """Write the config and tokenizer files that other libraries load."""
    try:
        model, files = task._published_model_and_files()
        if model.task and not model.task.head:
            raise ValueError(f"Received: {model.task.task}.")
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
