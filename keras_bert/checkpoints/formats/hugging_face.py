"""Hugging Face checkpoints (config.json with safetensors or a pickle)."""

import functools
import pathlib
import typing

import numpy as np
from absl import logging

from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.arrays.sharded_file import open_sharded
from keras_bert.checkpoints.arrays.torch_file import TorchFile
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.family import config_class
from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.formats import hugging_face_names as names
from keras_bert.checkpoints.formats.hugging_face_names import task_class
from keras_bert.checkpoints.layout import HUGGING_FACE_WEIGHTS
from keras_bert.checkpoints.source import OpenedCheckpoint
from keras_bert.checkpoints.source import rename_arrays
from keras_bert.checkpoints.task_record import TaskRecord
from keras_bert.checkpoints.task_record import read_task
from keras_bert.checkpoints.task_record import write_task
from keras_bert.checkpoints.tokenizer import read_tokenizer
from keras_bert.checkpoints.weight_map import published_locations
from keras_bert.checkpoints.weight_table import HeadSize
from keras_bert.checkpoints.weight_table import head_rows
from keras_bert.checkpoints.weight_table import tied_arrays
from keras_bert.config import BertConfig
from keras_bert.config import published_classes
from keras_bert.config import read_json_object
from keras_bert.files.atomic import write_json
from keras_bert.messages import brief

if typing.TYPE_CHECKING:
    from keras_bert.checkpoints.pretrained_model import PretrainedModel

_CONFIG = "config.json"
_SAFETENSORS = "model.safetensors"

_MAX_CHARS_PER_WORD = 100
_ACTIVATIONS = {"gelu_tanh": "gelu_new", "gelu_erf": "gelu"}
# Map head names to task classes.
_TASKS = {
    "classifier": "TextClassifier",
    "token_classifier": "TokenClassifier",
    "choice_scorer": "MultipleChoice",
    "span_classifier": "QuestionAnswerer",
}
_SCORE_ACTIVATIONS = {
    "sigmoid": "torch.nn.modules.activation.Sigmoid",
    "linear": "torch.nn.modules.linear.Identity",
}
_COLBERT = "HF_ColBERT"
_REGRESSION = "regression"
_SINGLE_LABEL = "single_label_classification"
_MULTI_LABEL = "multi_label_classification"


def open_hugging_face(
    directory: pathlib.Path, lowercase: bool | None = None
) -> OpenedCheckpoint:
    """Open a Hugging Face checkpoint directory."""
    paths = [directory / name for name in HUGGING_FACE_WEIGHTS]
    path = next(path for path in paths if path.is_file())
    values, config, unknown = _read_config(directory / _CONFIG)
    family = find_family(config.model_type)
    reader = TorchFile if path.name.startswith("pyt") else SafetensorsFile
    is_index = path.suffix == ".json"
    arrays = open_sharded(path, reader) if is_index else reader(path)
    _check_no_adapter(directory, arrays)
    try:
        rename = names.canonical_names(config.model_type, arrays.shapes)
    except ValueError as error:
        raise CheckpointError(f"{path}: {error}") from None
    arrays = rename_arrays(arrays, rename, path)
    task = read_task(directory) or _published_task(
        values, family, arrays.shapes, directory / _CONFIG
    )
    return OpenedCheckpoint(
        name=str(path),
        config=config,
        tokenizer=read_tokenizer(
            family.tokenizer, directory, _MAX_CHARS_PER_WORD, lowercase
        ),
        arrays=arrays,
        locations=lambda config, head: published_locations(
            config, "hugging_face", head
        ),
        ignored=_ignored(family, arrays, path, values),
        task=task,
        unknown_keys=unknown,
        is_lenient=True,
    )


def write_hugging_face(
    model: "PretrainedModel", directory: pathlib.Path
) -> None:
    """Write a checkpoint for `transformers`."""
    weights = model.weights
    head = model.task and model.task.head
    write_safetensors(
        directory / _SAFETENSORS,
        [
            (
                location.name,
                location.shape,
                functools.partial(
                    location.written_from, weights[location.weight]
                ),
            )
            for location in published_locations(
                model.config, "hugging_face", head
            )
            if location.weight in weights
        ]
        + [
            (name, tuple(weight.shape), functools.partial(np.asarray, weight))
            for name, weight in model.published_weights.items()
        ],
    )
    write_task(model, directory)
    length = model.config.max_seq_length
    if model.task and model.task.task == "PairRanker":
        length = model.task.settings["seq_length"]
    write_published_configs(model, directory, length)


def write_published_configs(
    model: "PretrainedModel", directory: pathlib.Path, seq_length: int
) -> None:
    """Write `config.json` and the tokenizer files for `transformers`.

    Args:
        model: the model to describe.
        directory: directory to write to.
        seq_length: maximum length of a text in tokens, `model_max_length`.
    """
    write_json(directory / _CONFIG, _published_config(model))
    model.tokenizer_settings.write(directory)
    settings = directory / "tokenizer_config.json"
    if settings.is_file():
        limit = {"model_max_length": seq_length}
        values = {**read_json_object(settings), **limit}
        write_json(settings, values)


def _read_config(path):
    try:
        values = read_json_object(path)
        published_classes(values)  # Checks them.
        # In transformers, "gelu" is the erf form.
        values = {"model_type": BertConfig.model_type, **values}
        return values, *config_class(values).from_transformers(values)
    except ValueError as error:
        raise CheckpointError(f"{path}: {error}") from None


