"""Directories of sentence-transformers: an encoder and what follows it.

`modules.json` lists the modules with their folders: a Transformer, which is a
directory of Hugging Face, a Pooling, any number of Dense and a Normalize.
"""

import json
import re

from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.torch_file import TorchFile
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.config import read_json_object
from keras_bert.tasks.embeddings.model import ACTIVATIONS
from keras_bert.tasks.embeddings.model import dense_layer

MODULES = "modules.json"
PROMPTS = "config_sentence_transformers.json"
PACKAGE = "sentence_transformers"
_KINDS = ("Transformer", "Pooling", "Dense", "Normalize")
_ORDER = re.compile("Transformer Pooling( Dense)*( Normalize)?")
# The names of today, and what older files call them.
MODES = {
    "cls": "pooling_mode_cls_token",
    "max": "pooling_mode_max_tokens",
    "mean": "pooling_mode_mean_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}
MODULE_POOLINGS = ("cls", "max", "mean")
_DENSE_KEYS = {"in_features", "out_features", "bias", "activation_function"}
_VECTOR = "sentence_embedding"


def read_modules(directory):
    """Read all except the encoder from a directory with a `modules.json`.

    Args:
        directory: `pathlib.Path`.

    Returns:
        The directory of the encoder, the size of the vectors that are pooled,
        whether texts are lower-cased whatever the tokenizer does, and a dict
        of arguments of `TextEmbedder`, whose `seq_length` may be None.

    Raises:
        CheckpointError: a file cannot be used, or needs a missing feature.
    """
    folders, kinds = _list_modules(directory / MODULES)
    pooling, dim, include_prompt = _read_pooling(folders[1] / "config.json")
    dense, size = [], dim
    for folder, kind in zip(folders, kinds, strict=True):
        if kind == "Dense":
            dense.append(_read_dense(folder, size))
            size = dense[-1].units
    settings = {}
    for path in sorted(folders[0].glob("sentence_*_config.json"))[:1]:
        settings = _read(path)
    limits = _read_if_any(folders[0] / "tokenizer_config.json")
    length = settings.get("max_seq_length") or limits.get("model_max_length")
    prompts = _read_if_any(directory / PROMPTS)
    return (
        folders[0],
        dim,
        bool(settings.get("do_lower_case")),
        {
            "pooling": pooling,
            "normalize": kinds[-1] == "Normalize",
            "dense": dense,
            "seq_length": length and int(length),
            "prompts": prompts.get("prompts") or {},
            "default_prompt_name": prompts.get("default_prompt_name"),
            "include_prompt": include_prompt,
        },
    )


def _list_modules(path):
    """The folders of the modules and their kinds, in order."""
    try:
        modules = json.loads(path.read_text(encoding="utf-8"))
        types = [str(module["type"]) for module in modules]
        folders = [path.parent / module["path"] for module in modules]
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"{path} must list modules with their type and path. Received: "
            f"{error!r}."
        ) from None
    kinds = [type.rpartition(".")[2] for type in types]
    for type, kind in zip(types, kinds, strict=True):
        if not type.startswith(f"{PACKAGE}.") or kind not in _KINDS:
            raise CheckpointError(
                f"{path}: a module must be one of {', '.join(_KINDS)} of "
                f"{PACKAGE}. Received: {type!r}."
            )
    if not _ORDER.fullmatch(" ".join(kinds)):
        raise CheckpointError(
            f"{path} must list a Transformer, a Pooling, then any Dense and "
            f"at most one Normalize. Received: {', '.join(kinds) or 'none'}."
        )
    return folders, kinds


def _read_pooling(path):
    """The name of the pooling, the size of the vectors, `include_prompt`."""
    values = _read(path)
    modes = values.get("pooling_mode")
    if modes is None:
        modes = [mode for mode, key in MODES.items() if values.get(key)]
        modes = modes or ["mean"]
    modes = [modes] if isinstance(modes, str) else modes
    if len(modes) != 1 or modes[0] not in MODULE_POOLINGS:
        raise CheckpointError(
            f"{path}: the pooling must be one of "
            f"{', '.join(MODULE_POOLINGS)}. Received: "
            f"{' and '.join(map(str, modes))}."
        )
    dim = values.get("embedding_dimension")
    dim = dim or values.get("word_embedding_dimension")
    return modes[0], dim, values.get("include_prompt", True)


def _read_dense(folder, size):
    """The layer of a folder, which takes vectors of that size."""
    path = folder / "config.json"
    values = _read(path)
    _check_dense(path, values, size)
    theirs = values.get("activation_function", ACTIVATIONS["tanh"])
    activations = {name: ours for ours, name in ACTIVATIONS.items()}
    if theirs not in activations:
        raise CheckpointError(
            f"{path}: `activation_function` must be one of "
            f"{', '.join(activations)}. Received: {theirs!r}."
        )
    arrays = folder / "model.safetensors"
    if arrays.is_file():
        arrays = SafetensorsFile(arrays)
    else:
        arrays = TorchFile(folder / "pytorch_model.bin")
    has_bias = values.get("bias", True)
    shapes = {"linear.weight": (values["out_features"], size)}
    if has_bias:
        shapes["linear.bias"] = (values["out_features"],)
    if arrays.shapes != shapes:
        raise CheckpointError(
            f"The weights in {folder} must be {shapes}, as its config.json "
            f"says. Received: {arrays.shapes}."
        )
    return dense_layer(
        arrays.read("linear.weight").T,
        arrays.read("linear.bias") if has_bias else None,
        activations[theirs],
    )


def _check_dense(path, values, size):
    """Raises CheckpointError for what we cannot do; lets the usual pass."""
    usual = {
        "in_features": size,
        "module_input_name": _VECTOR,
        "module_output_name": _VECTOR,
        "use_residual": False,
    }
    for key, value in values.items():
        if key not in {*_DENSE_KEYS, *usual} or value != usual.get(key, value):
            wanted = usual.get(key, "left out: it is not known here")
            raise CheckpointError(
                f"{path}: `{key}` must be {wanted}. Received: {value!r}."
            )
    if not isinstance(values.get("out_features"), int):
        raise CheckpointError(
            f"{path}: `out_features` must be an integer. Received: "
            f"{values.get('out_features')!r}."
        )


def _read_if_any(path):
    return _read(path) if path.is_file() else {}


def _read(path):
    try:
        return read_json_object(path)
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: {error}") from None
