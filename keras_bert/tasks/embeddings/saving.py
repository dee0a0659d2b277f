"""Loading and saving of embedders, also in sentence-transformers format.

In that format, `modules.json` lists the folders of the modules: a Transformer
(a Hugging Face directory) and a Pooling, or a StaticEmbedding; then any number
of Dense and Normalize modules. A Router (Asym in older releases) has a list of
modules for each route, such as "query" and "document".
"""

import contextlib
import dataclasses
import functools
import json
import re

from keras import ops

from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_weights
from keras_bert.checkpoints.arrays.torch_file import TorchFile
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.layout import local_directory
from keras_bert.checkpoints.task_record import TaskRecord
from keras_bert.checkpoints.tokenizer import read_tokenizer
from keras_bert.config import check_settings
from keras_bert.config import read_json_object
from keras_bert.export.onnx.tokenizer_json import write_tokenizer_json
from keras_bert.files.atomic import write_json
from keras_bert.messages import brief
from keras_bert.models.families.static_embeddings.model import (
    StaticEmbeddingsConfig,
)
from keras_bert.tasks.embeddings.model import ACTIVATIONS
from keras_bert.tasks.embeddings.model import activation_name
from keras_bert.tasks.embeddings.model import dense_layer
from keras_bert.tasks.embeddings.model import pooling_names
from keras_bert.tasks.embeddings.prompts import Prompts

