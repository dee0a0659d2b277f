"""Loading and saving of embedders, also in sentence-transformers format.

In that format, the modules are a Transformer (a Hugging Face directory) and a
Pooling, or a StaticEmbedding; then any number of Dense and Normalize modules.
"""

import dataclasses
import functools
import re

from keras import ops

from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_weights
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.errors import checkpoint_errors
from keras_bert.checkpoints.layout import TASK
from keras_bert.checkpoints.tokenizer import read_tokenizer
from keras_bert.config import check_supported
from keras_bert.export.onnx.tokenizer_json import write_tokenizer_json
from keras_bert.files.atomic import write_json
from keras_bert.messages import brief
from keras_bert.models.families.static_embeddings.model import (
    StaticEmbeddingsConfig,
)
from keras_bert.tasks.embeddings.directories import load_directory
from keras_bert.tasks.embeddings.model import ACTIVATIONS
from keras_bert.tasks.embeddings.model import activation_name
from keras_bert.tasks.embeddings.model import dense_layer
from keras_bert.tasks.embeddings.model import pooling_names
from keras_bert.tasks.embeddings.modules import module_files
from keras_bert.tasks.embeddings.modules import modules_of_route
from keras_bert.tasks.embeddings.modules import open_arrays
from keras_bert.tasks.embeddings.modules import read_if_any
from keras_bert.tasks.embeddings.modules import read_json
from keras_bert.tasks.embeddings.modules import read_settings
from keras_bert.tasks.embeddings.prompts import Prompts

