"""Directories of Hugging Face: config.json and safetensors or a pickle."""

import functools

import numpy as np
from absl import logging

from keras_bert import artifacts
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.arrays.sharded_file import ShardedFile
from keras_bert.checkpoints.arrays.torch_file import TorchFile
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.family import config_from
from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.formats import hugging_face_names as names
from keras_bert.checkpoints.formats.published_task import published_settings
from keras_bert.checkpoints.formats.published_task import published_task
from keras_bert.checkpoints.layout import HUGGING_FACE_WEIGHTS
from keras_bert.checkpoints.source import RenamedArrays
from keras_bert.checkpoints.source import Source
from keras_bert.checkpoints.task_record import read_task
from keras_bert.checkpoints.task_record import write_task
from keras_bert.checkpoints.tokenizer import read_tokenizer
from keras_bert.checkpoints.weight_map import published_places
from keras_bert.checkpoints.weight_table import head_rows
from keras_bert.checkpoints.weight_table import tied_arrays
from keras_bert.config import BertConfig
from keras_bert.config import read_json_object

_CONFIG = "config.json"
_SAFETENSORS = "model.safetensors"

# The first that is there is read.
_READERS = dict(
    zip(
        HUGGING_FACE_WEIGHTS,
        (
            SafetensorsFile,
            functools.partial(ShardedFile, open_shard=SafetensorsFile),
            TorchFile,
            functools.partial(ShardedFile, open_shard=TorchFile),
        ),
        strict=True,
    )
)
_MAX_CHARS_PER_WORD = 100
_ACTIVATIONS = {"gelu_tanh": "gelu_new", "gelu_erf": "gelu"}


def open_hugging_face(directory, lowercase=None):
    """Opens a directory of Hugging Face."""
    name = next(name for name in _READERS if (directory / name).is_file())
    path = directory / name
    values, config = _read_config(directory / _CONFIG)
    family = find_family(config.model_type)
    arrays = RenamedArrays(
        _READERS[name](path), names.canonical_names(config.model_type), path
    )
    task = read_task(directory) or published_task(
        values, family, arrays.shapes, directory / _CONFIG
    )
    return Source(
        name=str(path),
        config=config,
        tokenizer=read_tokenizer(
            family.tokenizer, directory, _MAX_CHARS_PER_WORD, lowercase
        ),
        arrays=arrays,
        places=lambda config, head: published_places(
            config, "hugging_face", head
        ),
        ignored=_ignored(family, arrays, path, task),
        task=task,
    )


def write_hugging_face(model, directory):
    """Writes what `transformers` reads without a missing or unexpected key."""
    weights = model.weights
    head = model.task and model.task.head
    write_safetensors(
        directory / _SAFETENSORS,
        [
            (place.name, place.shape, _writer(place, weights[place.weight]))
            for place in published_places(model.config, "hugging_face", head)
            if place.weight in weights
        ],
    )
    artifacts.write_json(directory / _CONFIG, _published_config(model))
    write_task(model, directory)
    model.tokenizer_settings.save(directory)


def _writer(place, weight):
    return lambda: place.written_from(np.asarray(weight))


def _read_config(path):
    try:
        values = read_json_object(path)
        # Its "gelu" is the erf form, whether or not the file says so.
        values = {"model_type": BertConfig.model_type, **values}
        return values, config_from(values)
    except ValueError as error:
        raise CheckpointError(f"{path}: {error}") from None


def _ignored(family, arrays, path, task):
    """Finds names that are known to have no place in the model."""
    model_type = family.model_type
    heads = names.task_arrays(model_type, arrays.shapes)
    if task and task.head:
        rows = head_rows(model_type, task.head.part)
        heads -= {row["hugging_face"].partition("@")[0] for row in rows}
    if heads:
        logging.warning(
            "%s: the task head is left out: %s.", path, ", ".join(sorted(heads))
        )
    tied = tied_arrays(model_type, "hugging_face")
    for copy in {*tied} & {*arrays.shapes}:
        original = tied[copy]
        if original in arrays.shapes and not np.array_equal(
            arrays.read(copy), arrays.read(original)
        ):
            raise CheckpointError(
                f"{path}: {copy} must be the same numbers as {original}, "
                f"because {family.name} ties them. It is another model."
            )
    return frozenset({*names.buffers(model_type), *heads, *tied})


def _published_config(model):
    """Makes the dict of keys that `transformers` expects."""
    config = model.config
    vocabulary = model.tokenizer_settings.vocabulary
    activation = getattr(config, config.activation_key)
    values = {
        "architectures": [names.model_class(model)],
        **config.to_dict(),
        config.activation_key: _ACTIVATIONS.get(activation, activation),
        **model.family.published_keys,
        **published_settings(model.task),
    }
    # Of some families it is a setting of the layers.
    pad_id = vocabulary.id_of(vocabulary.roles["pad"])
    return {**values, "pad_token_id": values.get("pad_token_id", pad_id)}
