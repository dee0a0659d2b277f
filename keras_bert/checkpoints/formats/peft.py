"""LoRA adapter files in PEFT format."""

import functools
import pathlib
import typing

import numpy as np
from keras import ops

from keras_bert import artifacts
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.formats.hugging_face_names import encoder_prefix
from keras_bert.checkpoints.weight_map import published_places
from keras_bert.config import read_json_object
from keras_bert.layers.flat_dense import dense_layers
from keras_bert.messages import brief

if typing.TYPE_CHECKING:
    from keras_bert.checkpoints.pretrained_model import PretrainedModel

_CONFIG = "adapter_config.json"
_ARRAYS = "adapter_model.safetensors"
_PREFIX = "base_model.model."
_DOWN, _UP = ".lora_A.weight", ".lora_B.weight"
# Supported values of the settings that affect the result.
_PLAIN = {
    "peft_type": ("LORA",),
    "bias": ("none",),
    "use_dora": (False,),
    "fan_in_fan_out": (False,),
    "rank_pattern": ({}, None),
    "alpha_pattern": ({}, None),
}


def load_adapter(
    model: "PretrainedModel", directory: str | pathlib.Path
) -> None:
    """Merge a PEFT adapter into the weights of a model.

    Args:
        model: model with the adapter's base weights. If the adapter includes a
            task head, the model must have this head.
        directory: directory with `adapter_config.json` and
            `adapter_model.safetensors`.

    Raises:
        CheckpointError: the adapter has unsupported settings, or arrays that
            the model lacks because it was trained for a different base model.
        ValueError: the model already has adapters that are not merged.
    """
    directory = pathlib.Path(directory)
    if any(layer.lora_enabled for layer in _layers(model)):
        raise ValueError(
            "The model already has LoRA adapters. Save and load it to merge "
            "them into its kernels."
        )
    scale = _read_scale(directory / _CONFIG)
    path = directory / _ARRAYS
    try:
        arrays = SafetensorsFile(path)
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: {error}") from None
    places, changes = _places(model), []
    for name in arrays.shapes:
        if name.endswith(_UP):
            continue
        array, is_added = arrays.read(name), name.endswith(_DOWN)
        if is_added:
            up = name.replace(_DOWN, _UP)
            name = name.replace(_DOWN, ".weight")
            array = scale * (arrays.read(up) @ array)
        name = name.removeprefix(_PREFIX)
        prefixed = encoder_prefix(model.config.model_type) + name
        place = places.get(name, places.get(prefixed))
        if place is None or place.shape != array.shape:
            expected = f"shape {place.shape}" if place else "no such array"
            raise CheckpointError(
                f"{path} must be an adapter of this {model.family.name}. "
                f"Expected: {expected}. Received: {name} of shape "
                f"{array.shape}."
            )
        changes.append((place, array, is_added))
    for place, array, is_added in changes:
        variable = model.weights[place.weight]
        value = np.array(ops.convert_to_numpy(variable), np.float32)
        if is_added:
            array = array + place.written_from(value)
        place.read_into(value, array)
        variable.assign(value)


def save_adapter(
    model: "PretrainedModel",
    directory: str | pathlib.Path,
    overwrite: bool = False,
) -> None:
    """Write LoRA adapters and the task head in PEFT format.

    Args:
        model: model with adapters added by `fit(lora_rank=...)`.
        directory: directory to write.
        overwrite: whether to overwrite the files of an earlier save.

    Raises:
        ValueError: the model has no adapters, or PEFT stores query, key and
            value as one array for this family.
    """
    arrays, layers = {}, {}
    for layer in _layers(model):
        if layer.lora_enabled:
            layers[f"{layer.path}/kernel"] = layer
    targets, trained = set(), set()
    for place in _places(model).values():
        module, _, kind = place.name.rpartition(".")
        if place.weight in layers:
            if not place.transposed or place.num_heads:
                raise ValueError(
                    "PEFT files are supported only for families with "
                    "separate query, key and value kernels. Received: "
                    f"{model.family.name}. Save the model with `save`."
                )
            layer = layers[place.weight]
            down, up = map(
                ops.convert_to_numpy, (layer.lora_kernel_a, layer.lora_kernel_b)
            )
            arrays[_PREFIX + module + _DOWN] = down.T
            arrays[_PREFIX + module + _UP] = place.view(up).T
            targets.add(module.rpartition(".")[2])
        elif place.part == "pooler" or _is_head(model, place):
            value = ops.convert_to_numpy(model.weights[place.weight])
            arrays[_PREFIX + place.name] = place.written_from(value)
            trained.add(module)
    ranks = {(x.lora_rank, x.lora_alpha) for x in layers.values()}
    if len(ranks) != 1 or not targets:
        raise ValueError(
            "The LoRA adapters of the model must have the same rank. Train "
            f"it with `fit(lora_rank=8)`. Received: {len(ranks)} ranks."
        )
    ((rank, alpha),) = ranks
    config = {
        "peft_type": "LORA",
        "base_model_name_or_path": None,
        "r": rank,
        "lora_alpha": alpha,
        "lora_dropout": 0.0,
        "bias": "none",
        "fan_in_fan_out": False,
        "inference_mode": True,
        "target_modules": sorted(targets),
        "modules_to_save": sorted(trained) or None,
    }
    with artifacts.directory(directory, overwrite=overwrite) as staging:
        artifacts.write_json(staging / _CONFIG, config)
        rows = [
            (name, array.shape, functools.partial(np.asarray, array))
            for name, array in arrays.items()
        ]
        write_safetensors(staging / _ARRAYS, rows)


def _is_head(model, place):
    return model.task is not None and place.part == model.task.head.part


def _layers(model):
    return dense_layers(model.task_model or model.model)


def _places(model):
    """Return a dict mapping array names to `ArrayLocation`s."""
    head = model.task and model.task.head
    places = published_places(model.config, "hugging_face", head)
    return {x.name: x for x in places if x.weight in model.weights}


def _read_scale(path):
    """Check the adapter settings and return the LoRA scaling factor."""
    try:
        values = read_json_object(path)
        for key, allowed in _PLAIN.items():
            if values.get(key, allowed[0]) not in allowed:
                raise ValueError(
                    f"`{key}` must be {brief(allowed[0])}. "
                    f"Received: {brief(values[key])}."
                )
        rank, alpha = values["r"], values["lora_alpha"]
        return alpha / (rank**0.5 if values.get("use_rslora") else rank)
    except KeyError as error:
        raise CheckpointError(f"{path} must have the key {error}.") from None
    except (OSError, TypeError, ValueError, ZeroDivisionError) as error:
        raise CheckpointError(f"{path}: {error}") from None
