"""Loading and saving of sparse embedders, also as a `SparseEncoder`.

In the format of sentence-transformers, the modules are an MLMTransformer (a
Hugging Face directory with a masked-LM head) and a SpladePooling. Its release 6
writes Transformer instead of MLMTransformer. A Router has these for documents,
and a SparseStaticEmbedding for queries.
"""

import functools
import re

import numpy as np

from keras_bert import checks
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_weights
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.errors import checkpoint_errors
from keras_bert.checkpoints.tokenizer import read_tokenizer
from keras_bert.export.onnx.tokenizer_json import write_tokenizer_json
from keras_bert.files.atomic import write_json
from keras_bert.messages import brief
from keras_bert.tasks.embeddings.directories import load_directory
from keras_bert.tasks.embeddings.modules import SETTINGS
from keras_bert.tasks.embeddings.modules import module_files
from keras_bert.tasks.embeddings.modules import modules_of_route
from keras_bert.tasks.embeddings.modules import open_arrays
from keras_bert.tasks.embeddings.modules import read_json
from keras_bert.tasks.embeddings.modules import read_routes
from keras_bert.tasks.embeddings.modules import read_settings
from keras_bert.tasks.embeddings.sparse import ACTIVATIONS
from keras_bert.tasks.embeddings.sparse import POOLINGS

_TASK = "SparseEmbedder"
_ORDER = re.compile("(MLMTransformer|Transformer) SpladePooling")
_MODELS = "sparse_encoder.models"
_STATIC, _WEIGHT = "SparseStaticEmbedding", "weight"
_QUERY_WEIGHTS = "query_weights.safetensors"
# Arguments of `SparseEmbedder` in `task.json`.
_SETTINGS = (
    "pooling",
    "activation",
    "prompts",
    "default_prompt_name",
    "max_active_dims",
    "similarity",
    "seq_length",
    "freeze_query_weights",
)
_HAS_QUERY_WEIGHTS = "has_query_weights"
_POOLING_FOLDER = "1_SpladePooling"
_QUERY_FOLDER = f"query_0_{_STATIC}"
_TRANSFORMER = {
    "transformer_task": ["fill-mask"],
    "module_output_name": ["token_embeddings"],
    "modality_config": [
        {"text": {"method": "forward", "method_output_name": "logits"}}
    ],
}
_POOLING = {
    "pooling_strategy": [*POOLINGS],
    "activation_function": [*ACTIVATIONS],
}
_DIMENSIONS = "embedding_dimension", "word_embedding_dimension"


def load_sparse_embedder(directory, **arguments):
    """Load an encoder with a masked-LM head and the `SparseEmbedder` arguments.

    Args:
        directory, **arguments: see `load_directory`.

    Returns:
        The result of `load_directory`.
    """
    return load_directory(
        directory, _TASK, _read_modules, _read_own, **arguments
    )


def _read_own(directory, settings, pretrained):
    read = {name: settings[name] for name in _SETTINGS}
    if settings.get(_HAS_QUERY_WEIGHTS):
        path = directory / _QUERY_WEIGHTS
        arrays = SafetensorsFile(path)
        read["query_weights"] = _read_weight(path, arrays, pretrained)
    return read


def _read_modules(directory, route, arguments):
    routes, query_folder = read_routes(directory), None
    query = routes.get("query", [])
    if route is None and [class_name for _, class_name in query] == [_STATIC]:
        query_folder = query[0][0]
        others = [name for name in routes if name != "query"]
        route = others[0] if len(others) == 1 else None
    folders, _ = modules_of_route(
        directory, route, _ORDER, "an MLMTransformer and a SpladePooling"
    )
    pretrained = from_pretrained(folders[0], **arguments)
    pooling = read_json(folders[1] / "config.json", _POOLING, _DIMENSIONS)
    pretrained, settings = read_settings(
        directory, folders[0], pretrained, _TRANSFORMER
    )
    del settings["truncate_dim"]
    if settings["max_active_dims"] is not None:
        size = pretrained.config.vocab_size
        with checkpoint_errors(directory / SETTINGS):
            checks.between(1, size, max_active_dims=settings["max_active_dims"])
    if query_folder is not None:
        settings |= _read_static(query_folder, pretrained)
    return pretrained, {
        **settings,
        "pooling": pooling.get("pooling_strategy", "max"),
        "activation": pooling.get("activation_function", "relu"),
        "similarity": settings["similarity"] or "dot",
    }


