"""Embedders as directories, in and out."""

import dataclasses
import functools

from absl import logging

from keras_bert import artifacts
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.layout import local_directory
from keras_bert.checkpoints.task_record import TaskRecord
from keras_bert.tasks.embeddings.model import ACTIVATIONS
from keras_bert.tasks.embeddings.model import activation_name
from keras_bert.tasks.embeddings.model import read_dense
from keras_bert.tasks.embeddings.model import write_dense
from keras_bert.tasks.embeddings.model import write_linear
from keras_bert.tasks.embeddings.prompts import Prompts
from keras_bert.tasks.embeddings.sentence_transformers import MODES
from keras_bert.tasks.embeddings.sentence_transformers import MODULE_POOLINGS
from keras_bert.tasks.embeddings.sentence_transformers import MODULES
from keras_bert.tasks.embeddings.sentence_transformers import PACKAGE
from keras_bert.tasks.embeddings.sentence_transformers import PROMPTS
from keras_bert.tasks.embeddings.sentence_transformers import read_modules

_TASK = "TextEmbedder"
_DENSE = "dense.safetensors"


def load_embedder(directory, **arguments):
    """Reads an encoder and what its directory says of embeddings.

    Args:
        directory: str, as for `keras_bert.from_pretrained`, or a directory of
            sentence-transformers.
        **arguments: other arguments of `keras_bert.from_pretrained`.

    Returns:
        A `PretrainedModel`, and a dict of arguments of `TextEmbedder`, empty
        where nothing is said.

    Raises:
        CheckpointError: a file cannot be used.
    """
    directory = local_directory(directory)
    if (directory / MODULES).is_file():
        return _load_modules(directory, arguments)
    pretrained = from_pretrained(directory, **arguments)
    task = pretrained.task
    if task is None or task.task != _TASK:
        return pretrained, {}
    try:
        told = {
            name: task.settings[name]
            for name in ("pooling", "normalize", "seq_length")
        }
        told["dense"] = read_dense(directory / _DENSE, task.settings["dense"])
        told |= {
            field.name: task.settings[field.name]
            for field in dataclasses.fields(Prompts)
            if field.name in task.settings  # Those of before have none.
        }
    except KeyError as error:
        raise CheckpointError(
            f"{directory / 'task.json'}: the settings of a {_TASK} must tell "
            f"{error}."
        ) from None
    return pretrained, told


def _load_modules(directory, arguments):
    encoder, dim, lowercase, settings = read_modules(directory)
    pretrained = from_pretrained(encoder, **arguments)
    size, limit = pretrained.config.sizes["H"], pretrained.config.max_seq_length
    if dim != size:
        raise CheckpointError(
            f"{directory}: the pooling must be of vectors of the encoder's "
            f"size, {size}. Received: {dim}."
        )
    settings["seq_length"] = min(settings["seq_length"] or limit, limit)
    names = [field.name for field in dataclasses.fields(Prompts)]
    try:
        Prompts(**{name: settings[name] for name in names})
    except ValueError as error:
        raise CheckpointError(f"{directory / PROMPTS}: {error}") from None
    if lowercase:
        try:
            tokenizer = pretrained.tokenizer_settings.lowercased()
        except ValueError as error:
            raise CheckpointError(f"{directory}: {error}") from None
        pretrained = pretrained.with_tokenizer(tokenizer)
    return pretrained, settings


def merged_arguments(told, given):
    """Puts the arguments that a user gives before those of a directory.

    Args:
        told: dict of arguments, as returned by `load_embedder`.
        given: dict of arguments; None stands for what is told.

    Returns:
        A dict of arguments. Where two contradict each other, the log says so.
    """
    given = {name: value for name, value in given.items() if value is not None}
    for name in given.keys() & told.keys():
        if given[name] != told[name]:
            logging.warning(
                "`%s` is %r as asked for; the checkpoint says %r.",
                name,
                given[name],
                told[name],
            )
    return {**told, **given}


def save_embedder(embedder, directory, format, overwrite):
    """Writes a `TextEmbedder`, for its `save`."""
    pretrained, dense = embedder.pretrained, embedder.dense
    described = {
        **embedder.settings,
        "seq_length": embedder.preprocess.seq_length,
    }
    if format == "hf":
        dim = pretrained.config.sizes["H"]
        extras = _module_files(dim, dense=dense, **described)
        pretrained = pretrained.without_task()
    elif format == "keras":
        described["dense"] = [activation_name(layer) for layer in dense]
        pretrained = pretrained.for_task(TaskRecord(_TASK, None, described))
        extras = {_DENSE: functools.partial(write_dense, dense)}
        extras = extras if dense else {}
    else:
        raise ValueError(
            'An embedder is saved in the format "keras" or "hf". '
            f"Received: format={format!r}."
        )
    save_pretrained(
        pretrained,
        directory,
        format=format,
        overwrite=overwrite,
        extras=extras,
    )


def _module_files(
    dim, pooling, dense, normalize, seq_length, include_prompt, **prompts
):
    """Makes the files that sentence-transformers wants beside an encoder.

    `dim` is the size of the vectors that are pooled. Returns a dict from
    names of files in the directory to functions that write one to a path.
    """
    if pooling not in MODULE_POOLINGS:
        raise ValueError(
            "sentence-transformers has only the poolings "
            f"{', '.join(MODULE_POOLINGS)}. Received: pooling={pooling!r}. "
            'Save with format="keras".'
        )
    modes = {key: name == pooling for name, key in MODES.items()}
    named = [("", "Transformer"), ("1_Pooling", "Pooling")]
    values = {
        "sentence_bert_config.json": {
            "max_seq_length": seq_length,
            "do_lower_case": False,
        },
        "1_Pooling/config.json": {
            "word_embedding_dimension": dim,
            **modes,
            "include_prompt": include_prompt,
        },
        PROMPTS: prompts,
    }
    files = {}
    for number, layer in enumerate(dense, 2):
        folder = f"{number}_Dense"
        named.append((folder, "Dense"))
        values[f"{folder}/config.json"] = {
            "in_features": layer.kernel.shape[0],
            "out_features": layer.units,
            "bias": layer.use_bias,
            "activation_function": ACTIVATIONS[activation_name(layer)],
        }
        files[f"{folder}/model.safetensors"] = functools.partial(
            write_linear, layer
        )
    if normalize:
        folder = f"{len(named)}_Normalize"
        named.append((folder, "Normalize"))
        values[f"{folder}/config.json"] = {}
    values[MODULES] = [
        {
            "idx": index,
            "name": str(index),
            "path": folder,
            "type": f"{PACKAGE}.models.{kind}",
        }
        for index, (folder, kind) in enumerate(named)
    ]
    for name, content in values.items():
        files[name] = functools.partial(artifacts.write_json, values=content)
    return files
