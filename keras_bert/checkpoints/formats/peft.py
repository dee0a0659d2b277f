"""LoRA adapter files in PEFT format."""

import functools
import hashlib
import pathlib
import typing
import zlib

import numpy as np
from keras import ops

from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.formats.hugging_face_names import encoder_prefix
from keras_bert.checkpoints.weight_map import published_locations
from keras_bert.config import check_supported
from keras_bert.config import read_json_object
from keras_bert.files.atomic import write_json
from keras_bert.files.outputs import new_directory
from keras_bert.layers.flat_dense import dense_layers
from keras_bert.messages import errors_name

if typing.TYPE_CHECKING:
    from keras_bert.checkpoints.pretrained_model import PretrainedModel

_CONFIG = "adapter_config.json"
_ARRAYS = "adapter_model.safetensors"
_PREFIX = "base_model.model."
_DOWN, _UP = ".lora_A.weight", ".lora_B.weight"
_BASE = ".base_layer"
_SUPPORTED = {
    "peft_type": ["LORA"],
    "bias": ["none", "lora_only"],
    # Others change the base weights.
    "init_lora_weights": [None, True, False, "gaussian", "orthogonal", "eva"],
}
# Settings without an effect on the result, or visible in the names of arrays.
_HARMLESS = frozenset(
    """auto_mapping base_model_name_or_path ensure_weight_tying eva_config
    exclude_modules inference_mode layers_pattern layers_to_transform
    lora_alpha lora_dropout megatron_config megatron_core modules_to_save
    peft_version qalora_group_size r revision target_modules task_type
    use_rslora""".split()
)
_TASK_TYPES = {
    "classifier": "SEQ_CLS",
    "token_classifier": "TOKEN_CLS",
    "span_classifier": "QUESTION_ANS",
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
        ValueError: the model already has adapters that are not merged, or
            this adapter is already merged.
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
    digest = hashlib.sha256(path.read_bytes()).digest()
    if digest in model.backbone.merged_adapters:
        raise ValueError(
            "The adapter is already merged into the model. To merge it again, "
            f"load the base model first. Received: {directory}."
        )
    locations, changes = _locations(model), []
    for name in arrays.shapes:
        if name.endswith(_UP):
            continue
        is_added = name.endswith(_DOWN)
        with errors_name(path):
            array = arrays.read(name)
            if is_added:
                up = name.replace(_DOWN, _UP)
                name = name.replace(_DOWN, ".weight")
                array = scale * (arrays.read(up) @ array)
        name = name.removeprefix(_PREFIX).replace(f"{_BASE}.", ".")
        prefixed = encoder_prefix(model.config.model_type) + name
        location = locations.get(name, locations.get(prefixed))
        if location is None or location.shape != array.shape:
            expected = (
                f"shape {location.shape}" if location else "no such array"
            )
            raise CheckpointError(
                f"{path} must be an adapter of this {model.family.name}. "
                f"Expected: {expected}. Received: {name} of shape "
                f"{array.shape}."
            )
        changes.append((location, array, is_added))
    for location, array, is_added in changes:
        variable = model.weights[location.weight]
        value = np.array(ops.convert_to_numpy(variable), np.float32)
        if is_added:
            array = array + location.written_from(value)
        location.read_into(value, array)
        variable.assign(value)
    model.backbone.merged_adapters.add(digest)


def save_adapter(
    model: "PretrainedModel",
    directory: str | pathlib.Path,
    overwrite: bool = False,
) -> None:
    """Write LoRA adapters and other trained weights in PEFT format.

    The file contains the adapters, the pooler, the task head and all other
    weights that were trained. These are the weights that have changed since
    `fit(lora_rank=...)` added the adapters, or, for adapters that were added by
    Keras's `enable_lora`, the weights that are not frozen. The base model is
    the model without them.

    Args:
        model: model with adapters added by `fit(lora_rank=...)`.
        directory: directory to write.
        overwrite: whether to overwrite the files of an earlier save.

    Raises:
        ValueError: the model has no adapters, PEFT stores query, key and
            value as one array for this family, or the file format has no array
            for a trained layer.
    """
    _check_added_layers(model)
    locations, weights = _locations(model), model.weights
    head = model.task and model.task.head
    is_bare = not head and not model.heads  # `AutoModel` has no prefix.
    layers = {
        f"{layer.path}/kernel": layer
        for layer in _layers(model)
        if layer.lora_enabled
    }
    biases, modules = _learned_biases_and_modules(
        model, locations.values(), layers
    )
    prefix = encoder_prefix(model.config.model_type) if is_bare else ""
    modules = {name.removeprefix(prefix) for name in modules}
    arrays, targets = {}, set()
    for location in locations.values():
        published = location.name.removeprefix(prefix)
        module, _, parameter = published.rpartition(".")
        if location.weight in layers:
            if not location.transposed or location.num_heads:
                raise ValueError(
                    "PEFT files are supported only for families with "
                    "separate query, key and value kernels. Received: "
                    f"{model.family.name}. Save the model with `save`."
                )
            layer = layers[location.weight]
            down, up = map(
                ops.convert_to_numpy, (layer.lora_kernel_a, layer.lora_kernel_b)
            )
            arrays[_PREFIX + module + _DOWN] = down.T
            arrays[_PREFIX + module + _UP] = location.view(up).T
            targets.add(module.rpartition(".")[2])
        elif location.weight in biases or module in modules:
            name = f"{module}{_BASE}" if location.weight in biases else module
            value = ops.convert_to_numpy(weights[location.weight])
            array = location.written_from(value)
            arrays[f"{_PREFIX}{name}.{parameter}"] = array
    ranks = {(x.lora_rank, x.lora_alpha) for x in layers.values()}
    if len(ranks) != 1 or not targets:
        raise ValueError(
            "The LoRA adapters of the model must have the same rank. Train "
            f"it with `fit(lora_rank=8)`. Received: {len(ranks)} ranks."
        )
    ((rank, alpha),) = ranks
    task_type = _TASK_TYPES.get(head.part) if head else None
    config = {
        "peft_type": "LORA",
        "task_type": "FEATURE_EXTRACTION" if is_bare else task_type,
        "base_model_name_or_path": model.name_or_path,
        "r": rank,
        "lora_alpha": alpha,
        "lora_dropout": 0.0,
        "bias": "lora_only" if biases else "none",
        "fan_in_fan_out": False,
        "inference_mode": True,
        "target_modules": sorted(targets),
        "modules_to_save": sorted(modules) or None,
    }
    with new_directory(directory, overwrite=overwrite) as staging:
        write_json(staging / _CONFIG, config)
        rows = [
            (name, array.shape, functools.partial(np.asarray, array))
            for name, array in arrays.items()
        ]
        write_safetensors(staging / _ARRAYS, rows)


def record_base_weights(backbone):
    """Record the weights before adapters are added, to find trained weights.

    Args:
        backbone: `Backbone`.
    """
    layers = [*backbone.below_blocks, *backbone.blocks, backbone.final_norm]
    backbone.base_checksums = {
        weight.path: _checksum(weight)
        for layer in layers
        if layer is not None
        for weight in layer.weights
    }


def _checksum(weight):
    return zlib.crc32(np.ascontiguousarray(ops.convert_to_numpy(weight)))


def _check_added_layers(model):
    """Raise ValueError if a task has trained layers after its model."""
    layers = model.added_layers
    if any(weight.trainable for layer in layers for weight in layer.weights):
        raise ValueError(
            "A PEFT file cannot store the layers that a task has after its "
            "model. Save the task with `save`, or freeze these layers before "
            "`fit`. Received trainable layers: "
            f"{', '.join(layer.name for layer in layers)}."
        )


def _learned_biases_and_modules(model, locations, layers):
    """Return the trained weights that an adapter file stores.

    Args:
        model: `PretrainedModel`.
        locations: iterable of `ArrayLocation`.
        layers: dict mapping kernel paths to layers with adapters.

    Returns:
        The set of paths of the trained biases of layers with adapters, and the
        set of names of the modules to store: pooler, head and trained modules.

    Raises:
        ValueError: a trained weight is in no published array.
    """
    base = model.backbone.base_checksums
    learned = {
        weight.path
        for weight in (model.task_model or model.model).weights
        if not weight.name.startswith("lora_")
        if (
            _checksum(weight) != base[weight.path]
            if weight.path in base
            else weight.trainable
        )
    }
    biases = {f"{path.removesuffix('kernel')}bias" for path in layers} & learned
    modules = {
        location.name.rpartition(".")[0]
        for location in locations
        if location.weight not in biases and location.weight not in layers
        if location.weight in learned
        or location.layer_name == "pooler"
        or _is_head(model, location)
    }
    lost = learned - {location.weight for location in locations}
    if lost:
        raise ValueError(
            "A PEFT file cannot store all weights that were trained. Save the "
            f"model with `save`. Received: {', '.join(sorted(lost)[:3])}."
        )
    return biases, modules


def _is_head(model, location):
    task = model.task
    return task is not None and location.layer_name == task.head.part


def _layers(model):
    return dense_layers(model.task_model or model.model)


def _locations(model):
    """Return a dict mapping array names to `ArrayLocation`s."""
    head = model.task and model.task.head
    locations = published_locations(model.config, "hugging_face", head)
    return {x.name: x for x in locations if x.weight in model.weights}


def _read_scale(path):
    """Check the adapter settings and return the LoRA scaling factor."""
    try:
        values = read_json_object(path)
        check_supported(values, _SUPPORTED, _HARMLESS)
        rank, alpha = values["r"], values["lora_alpha"]
        return alpha / (rank**0.5 if values.get("use_rslora") else rank)
    except KeyError as error:
        raise CheckpointError(f"{path} must have the key {error}.") from None
    except (OSError, TypeError, ValueError, ZeroDivisionError) as error:
        raise CheckpointError(f"{path}: {error}") from None