def _read_static(folder, pretrained):
    """Return the arguments of `SparseEmbedder` for a SparseStaticEmbedding."""
    config = read_json(folder / "config.json", {}, ("frozen", "path"))
    if config.get("path"):
        raise CheckpointError(
            f"{folder / 'config.json'}: the weights must be in a "
            "model.safetensors. Save the model again with sentence-"
            f"transformers. Received: path={brief(config['path'])}."
        )
    _check_vocabulary(folder, pretrained)
    return {
        "query_weights": _read_weight(folder, open_arrays(folder), pretrained),
        "freeze_query_weights": bool(config.get("frozen")),
    }


def _read_weight(path, arrays, pretrained):
    """Read the weights of the word pieces of queries."""
    shape = (pretrained.config.vocab_size,)
    if arrays.shapes.get(_WEIGHT) != shape:
        raise CheckpointError(
            f"{path} must contain the array {_WEIGHT} of shape {shape}. "
            f"Received the shapes: {arrays.shapes}."
        )
    weights = arrays.read(_WEIGHT)
    if not np.isfinite(weights).all():
        raise CheckpointError(f"{path}: the array {_WEIGHT} must be finite.")
    return weights


def _check_vocabulary(folder, pretrained):
    """Raise CheckpointError unless a folder has the vocabulary of a model."""
    with checkpoint_errors(folder):
        other = read_tokenizer(pretrained.family.tokenizer, folder, 100)
    vocabulary = pretrained.tokenizer_settings.vocabulary
    if other.vocabulary.sha256 != vocabulary.sha256:
        raise CheckpointError(
            f"{folder} must have the vocabulary of the document encoder. "
            f"Received: {len(other.vocabulary)} tokens, which are not the "
            f"{len(vocabulary)} tokens of the encoder."
        )


def published_sparse_files(embedder):
    """Return the additional files of the sentence-transformers format.

    Returns:
        A dict mapping file names to functions that write the file to a path.
    """
    settings = embedder.settings
    own = {"max_seq_length": settings["seq_length"], "do_lower_case": False}
    pooling = {
        "pooling_strategy": settings["pooling"],
        "activation_function": settings["activation"],
        "word_embedding_dimension": embedder.dim,
    }
    files = {
        "sentence_bert_config.json": functools.partial(write_json, values=own),
        f"{_POOLING_FOLDER}/config.json": functools.partial(
            write_json, values=pooling
        ),
    }
    modules = [
        ("", f"{_MODELS}.MLMTransformer", None),
        (_POOLING_FOLDER, f"{_MODELS}.SpladePooling", None),
    ]
    if embedder.piece_weights is not None:
        files |= _router_files(embedder)
        modules = [("", "models.Router", None)]
    return {
        **files,
        **module_files(
            modules,
            model_type="SparseEncoder",
            prompts=settings["prompts"],
            default_prompt_name=settings["default_prompt_name"],
            similarity_fn_name=settings["similarity"],
            max_active_dims=settings["max_active_dims"],
        ),
    }


def _router_files(embedder):
    """Return the files of the Router and of its module for queries."""
    names = {
        _QUERY_FOLDER: f"sentence_transformers.{_MODELS}.{_STATIC}",
        ".": f"sentence_transformers.{_MODELS}.MLMTransformer",
        _POOLING_FOLDER: f"sentence_transformers.{_MODELS}.SpladePooling",
    }
    router = {
        "types": names,
        "structure": {
            "query": [_QUERY_FOLDER],
            "document": [".", _POOLING_FOLDER],
        },
        "parameters": {"default_route": "document", "allow_empty_key": True},
    }
    frozen = {"frozen": embedder.settings["freeze_query_weights"]}
    tokenizer = functools.partial(write_tokenizer_json, embedder.preprocess)
    return {
        "router_config.json": functools.partial(write_json, values=router),
        f"{_QUERY_FOLDER}/config.json": functools.partial(
            write_json, values=frozen
        ),
        f"{_QUERY_FOLDER}/model.safetensors": functools.partial(
            _write_weight, embedder
        ),
        f"{_QUERY_FOLDER}/tokenizer.json": tokenizer,
    }


def _write_weight(embedder, path):
    write_weights(path, {_WEIGHT: embedder.piece_weights.weight})


def own_settings_and_files(embedder):
    """Return the settings and the files of the format of this library."""
    has_weights = embedder.piece_weights is not None
    settings = {**embedder.settings, _HAS_QUERY_WEIGHTS: has_weights}
    write = functools.partial(_write_weight, embedder)
    return settings, {_QUERY_WEIGHTS: write} if has_weights else {}
