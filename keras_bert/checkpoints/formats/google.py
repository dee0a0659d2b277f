"""Directories of google-research (TF1) and of the Model Garden (TF2)."""

import dataclasses

from absl import logging

from keras_bert import artifacts
from keras_bert.checkpoints.arrays.tensorflow_file import TensorFlowFile
from keras_bert.checkpoints.arrays.tensorflow_file import write_tensorflow
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.layout import GOOGLE_CONFIGS
from keras_bert.checkpoints.layout import google_configs
from keras_bert.checkpoints.layout import prefixes
from keras_bert.checkpoints.source import RenamedArrays
from keras_bert.checkpoints.source import Source
from keras_bert.checkpoints.tokenizer import read_tokenizer
from keras_bert.checkpoints.weight_map import published_places

_PREFIX = "bert_model.ckpt"
_MAX_CHARS_PER_WORD = 200

# Of the optimizer, and the heads of fine-tuned models.
_OPTIMIZERS = ("Adam", "AdamWeightDecayOptimizer", "LAMB")
_SLOTS = (
    *("/adam_m", "/adam_v"),
    *(f"/{name}{number}" for name in _OPTIMIZERS for number in ("", "_1")),
)
_SCALARS = ("global_step", "beta1_power", "beta2_power")
_TASK_HEADS = ("output_weights", "output_bias", "cls/squad/")

# Model Garden: the names of its models, which stand before those of their
# weights, and the other names that a weight has had.
_MODELS = ("bert/", "bert_encoder_v2/")
_NSP_POOLER, _POOLER = "next_sentence/pooler_dense/", "pooler_transform/"
_UNUSED = "unused/"
_OLD_NAMES = {"predictions/transform/logits/": "next_sentence/logits/"}


def open_google(directory, lowercase=None):
    """Opens the one TF1 or Model Garden checkpoint of a directory."""
    names = prefixes(directory)
    if len(names) > 1 and _PREFIX not in names:
        raise CheckpointError(
            f"{directory} must hold one checkpoint. Received: "
            f"{', '.join(names)}. Move the others away."
        )
    path = directory / (_PREFIX if _PREFIX in names else names[0])
    family, config = _read_config(directory)
    arrays = TensorFlowFile(path)
    column = "tf1"
    if arrays.object_based:
        arrays, column = _garden_arrays(arrays, path), "model_garden"
    return Source(
        name=str(path),
        config=config,
        tokenizer=read_tokenizer(
            family.tokenizer, directory, _MAX_CHARS_PER_WORD, lowercase
        ),
        arrays=arrays,
        places=lambda config, head: published_places(config, column, head),
        ignored=frozenset(
            name
            for name in arrays.shapes
            if name.endswith(_SLOTS)
            or name in _SCALARS
            or name.startswith((*_TASK_HEADS, _UNUSED))
        ),
    )


def write_tf1(model, directory):
    """Writes what google-research/bert or google-research/albert reads.

    Raises:
        ValueError: the model is none that these programs could build, or has
            the head of a task.
    """
    head = model.task and model.task.head
    places = published_places(model.config, "tf1", head)
    _check_buildable(model.config)
    values = dataclasses.asdict(model.config)
    for key in ("is_decoder", "layer_norm_eps"):
        values.pop(key, None)
    if model.config.hidden_act == "gelu_tanh":
        values["hidden_act"] = "gelu"  # What the word means there.
    weights = model.weights
    write_tensorflow(
        directory / _PREFIX,
        [
            (place.name, place.written_from(weights[place.weight]))
            for place in places
            if place.weight in weights
        ],
    )
    name = GOOGLE_CONFIGS[model.family.model_type]
    artifacts.write_json(directory / name, values)
    model.tokenizer_settings.save(directory)


def _read_config(directory):
    """Reads the config, whose name says the family."""
    paths = google_configs(directory)
    if len(paths) > 1:
        names = [path.name for path in paths.values()]
        raise CheckpointError(
            f"{directory} must hold one config. Received: {', '.join(names)}."
        )
    [(model_type, path)] = paths.items()
    family = find_family(model_type)
    try:
        return family, family.config.from_json(path)
    except ValueError as error:
        raise CheckpointError(str(error)) from None


def _check_buildable(config):
    """Raises ValueError where Google's programs would compute otherwise."""
    program, sizes = f"google-research/{config.model_type}", config.sizes
    if config.is_decoder:
        raise ValueError(
            f"{program} has no left-to-right attention. "
            "Received: is_decoder=True."
        )
    if config.layer_norm_eps != 1e-12:
        raise ValueError(
            f"{program} has `layer_norm_eps` 1e-12 only. "
            f"Received: layer_norm_eps={config.layer_norm_eps}."
        )
    if sizes.get("E") == sizes["H"]:
        keys = config.size_keys["E"], config.size_keys["H"]
        raise ValueError(
            f"{program} has no matrix between the embeddings and the blocks "
            f"where `{keys[0]}` is `{keys[1]}`. "
            f"Received: {keys[0]}={sizes['E']}, {keys[1]}={sizes['H']}."
        )


def _garden_arrays(arrays, path):
    """Renames arrays as in the table.

    The next-sentence head of its pre-trainer has a pooler of its own. The
    encoder's is then no part of the loss, so has learned nothing.
    """
    own_pooler = any(_NSP_POOLER in name for name in arrays.shapes)

    def rename(name):
        for model in _MODELS:
            name = name.removeprefix(model)
        if own_pooler:
            name = name.replace(_POOLER, f"{_UNUSED}{_POOLER}")
            name = name.replace(_NSP_POOLER, _POOLER)
        for old, new in _OLD_NAMES.items():
            name = name.replace(old, new)
        return name

    if own_pooler:
        logging.info(
            "%s: the pooler is %s, which was trained.", path, _NSP_POOLER[:-1]
        )
    return RenamedArrays(arrays, rename, path)
