"""Checkpoints from google-research (TF1) and the Model Garden (TF2)."""

import pathlib
import re
import typing

from absl import logging

from keras_bert.checkpoints.arrays.tensorflow_file import TensorFlowFile
from keras_bert.checkpoints.arrays.tensorflow_file import write_tensorflow
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.layout import GOOGLE_CONFIGS
from keras_bert.checkpoints.layout import google_configs
from keras_bert.checkpoints.layout import home_of
from keras_bert.checkpoints.layout import prefixes
from keras_bert.checkpoints.source import OpenedCheckpoint
from keras_bert.checkpoints.source import rename_arrays
from keras_bert.checkpoints.tokenizer import read_tokenizer
from keras_bert.checkpoints.weight_map import published_locations
from keras_bert.checkpoints.weight_table import read_table
from keras_bert.checkpoints.weight_table import tf1_columns
from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.files.atomic import write_json

if typing.TYPE_CHECKING:
    from keras_bert.checkpoints.pretrained_model import PretrainedModel

_PREFIX = "bert_model.ckpt"
_MAX_CHARS_PER_WORD = 200

# Names of optimizer variables and fine-tuned heads.
_OPTIMIZERS = ("Adam", "AdamWeightDecayOptimizer", "LAMB")
_SLOTS = (
    "/adam_m",
    "/adam_v",
    *(f"/{name}{number}" for name in _OPTIMIZERS for number in ("", "_1")),
)
_SCALARS = ("global_step", "beta1_power", "beta2_power", "temperature")
_TASK_HEADS = ("output_weights", "output_bias", "cls/squad/", "task_specific/")

# Model Garden: name prefixes of the models, and older names of weights.
_MODELS = ("bert/", "bert_encoder_v2/")
_NSP_POOLER, _POOLER = "next_sentence/pooler_dense/", "pooler_transform/"
_UNUSED = "unused/"
_OLD_NAME = "predictions/transform/logits/", "next_sentence/logits/"


def open_google(
    directory: pathlib.Path, lowercase: bool | None = None
) -> OpenedCheckpoint:
    """Open the TF1 or Model Garden checkpoint in a directory."""
    names = prefixes(directory)
    if len(names) > 1 and _PREFIX not in names:
        raise CheckpointError(
            f"{directory} must contain exactly one checkpoint. Received: "
            f"{', '.join(names)}. Move the others to another directory."
        )
    home = home_of(directory)
    path = home / (_PREFIX if _PREFIX in names else names[0])
    arrays = TensorFlowFile(path)
    family, config, column = _read_config(directory, arrays.shapes)
    others = {*tf1_columns(family.model_type)} - {column}
    second = set().union(*(_names(family.model_type, x) for x in others))
    if arrays.object_based:
        arrays, column = _garden_arrays(arrays, path), "model_garden"
    return OpenedCheckpoint(
        name=str(path),
        config=config,
        tokenizer=read_tokenizer(
            family.tokenizer, home, _MAX_CHARS_PER_WORD, lowercase
        ),
        arrays=arrays,
        locations=lambda config, head: published_locations(
            config, column, head
        ),
        ignored=frozenset(
            name
            for name in arrays.shapes
            if name.endswith(_SLOTS)
            or name in _SCALARS
            or name.startswith((*_TASK_HEADS, _UNUSED))
            or _form(name) in second
        ),
        is_lenient=True,
    )


def write_tf1(model: "PretrainedModel", directory: pathlib.Path) -> None:
    """Write a checkpoint for google-research/bert or google-research/albert.

    Raises:
        ValueError: these libraries do not support the model, or it has a task
            head.
    """
    locations = _locations(model)
    _check_buildable(model.config)
    values = model.config.fields()
    for key in ("is_decoder", "layer_norm_eps"):
        values.pop(key, None)
    if model.config.hidden_act == model.config.plain_gelu:
        values["hidden_act"] = "gelu"  # Its name in these programs.
    weights = model.weights
    write_tensorflow(
        directory / _PREFIX,
        [
            (location.name, location.written_from(weights[location.weight]))
            for location in locations
            if location.weight in weights
        ],
    )
    name = GOOGLE_CONFIGS[model.family.model_type]
    write_json(directory / name, values)
    model.tokenizer_settings.write(directory)


def _locations(model):
    """Return the array locations in the first TF1 format with all weights."""
    head = model.task and model.task.head
    for column in tf1_columns(model.family.model_type) or ["tf1"]:
        locations = published_locations(model.config, column, head)
        if {*model.weights} <= {location.weight for location in locations}:
            return locations
    raise ValueError(
        "A TensorFlow checkpoint cannot store this combination of heads. "
        f"Received: {', '.join(model.heads)}. Select one with `with_parts`."
    )