_TASK = "TextEmbedder"
_DENSE = "dense.safetensors"
_LATER = (
    *(field.name for field in dataclasses.fields(Prompts)),
    "truncate_dim",
    "similarity",
)
_MODULES = "modules.json"
_SETTINGS = "config_sentence_transformers.json"
_PACKAGE = "sentence_transformers"
_ORDER = re.compile(
    "(Transformer Pooling|StaticEmbedding)( Dense)*( Normalize)*"
)
_ROUTERS = "Router", "Asym"
# Map current names to keys in older files, in the order of concatenation.
_MODES = {
    "cls": "pooling_mode_cls_token",
    "max": "pooling_mode_max_tokens",
    "mean": "pooling_mode_mean_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}
_VECTOR = "sentence_embedding"
# Supported values of the settings of each module, and settings of any value.
_TRANSFORMER = {
    "transformer_task": ["feature-extraction"],
    "module_output_name": ["token_embeddings"],
    "modality_config": [
        {
            "text": {
                "method": "forward",
                "method_output_name": "last_hidden_state",
            }
        }
    ],
}
_TRANSFORMER_KEYS = "max_seq_length", "do_lower_case", "unpad_inputs"
_POOLING_KEYS = (
    "pooling_mode",
    "include_prompt",
    *_MODES.values(),
    "embedding_dimension",
    "word_embedding_dimension",
)
_DENSE_KEYS = "in_features", "out_features", "bias"
_TO_VECTOR = {"module_input_name": [_VECTOR], "module_output_name": [_VECTOR]}
_MODEL_KEYS = (
    "__version__",
    "model_type",
    "prompts",
    "default_prompt_name",
    "truncate_dim",
    "similarity_fn_name",
)
# The module has no limit; `TextEmbedder` pads to it in `text_model` only.
_STATIC_LENGTH = 2**16


def load_embedder(directory, route=None, **arguments):
    """Load an encoder and its embedding settings.

    Args:
        directory: str, as for `keras_bert.from_pretrained`, or a
            sentence-transformers directory.
        route: str, route of a Router to load; None if there is only one.
        **arguments: other arguments of `keras_bert.from_pretrained`.

    Returns:
        A `PretrainedModel` and a dict of `TextEmbedder` arguments, empty if
        the directory has none.

    Raises:
        CheckpointError: a file cannot be used.
    """
    directory = local_directory(directory)
    if (directory / _MODULES).is_file():
        return _read_modules(directory, route, arguments)
    _check_router(directory, route, is_there=False)
    pretrained = from_pretrained(directory, **arguments)
    task = pretrained.task
    if task is None or task.task != _TASK:
        return pretrained, {}
    # Earlier versions wrote fewer settings.
    names = [name for name in _LATER if name in task.settings]
    names += ["pooling", "normalize", "seq_length", "dense"]
    try:
        read = {name: task.settings[name] for name in names}
    except KeyError as error:
        raise CheckpointError(
            f"{directory / 'task.json'}: the settings of a {_TASK} must "
            f"contain the key {error}."
        ) from None
    read["dense"] = _read_dense(directory / _DENSE, read["dense"])
    return pretrained, read


def published_model_and_files(embedder):
    """Return the encoder and the files of the sentence-transformers format.

    Returns:
        A `PretrainedModel` without a task, and a dict mapping file names to
        functions that write the file to a path.

    Raises:
        ValueError: sentence-transformers does not support the embedder.
    """
    extras = _module_files(
        embedder.pretrained.config, dense=embedder.dense, **_settings(embedder)
    )
    if not embedder.pretrained.config.depth:
        write = functools.partial(write_tokenizer_json, embedder.preprocess)
        extras["tokenizer.json"] = write
    return embedder.pretrained.without_task(), extras


def _settings(embedder):
    length = embedder.preprocess.seq_length
    return {**embedder.settings, "seq_length": length}


def save_embedder(
    embedder, directory, format, overwrite, more_settings=None, more_files=None
):
    """Write a `TextEmbedder`; see `TextEmbedder.save`.

    Args:
        embedder, directory, format, overwrite: see `TextEmbedder.save`.
        more_settings: dict of settings to add to `task.json`.
        more_files: argument `extras` of `save_pretrained`.
    """
    pretrained, dense = embedder.pretrained, embedder.dense
    settings = _settings(embedder)
    if format == "hf":
        pretrained, extras = published_model_and_files(embedder)
    elif format == "keras":
        settings["dense"] = [activation_name(layer) for layer in dense]
        settings |= more_settings or {}
        pretrained = pretrained.for_task(TaskRecord(_TASK, None, settings))
        write = functools.partial(_write_dense, dense)
        extras = {_DENSE: write} if dense else {}
    else:
        raise ValueError(
            'The `format` of an embedder must be "keras" or "hf". '
            f"Received: format={brief(format)}."
        )
    save_pretrained(
        pretrained,
        directory,
        format=format,
        overwrite=overwrite,
        extras={**extras, **(more_files or {})},
    )


def _read_dense(path, activations):
    """Read dense layers from a file written by `_write_dense`."""
    arrays, layers = SafetensorsFile(path) if activations else None, []
    for number, activation in enumerate(activations):
        kernel, bias = f"{number}/kernel", f"{number}/bias"
        if kernel not in arrays.shapes or activation not in ACTIVATIONS:
            raise CheckpointError(
                f"{path} must contain {kernel} of a layer with one of the "
                f"activations {', '.join(ACTIVATIONS)}. Received: "
                f"{', '.join(arrays.shapes)}; activation {brief(activation)}."
            )
        bias = arrays.read(bias) if bias in arrays.shapes else None
        layers.append(dense_layer(arrays.read(kernel), bias, activation))
    return layers


def _write_dense(layers, path):
    """Write the weights of dense layers, named by their indices."""
    weights = {}
    for number, layer in enumerate(layers):
        pairs = zip(("kernel", "bias"), layer.weights, strict=False)
        weights |= {f"{number}/{name}": weight for name, weight in pairs}
    write_weights(path, weights)


def _read_modules(directory, route, arguments):
    folders, class_names = _list_modules(directory / _MODULES, route)
    pooling, include_prompt = "mean", True
    if class_names[0] == "Transformer":
        pretrained = from_pretrained(folders[0], **arguments)
        path, size = folders[1] / "config.json", pretrained.config.sizes["H"]
        pooling, include_prompt = _read_pooling(path, size)
    else:
        pretrained = _read_static(folders[0], **arguments)
    limit = pretrained.config.max_seq_length
    size = pretrained.config.sizes["H"] * len(pooling_names(pooling))
    dense = []
    for folder, class_name in zip(folders, class_names, strict=True):
        if class_name == "Dense":
            dense.append(_read_linear(folder, size))
            size = dense[-1].units
        elif class_name == "Normalize":
            _read_if_any(folder / "config.json", _TO_VECTOR)
    own = sorted(folders[0].glob("sentence_*_config.json"))[:1]
    settings = _read(own[0], _TRANSFORMER, _TRANSFORMER_KEYS) if own else {}
    limits = _read_if_any(folders[0] / "tokenizer_config.json")
    length = settings.get("max_seq_length") or limits.get("model_max_length")
    values = _read_if_any(directory / _SETTINGS, {}, _MODEL_KEYS)
    prompts = {
        "prompts": values.get("prompts") or {},
        "default_prompt_name": values.get("default_prompt_name"),
        "include_prompt": include_prompt,
    }
    with _errors_name_file(directory / _SETTINGS):
        Prompts(**prompts)
    if settings.get("do_lower_case"):
        with _errors_name_file(directory):
            tokenizer = pretrained.tokenizer_settings.lowercased()
        pretrained = pretrained.with_tokenizer(tokenizer)
    return pretrained, {
        "pooling": pooling,
        "normalize": class_names[-1] == "Normalize",
        "dense": dense,
        "seq_length": min(int(length or limit), limit),
        "truncate_dim": values.get("truncate_dim"),
        "similarity": values.get("similarity_fn_name") or "cosine",
        **prompts,
    }


def _list_modules(path, route):
    """Return the folder and type of each module of a route."""
    try:
        modules = json.loads(path.read_text("utf-8-sig"))
        modules = [
            (path.parent / module["path"], _class_name(str(module["type"])))
            for module in modules
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"{path} must list modules with their type and path: {error!r}."
        ) from None
    routers = [index for index, x in enumerate(modules) if x[1] in _ROUTERS]
    _check_router(path.parent, route, is_there=bool(routers))
    for index in routers[:1]:
        modules[index : index + 1] = _read_route(modules[index][0], route)
    class_names = [class_name for _, class_name in modules]
    if not _ORDER.fullmatch(" ".join(class_names)):
        raise CheckpointError(
            f"{path} must list a Transformer and a Pooling, or a "
            "StaticEmbedding, then any Dense and Normalize, or a Router of "
            f"these, all of {_PACKAGE}. Received: "
            f"{', '.join(class_names) or '[]'}."
        )
    return [folder for folder, _ in modules], class_names


def _check_router(directory, route, is_there):
    if route is not None and not is_there:
        raise CheckpointError(
            f"{directory} must contain a Router of {_PACKAGE} to load a route. "
            f"Received: route={route!r}."
        )


def _class_name(type):
    """Return the class name of a module of sentence-transformers."""
    return re.sub(rf"{_PACKAGE}\.(\w+\.)*(?=\w+$)", "", type)


def _read_route(folder, route):
    """Return the folder and type of each module in a route of a Router."""
    paths = folder / "router_config.json", folder / "config.json"
    path = next((path for path in paths if path.is_file()), paths[0])
    values = _read(path)
    try:
        routes, types = dict(values["structure"]), dict(values["types"])
        if route is None and len(routes) == 1:
            (route,) = routes
        if route not in routes:
            raise CheckpointError(
                f"{path} has different modules for its routes. Load each with "
                "`TextEmbedder.from_pretrained(directory, route=...)`. "
                f"`route` must be one of {', '.join(routes)}. Received: "
                f"route={brief(route)}."
            )
        names = [str(name) for name in routes[route]]
        return [
            (folder / name, _class_name(str(types[name]))) for name in names
        ]
    except (KeyError, TypeError) as error:
        raise CheckpointError(
            f"{path} must list the modules of each route: {error!r}."
        ) from None


def _read_static(
    folder, lowercase=None, special_tokens_in_text=None, strict=False
):
    """Read the table and the `tokenizer.json` of a StaticEmbedding."""
    given = {"lowercase": lowercase, "strict": strict}
    given["special_tokens_in_text"] = special_tokens_in_text
    config = _read_if_any(folder / "config.json")
    if config.get("model_type") == StaticEmbeddingsConfig.model_type:
        return from_pretrained(folder, **given)
    arrays, names = _open_arrays(folder), ("embedding.weight", "embeddings")
    if [*arrays.shapes] not in [[name] for name in names]:
        raise CheckpointError(
            f"{folder} must contain one array, {' or '.join(names)}. "
            f"Received: {', '.join(arrays.shapes)}."
        )
    (table,) = map(arrays.read, arrays.shapes)
    tokenizer = _read(folder / "tokenizer.json")
    truncation = tokenizer.get("truncation") or {}
    length = truncation.get("max_length", _STATIC_LENGTH)
    with _errors_name_file(folder / "tokenizer.json"):
        check_settings(truncation, {"direction": ["Right"]}, [*truncation])
        settings = read_tokenizer("wordpiece", folder, 100, lowercase)
        if special_tokens_in_text is not None:
            settings = dataclasses.replace(
                settings, special_tokens_in_text=special_tokens_in_text
            )
        config = StaticEmbeddingsConfig(*table.shape, length)
        model = PretrainedModel.from_config(config, settings)
    model.backbone.embeddings.word_embeddings.assign(table)
    return model


def _read_pooling(path, size):
    """Return the pooling of vectors of a size, and `include_prompt`."""
    values = _read(path, {}, _POOLING_KEYS)
    modes = values.get("pooling_mode")
    if modes is None:
        modes = [mode for mode, key in _MODES.items() if values.get(key)]
        modes = modes or ["mean"]
    modes = [modes] if isinstance(modes, str) else modes
    if not modes or not {*modes} <= {*_MODES}:
        raise CheckpointError(
            f"{path}: the poolings must be of {', '.join(_MODES)}. Received: "
            f"{' and '.join(map(str, modes))}."
        )
    dim = values.get("embedding_dimension")
    dim = dim or values.get("word_embedding_dimension")
    if dim != size:
        raise CheckpointError(
            f"{path}: the dimension of the pooling must be the encoder's "
            f"hidden size, {size}. Received: {dim}."
        )
    pooling = modes[0] if len(modes) == 1 else modes
    return pooling, values.get("include_prompt", True)


def _read_linear(folder, size):
    """Read a Dense module with the given input size."""
    activations = {name: ours for ours, name in ACTIVATIONS.items()}
    allowed = {
        "in_features": [size],
        "use_residual": [False],
        "activation_function": [*activations],
        **_TO_VECTOR,
    }
    values = _read(folder / "config.json", allowed, _DENSE_KEYS)
    activation = values.get("activation_function", ACTIVATIONS["tanh"])
    arrays = _open_arrays(folder)
    has_bias, num_units = values.get("bias", True), values.get("out_features")
    shapes = {"linear.weight": (num_units, size), "linear.bias": (num_units,)}
    shapes = shapes if has_bias else {"linear.weight": (num_units, size)}
    if arrays.shapes != shapes:
        raise CheckpointError(
            f"The weights in {folder} must have the shapes {shapes} of its "
            f"config.json. Received the shapes: {arrays.shapes}."
        )
    return dense_layer(
        arrays.read("linear.weight").T,
        arrays.read("linear.bias") if has_bias else None,
        activations[activation],
    )


def _open_arrays(folder):
    path = folder / "model.safetensors"
    if path.is_file():
        return SafetensorsFile(path)
    return TorchFile(folder / "pytorch_model.bin")


def _write_linear(layer, path):
    """Write the weights of one layer under the names of PyTorch's `linear`."""
    weights = {"linear.weight": ops.transpose(layer.kernel)}
    if layer.use_bias:
        weights["linear.bias"] = layer.bias
    write_weights(path, weights)


def _module_files(
    config,
    pooling,
    dense,
    normalize,
    seq_length,
    include_prompt,
    similarity,
    truncate_dim,
    **prompts,
):
    """Return the additional files for the sentence-transformers format.

    The result is a dict mapping file names to functions that write the file
    to a path.
    """
    named = [("", "Transformer"), ("1_Pooling", "Pooling")]
    poolings, names = [*_MODES], pooling_names(pooling)
    if not config.depth:
        named, poolings = [("", "StaticEmbedding")], ["mean"]
    if not {*names} <= {*poolings}:
        raise ValueError(
            "sentence-transformers has only the poolings "
            f"{', '.join(poolings)}. Received: pooling={brief(pooling)}. "
            'Save with format="keras".'
        )
    modes = {key: name in names for name, key in _MODES.items()}
    if names != [name for name in _MODES if name in names]:
        modes["pooling_mode"] = names  # Older keys have a fixed order.
    prompts["similarity_fn_name"] = similarity
    if truncate_dim is not None:
        prompts["truncate_dim"] = truncate_dim
    values = {
        "sentence_bert_config.json": {
            "max_seq_length": seq_length,
            "do_lower_case": False,
        },
        _SETTINGS: prompts,
    }
    if config.depth:
        values["1_Pooling/config.json"] = {
            "word_embedding_dimension": config.sizes["H"],
            **modes,
            "include_prompt": include_prompt,
        }
    files = {}
    for layer in dense:
        folder = f"{len(named)}_Dense"
        named.append((folder, "Dense"))
        values[f"{folder}/config.json"] = {
            "in_features": layer.kernel.shape[0],
            "out_features": layer.units,
            "bias": layer.use_bias,
            "activation_function": ACTIVATIONS[activation_name(layer)],
        }
        write = functools.partial(_write_linear, layer)
        files[f"{folder}/model.safetensors"] = write
    if normalize:
        folder = f"{len(named)}_Normalize"
        named.append((folder, "Normalize"))
        values[f"{folder}/config.json"] = {}
    values[_MODULES] = [
        {
            "idx": index,
            "name": str(index),
            "path": folder,
            "type": f"{_PACKAGE}.models.{class_name}",
        }
        for index, (folder, class_name) in enumerate(named)
    ]
    for name, content in values.items():
        files[name] = functools.partial(write_json, values=content)
    return files


@contextlib.contextmanager
def _errors_name_file(path):
    """Re-raise errors as a `CheckpointError` with the file's name."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: {error}") from None


def _read_if_any(path, *checked):
    return _read(path, *checked) if path.is_file() else {}


def _read(path, *checked):
    """Read a JSON file and check its settings with `check_settings`."""
    with _errors_name_file(path):
        values = read_json_object(path)
        if checked:
            check_settings(values, *checked)
    return values