_TASK = "TextEmbedder"
_DENSE = "dense.safetensors"
_LATER = (
    *(field.name for field in dataclasses.fields(Prompts)),
    "truncate_dim",
    "similarity",
)
_ORDER = re.compile(
    "(Transformer Pooling|StaticEmbedding)( Dense)*( Normalize)*"
)
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
TRANSFORMER = {
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
_POOLING_KEYS = (
    "pooling_mode",
    "include_prompt",
    *_MODES.values(),
    "embedding_dimension",
    "word_embedding_dimension",
)
_DENSE_KEYS = "in_features", "out_features", "bias"
_TO_VECTOR = {"module_input_name": [_VECTOR], "module_output_name": [_VECTOR]}
# The module has no limit; `TextEmbedder` pads to it in `text_model` only.
_STATIC_LENGTH = 2**16


def load_embedder(directory, **arguments):
    """Load an encoder and the arguments of `TextEmbedder`.

    Args:
        directory, **arguments: see `load_directory`.

    Returns:
        The result of `load_directory`.
    """
    return load_directory(
        directory, _TASK, _read_modules, _read_own, **arguments
    )


def _read_own(directory, settings, pretrained):
    # Earlier versions wrote fewer settings.
    names = [name for name in _LATER if name in settings]
    names += ["pooling", "normalize", "seq_length", "dense"]
    read = {name: settings[name] for name in names}
    read["dense"] = read_dense(directory, read["dense"])
    return read


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


def own_settings_and_files(embedder):
    """Return the settings and the files of the format of this library."""
    activations, files = dense_files(embedder.dense)
    return {**_settings(embedder), "dense": activations}, files


def dense_files(layers):
    """Return the activations of layers and a dict that writes the weights."""
    write = functools.partial(_write_dense, layers)
    activations = [activation_name(layer) for layer in layers]
    return activations, {_DENSE: write} if layers else {}


def read_dense(directory, activations):
    """Read the layers that `dense_files` wrote."""
    path = directory / _DENSE
    if not isinstance(activations, list):
        raise CheckpointError(
            f"{directory / TASK}: `dense` must be a list. Received: "
            f"{brief(activations)}."
        )
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
    folders, class_names = modules_of_route(
        directory,
        route,
        _ORDER,
        "a Transformer and a Pooling, or a StaticEmbedding, then any Dense and "
        "Normalize",
    )
    pooling, include_prompt = "mean", True
    if class_names[0] == "Transformer":
        pretrained = from_pretrained(folders[0], **arguments)
        path, size = folders[1] / "config.json", pretrained.config.sizes["H"]
        pooling, include_prompt = _read_pooling(path, size)
    else:
        pretrained = _read_static(folders[0], **arguments)
    size = pretrained.config.sizes["H"] * len(pooling_names(pooling))
    dense = []
    for folder, class_name in zip(folders, class_names, strict=True):
        if class_name == "Dense":
            dense.append(read_linear(folder, size))
            size = dense[-1].units
        elif class_name == "Normalize":
            read_if_any(folder / "config.json", _TO_VECTOR)
    pretrained, settings = read_settings(
        directory, folders[0], pretrained, TRANSFORMER
    )
    del settings["max_active_dims"]
    return pretrained, {
        **settings,
        "pooling": pooling,
        "normalize": class_names[-1] == "Normalize",
        "dense": dense,
        "similarity": settings["similarity"] or "cosine",
        "include_prompt": include_prompt,
    }


def _read_static(
    folder, lowercase=None, special_tokens_in_text=None, strict=False
):
    """Read the table and the `tokenizer.json` of a StaticEmbedding."""
    given = {"lowercase": lowercase, "strict": strict}
    given["special_tokens_in_text"] = special_tokens_in_text
    config = read_if_any(folder / "config.json")
    if config.get("model_type") == StaticEmbeddingsConfig.model_type:
        return from_pretrained(folder, **given)
    arrays, names = open_arrays(folder), ("embedding.weight", "embeddings")
    if [*arrays.shapes] not in [[name] for name in names]:
        raise CheckpointError(
            f"{folder} must contain one array, {' or '.join(names)}. "
            f"Received: {', '.join(arrays.shapes)}."
        )
    (table,) = map(arrays.read, arrays.shapes)
    tokenizer = read_json(folder / "tokenizer.json")
    truncation = tokenizer.get("truncation") or {}
    length = truncation.get("max_length", _STATIC_LENGTH)
    with checkpoint_errors(folder / "tokenizer.json"):
        check_supported(truncation, {"direction": ["Right"]}, [*truncation])
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
    values = read_json(path, {}, _POOLING_KEYS)
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


def read_linear(folder, size, vector=_VECTOR):
    """Read a Dense module.

    Args:
        folder: `pathlib.Path` of the module.
        size: int, size of its input.
        vector: str, name of its input and its output.
    """
    activations = {name: ours for ours, name in ACTIVATIONS.items()}
    allowed = {
        "in_features": [size],
        "use_residual": [False],
        "activation_function": [*activations],
        "module_input_name": [vector],
        "module_output_name": [vector],
    }
    values = read_json(folder / "config.json", allowed, _DENSE_KEYS)
    activation = values.get("activation_function", ACTIVATIONS["tanh"])
    arrays = open_arrays(folder)
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


def linear_module(layer, index, type):
    """Return an argument of `module_files` and the files of a Dense module."""
    folder = f"{index}_Dense"
    settings = {
        "in_features": layer.kernel.shape[0],
        "out_features": layer.units,
        "bias": layer.use_bias,
        "activation_function": ACTIVATIONS[activation_name(layer)],
    }
    write = functools.partial(_write_linear, layer)
    return (folder, type, settings), {f"{folder}/model.safetensors": write}


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
    modules = _first_modules(config, pooling, include_prompt)
    files = {}
    for layer in dense:
        module, own = linear_module(layer, len(modules), "models.Dense")
        modules.append(module)
        files |= own
    if normalize:
        folder = f"{len(modules)}_Normalize"
        modules.append((folder, "models.Normalize", {}))
    prompts["similarity_fn_name"] = similarity
    if truncate_dim is not None:
        prompts["truncate_dim"] = truncate_dim
    files["sentence_bert_config.json"] = functools.partial(
        write_json,
        values={"max_seq_length": seq_length, "do_lower_case": False},
    )
    return {**files, **module_files(modules, **prompts)}


def _first_modules(config, pooling, include_prompt):
    """Return the Transformer and the Pooling, or the StaticEmbedding."""
    poolings = [*_MODES] if config.depth else ["mean"]
    names = pooling_names(pooling)
    if not {*names} <= {*poolings}:
        raise ValueError(
            "sentence-transformers has only the poolings "
            f"{', '.join(poolings)}. Received: pooling={brief(pooling)}. "
            'Save with format="keras".'
        )
    if not config.depth:
        return [("", "models.StaticEmbedding", None)]
    modes = {key: name in names for name, key in _MODES.items()}
    if names != [name for name in _MODES if name in names]:
        modes["pooling_mode"] = names  # Older keys have a fixed order.
    settings = {
        "word_embedding_dimension": config.sizes["H"],
        **modes,
        "include_prompt": include_prompt,
    }
    return [
        ("", "models.Transformer", None),
        ("1_Pooling", "models.Pooling", settings),
    ]