def _check_no_adapter(directory, arrays):
    adapter = directory / "adapter_config.json"
    if adapter.is_file() or any("lora_" in name for name in arrays.shapes):
        raise CheckpointError(
            f"{directory} contains an unmerged PEFT adapter. Load its base "
            "model and pass the model and this directory to "
            "`keras_bert.checkpoints.load_adapter`; or call "
            "`merge_and_unload()` of peft and save the merged model."
        )


def _ignored(family, arrays, path, values):
    """Return the names of arrays that are tied copies, buffers or unused.

    `LateInteractionEmbedder` reads the projection of ColBERT.
    """
    model_type = family.model_type
    tied = tied_arrays(model_type, "hugging_face")
    for copy in {*tied} & {*arrays.shapes}:
        original = tied[copy]
        if original in arrays.shapes and not np.array_equal(
            arrays.read(copy), arrays.read(original)
        ):
            raise CheckpointError(
                f"{path}: {copy} must be equal to {original}, because "
                f"{family.name} ties them. Received: different values."
            )
    is_colbert = _COLBERT in published_classes(values)
    projection = ["linear.weight"] if is_colbert else []
    buffers = names.buffers(model_type, arrays.shapes)
    return frozenset({*buffers, *tied, *projection})


def _published_config(model):
    """Return the contents of config.json for `transformers`."""
    config = model.config
    vocabulary = model.tokenizer_settings.vocabulary
    activation = getattr(config, config.activation_key)
    values = {
        "architectures": [model.published_class or names.model_class(model)],
        **config.to_dict(),
        config.activation_key: _ACTIVATIONS.get(activation, activation),
        **model.family.published_keys,
        **_published_settings(model.task),
    }
    # In some families, the layers also depend on `pad_token_id`.
    if "pad" in vocabulary.roles and "pad_token_id" not in values:
        values["pad_token_id"] = vocabulary.id_of(vocabulary.roles["pad"])
    return values


def _published_task(values, family, shapes, path):
    """Return the `TaskRecord` for the class named in a config.json, or None.

    Args:
        values: dict, the contents of the file.
        family: `Family`.
        shapes: dict mapping array names to shapes.
        path: `pathlib.Path` of the file, shown in error messages.
    """
    classes = published_classes(values)
    for head_name in family.task_heads:
        if task_class(family, head_name) in classes:
            break
    else:
        for name in names.other_task_classes(family, classes):
            logging.warning(
                "%s: the head of %s is not supported and is not read. Tasks "
                "start with a new head.",
                path,
                name,
            )
        return None
    head = HeadSize(head_name, _num_outputs(family, head_name, shapes, values))
    problem = values.get("problem_type")
    is_number = problem == _REGRESSION or (
        not problem and head.num_outputs == 1
    )
    if head_name == "classifier" and is_number:
        return TaskRecord("TextRegressor", head, {})
    settings = {}
    if head_name in ("classifier", "token_classifier"):
        settings["labels"] = _labels(values, head.num_outputs, path)
    if head_name == "classifier":
        settings["multi_label"] = problem == _MULTI_LABEL
    return TaskRecord(_TASKS[head_name], head, settings)


def _published_settings(task):
    """Return the config.json entries for a `TaskRecord` or None."""
    if task is None:
        return {}
    labels = task.settings.get("labels")
    is_multi = task.settings.get("multi_label")
    problem = _MULTI_LABEL if is_multi else _SINGLE_LABEL
    settings = {}
    if task.task == "PairRanker":
        activation = _SCORE_ACTIVATIONS[task.settings["activation"]]
        settings["sentence_transformers"] = {"activation_fn": activation}
    if task.task in ("PairRanker", "TextRegressor"):
        labels = [f"LABEL_{index}" for index in range(task.head.num_outputs)]
        problem = _REGRESSION
    if labels is None:
        return {}
    settings |= {
        "id2label": {str(index): name for index, name in enumerate(labels)},
        "label2id": {name: index for index, name in enumerate(labels)},
    }
    if task.head.part == "classifier":
        settings["problem_type"] = problem
    return settings


def _num_outputs(family, head_name, shapes, values):
    """Return the number of head outputs, or of labels if there is no head."""
    for row in head_rows(family.model_type, head_name):
        name = row["hugging_face"].partition("@")[0]
        if "logits/bias" in row["weight"] and name in shapes:
            return shapes[name][0] if shapes[name] else 1
    labels = values.get("id2label")
    return len(labels) if isinstance(labels, dict) and labels else 2


def _labels(values, num_labels, path):
    """Return the label names, with the defaults of transformers."""
    names = values.get("id2label")
    if names is None:
        return [f"LABEL_{index}" for index in range(num_labels)]
    try:
        labels = {int(index): str(name) for index, name in names.items()}
    except (AttributeError, ValueError):
        labels = {}
    indices = [*range(num_labels)]
    if sorted(labels) != indices or len({*labels.values()}) < num_labels:
        raise CheckpointError(
            f"{path}: `id2label` must name each of the {num_labels} outputs "
            f"of the weights once. Received: id2label={brief(names)}."
        )
    return [labels[index] for index in indices]