def _read_config(directory, shapes):
    """Read the config, or derive it from the array shapes.

    Returns:
        The `Family`, the config and the column of `weights.txt` that has the
        names of the arrays.
    """
    paths = google_configs(directory)
    if len(paths) > 1:
        names = [path.name for path in paths.values()]
        raise CheckpointError(
            f"{directory} must contain exactly one config file. Received: "
            f"{', '.join(names)}."
        )
    model_type, column = _model_type_and_column(directory, shapes, [*paths])
    family = find_family(model_type)
    if paths:
        config = family.config.from_json(paths[model_type])
    else:
        config = _config_of_shapes(family.config, column, shapes)
    return family, config, column


def _model_type_and_column(directory, shapes, model_types):
    """Find the `model_type` and `weights.txt` column that match the arrays."""
    candidates = model_types or [
        model_type
        for model_type in GOOGLE_CONFIGS
        if find_family(model_type).config.google_head_size
    ]
    forms, second = {*map(_form, shapes)}, f"tf1_{directory.name}"
    for model_type in candidates:
        for column in tf1_columns(model_type):
            is_requested = column == second or directory.is_dir()
            blocks = {x for x in _names(model_type, column) if "{}" in x}
            if is_requested and blocks & forms:
                return model_type, column
    if model_types:
        return model_types[0], "tf1"
    raise CheckpointError(
        f"{directory} does not contain {' or '.join(GOOGLE_CONFIGS.values())}, "
        "and its arrays do not match any model family."
    )


def _form(name):
    return re.sub(r"\d+", "{}", name)


def _names(model_type, column):
    """Return the names in a `weights.txt` column, with {} for block numbers."""
    rows = read_table(model_type)
    return {_form(row[column].partition("@")[0]) for row in rows}


def _config_of_shapes(config_class, column, shapes):
    """Derive a config from array shapes."""
    rows, sizes = read_table(config_class.model_type), {}
    for row in rows:
        shape = shapes.get(row[column].format(0), ())
        sizes |= zip(row["shape"].split(","), shape, strict=False)
    block = next(row[column] for row in rows if "{}" in row[column])
    sizes["L"] = sum(block.format(n) in shapes for n in range(len(shapes)))
    sizes["N"] = max(1, sizes.get("H", 0) // config_class.google_head_size)
    keys = config_class.size_keys
    lacking = [key for letter, key in keys.items() if letter not in sizes]
    if lacking:
        raise ValueError(
            f"The checkpoint has no config file, and {', '.join(lacking)} "
            "cannot be derived from its array shapes. Add a config file."
        )
    return config_class(**{key: sizes[x] for x, key in keys.items()})


def _check_buildable(config):
    """Raise ValueError if Google's code does not support the config."""
    program, sizes = f"google-research/{config.model_type}", config.sizes
    if config.is_decoder:
        raise ValueError(
            f"{program} has no left-to-right attention. "
            "Received: is_decoder=True."
        )
    if config.layer_norm_eps != 1e-12:
        raise ValueError(
            f"{program} supports only `layer_norm_eps` 1e-12. "
            f"Received: layer_norm_eps={config.layer_norm_eps}."
        )
    shapes = weight_shapes(config)
    if sizes.get("E") == sizes["H"] and "embeddings/projection/bias" in shapes:
        keys = config.size_keys["E"], config.size_keys["H"]
        raise ValueError(
            f"{program} cannot load this model, because it does not project "
            f"the embeddings if `{keys[0]}` equals `{keys[1]}`. Received: "
            f"{keys[0]}={sizes['E']}, {keys[1]}={sizes['H']}."
        )


def _garden_arrays(arrays, path):
    """Rename arrays to the names in `weights.txt`.

    If the checkpoint has a next-sentence head of the Model Garden, the trained
    pooler belongs to this head, and the untrained pooler of the encoder is
    ignored.
    """
    own_pooler = any(_NSP_POOLER in name for name in arrays.shapes)

    def rename(name):
        for model in _MODELS:
            name = name.removeprefix(model)
        if own_pooler:
            name = name.replace(_POOLER, f"{_UNUSED}{_POOLER}")
            name = name.replace(_NSP_POOLER, _POOLER)
        return name.replace(*_OLD_NAME)

    if own_pooler:
        logging.info(
            "%s: using the trained pooler, %s.", path, _NSP_POOLER[:-1]
        )
    return rename_arrays(arrays, rename, path)
