"""Loading and saving of late-interaction embedders.

In the format of sentence-transformers, the modules are a Transformer, Dense
layers, a MultiVectorMask and a Normalize. PyLate has the Transformer and the
Dense layers only, and further settings of the model. Stanford's ColBERT has one
Hugging Face directory with the weights of the Dense layer and an
`artifact.metadata`.

An embedder with a Pooling has one vector for each text. Only its encoder is
read.
"""

import functools
import re
import string

from keras import ops

from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.errors import checkpoint_errors
from keras_bert.checkpoints.layout import local_directory
from keras_bert.config import BertConfig
from keras_bert.config import check_supported
from keras_bert.files.atomic import write_json
from keras_bert.messages import brief
from keras_bert.tasks.embeddings.directories import COLBERT
from keras_bert.tasks.embeddings.directories import is_stanford
from keras_bert.tasks.embeddings.directories import load_directory
from keras_bert.tasks.embeddings.model import activation_name
from keras_bert.tasks.embeddings.model import dense_layer
from keras_bert.tasks.embeddings.modules import MODULES
from keras_bert.tasks.embeddings.modules import SETTINGS
from keras_bert.tasks.embeddings.modules import module_files
from keras_bert.tasks.embeddings.modules import modules_of_route
from keras_bert.tasks.embeddings.modules import open_arrays
from keras_bert.tasks.embeddings.modules import read_if_any
from keras_bert.tasks.embeddings.modules import read_json
from keras_bert.tasks.embeddings.modules import read_settings
from keras_bert.tasks.embeddings.saving import TRANSFORMER
from keras_bert.tasks.embeddings.saving import dense_files
from keras_bert.tasks.embeddings.saving import linear_module
from keras_bert.tasks.embeddings.saving import read_dense
from keras_bert.tasks.embeddings.saving import read_linear

PUNCTUATION = [*string.punctuation]
_TASK = "LateInteractionEmbedder"
_ORDER = re.compile(
    "Transformer( Dense)*( MultiVectorMask Normalize| Normalize MultiVectorMask"
    ")?|Transformer Pooling( Dense)*( Normalize)*"
)
_VECTORS = "token_embeddings"
_METADATA, _PROJECTION = "artifact.metadata", "linear.weight"
_QUERY_LENGTH, _DOCUMENT_LENGTH = 32, 180
# Arguments of `LateInteractionEmbedder` in `task.json`.
_SETTINGS = (
    "seq_length",
    "query_length",
    "prompts",
    "query_expansion",
    "attend_to_expansion",
    "skip_words",
)
_MODULE_KEYS = "query_length", "document_length", "query_expansion"
_PYLATE_KEYS = (
    "query_prefix",
    "document_prefix",
    "query_length",
    "document_length",
    "do_query_expansion",
    "attend_to_expansion_tokens",
    "skiplist_words",
)
# Types of settings in the files of other libraries.
_TYPES = {
    "query_prefix": str,
    "document_prefix": str,
    "query_token_id": str,
    "doc_token_id": str,
    "query_length": int,
    "document_length": int,
    "query_maxlen": int,
    "doc_maxlen": int,
    "length": int,
    "do_query_expansion": bool,
    "attend_to_expansion_tokens": bool,
    "mask_punctuation": bool,
    "attend_to_mask_tokens": bool,
    "skiplist_words": list,
    "query_expansion": dict,
}
_DESCRIBED = {
    bool: "bool",
    dict: "dict",
    int: "positive int",
    list: "list of str",
    str: "str",
}
_EXPANSION = {"strategy": ["fixed"], "attend": [False, True]}
_MASK = {"skiplist_tasks": [["document"]], "keep_only_token_ids": [None]}
_SIMILARITIES = "MaxSim", "maxsim", None


def load_late_interaction_embedder(directory, **arguments):
    """Load an encoder and the arguments of `LateInteractionEmbedder`.

    Args:
        directory, **arguments: see `load_directory`.

    Returns:
        The result of `load_directory`.
    """
    pretrained, settings = load_directory(
        directory, _TASK, _read_modules, _read_own, **arguments
    )
    directory = local_directory(directory)
    if not settings and is_stanford(directory):
        settings = _read_stanford(directory, pretrained)
    return pretrained, settings


def _read_own(directory, settings, pretrained):
    dense = read_dense(directory, settings["dense"])
    return {**{name: settings[name] for name in _SETTINGS}, "dense": dense}


def _checked(path, values):
    """Check the types of settings and drop those that are None."""
    values = {name: x for name, x in values.items() if x is not None}
    for name, value in values.items():
        wanted = _TYPES.get(name)
        is_right = wanted is None or type(value) is wanted
        if wanted is int:
            is_right = is_right and value > 0
        elif wanted is list:
            is_right = is_right and all(isinstance(x, str) for x in value)
        if not is_right:
            raise CheckpointError(
                f"{path}: `{name}` must be a {_DESCRIBED[wanted]}. "
                f"Received: {brief(value)}."
            )
    return values


def _read_modules(directory, route, arguments):
    folders, class_names = modules_of_route(
        directory,
        route,
        _ORDER,
        "a Transformer and any Dense; and a MultiVectorMask and a Normalize, "
        "or none of both for a model of PyLate; or an embedder with a Pooling",
    )
    pretrained = from_pretrained(folders[0], **arguments)
    if "Pooling" in class_names:
        return pretrained, {}
    pretrained, settings = read_settings(
        directory,
        folders[0],
        pretrained,
        TRANSFORMER,
        {*_MODULE_KEYS, *_PYLATE_KEYS},
    )
    if settings["similarity"] not in _SIMILARITIES:
        raise CheckpointError(
            f"{directory / SETTINGS}: `similarity_fn_name` must be MaxSim. "
            f"Received: {brief(settings['similarity'])}."
        )
    size, dense = pretrained.config.sizes["H"], []
    settings = _checked(directory, settings)
    own = _pylate_settings(settings)
    for folder, class_name in zip(folders, class_names, strict=True):
        if class_name == "Dense":
            dense.append(read_linear(folder, size, _VECTORS))
            size = dense[-1].units
        elif class_name == "MultiVectorMask":
            path = folder / "config.json"
            mask = _checked(path, read_json(path, _MASK, ["skiplist_words"]))
            own = _module_settings(directory, settings, pretrained)
            own["skip_words"] = mask.get("skiplist_words", [])
    limit = settings["seq_length"]
    for name in ("seq_length", "query_length"):
        own[name] = min(own[name] or limit, limit)
    return pretrained, {**own, "dense": dense}


def _module_settings(directory, settings, pretrained):
    """Return arguments for a model of sentence-transformers."""
    expansion = settings.get("query_expansion")
    query_length = settings.get("query_length")
    if expansion is not None:
        mask = pretrained.tokenizer_settings.vocabulary.roles.get("mask")
        tokens = {"token": [None, mask]}
        with checkpoint_errors(directory / MODULES):
            check_supported(expansion, _EXPANSION | tokens, ["length"])
        expansion = _checked(directory, expansion)
        query_length = expansion.get("length", _QUERY_LENGTH)
    return {
        "prompts": settings["prompts"],
        "query_length": query_length,
        "seq_length": settings.get("document_length"),
        "query_expansion": expansion is not None,
        "attend_to_expansion": bool(expansion and expansion.get("attend")),
    }


def _pylate_settings(settings):
    """Return arguments for a model of PyLate, with its defaults."""
    prompts = settings["prompts"]
    prefixes = {
        "query": settings.get("query_prefix", "[Q] "),
        "document": settings.get("document_prefix", "[D] "),
    }
    expands = settings.get("do_query_expansion", True)
    attends = settings.get("attend_to_expansion_tokens", False)
    return {
        "prompts": {
            **prompts,
            **{
                name: prefix + prompts.get(name, "").removeprefix(prefix)
                for name, prefix in prefixes.items()
            },
        },
        "query_length": settings.get("query_length", _QUERY_LENGTH),
        "seq_length": settings.get("document_length", _DOCUMENT_LENGTH),
        "query_expansion": expands,
        "attend_to_expansion": expands and attends,
        "skip_words": settings.get("skiplist_words", PUNCTUATION),
    }


def _read_stanford(directory, pretrained):
    path = directory / _METADATA
    metadata = _checked(path, read_if_any(path))
    if metadata.get("similarity", "cosine") != "cosine":
        raise CheckpointError(
            f"{path}: `similarity` must be cosine. Received: "
            f"{brief(metadata['similarity'])}."
        )
    arrays, size = open_arrays(directory), pretrained.config.sizes["H"]
    if arrays.shapes.get(_PROJECTION, ())[1:] != (size,):
        raise CheckpointError(
            f"{directory} must contain the array {_PROJECTION} of shape (dim, "
            f"{size}). Received: {arrays.shapes.get(_PROJECTION)}."
        )
    limit = pretrained.config.max_seq_length
    skips = metadata.get("mask_punctuation", True)
    markers = {
        "query": metadata.get("query_token_id", "[unused0]"),
        "document": metadata.get("doc_token_id", "[unused1]"),
    }
    for marker in markers.values():
        if marker not in pretrained.tokenizer_settings.vocabulary.ids:
            raise CheckpointError(
                f"{path}: the tokens that mark queries and documents must be "
                f"in the vocabulary. Received: {brief(marker)}."
            )
    return {
        "dense": [dense_layer(arrays.read(_PROJECTION).T, None, "linear")],
        "prompts": markers,
        "query_length": min(metadata.get("query_maxlen", 32), limit),
        "seq_length": min(metadata.get("doc_maxlen", 220), limit),
        "query_expansion": True,
        "attend_to_expansion": metadata.get("attend_to_mask_tokens", False),
        "skip_words": PUNCTUATION if skips else [],
    }


def own_settings_and_files(embedder):
    """Return the settings and the files of the format of this library."""
    activations, files = dense_files(embedder.dense)
    return {**embedder.settings, "dense": activations}, files


def published_late_interaction_files(embedder):
    """Return the additional files of PyLate's format.

    sentence-transformers reads it, too.

    Returns:
        A dict mapping file names to functions that write the file to a path.
    """
    settings, files = embedder.settings, {}
    modules = [("", "models.Transformer", None)]
    for layer in embedder.dense:
        module, own = linear_module(
            layer, len(modules), "pylate.models.Dense.Dense"
        )
        modules.append(module)
        files |= own
    prompts = dict(settings["prompts"])
    length = embedder.pretrained.config.max_seq_length
    values = {"max_seq_length": length, "do_lower_case": False}
    return {
        **files,
        "sentence_bert_config.json": functools.partial(
            write_json, values=values
        ),
        **module_files(
            modules,
            model_type="ColBERT",
            query_prefix=prompts.pop("query", ""),
            document_prefix=prompts.pop("document", ""),
            prompts=prompts,
            default_prompt_name=None,
            similarity_fn_name="MaxSim",
            query_length=settings["query_length"],
            document_length=settings["seq_length"],
            do_query_expansion=settings["query_expansion"],
            attend_to_expansion_tokens=settings["attend_to_expansion"],
            skiplist_words=settings["skip_words"],
        ),
    }


def stanford_model_and_files(embedder):
    """Return the encoder and the files of the format of Stanford's ColBERT.

    Raises:
        ValueError: the format does not support the embedder.
    """
    settings, dense = embedder.settings, embedder.dense
    vocabulary = embedder.preprocess.tokenizer.vocabulary
    markers = [settings["prompts"].get(x) for x in ("query", "document")]
    skips = settings["skip_words"]
    wanted = {
        "a BERT": type(embedder.pretrained.config) is BertConfig,
        "one dense layer without bias and activation": len(dense) == 1
        and not dense[0].use_bias
        and activation_name(dense[0]) == "linear",
        "prompts that are tokens": {*markers} <= {*vocabulary.tokens},
        "query_expansion=True": settings["query_expansion"],
        "punctuation or no words in skip_words": skips in ([], PUNCTUATION),
    }
    missing = [name for name, is_met in wanted.items() if not is_met]
    if missing:
        raise ValueError(
            "The format of Stanford's ColBERT needs "
            f"{', and '.join(missing)}. Received: {settings}. Save with "
            'format="keras" or "hf".'
        )
    pretrained = embedder.pretrained.without_task()
    pretrained.published_class = COLBERT
    kernel = ops.convert_to_numpy(dense[0].kernel)
    pretrained.published_weights = {_PROJECTION: kernel.T}
    metadata = {
        "query_token_id": markers[0],
        "doc_token_id": markers[1],
        "query_token": "[Q]",
        "doc_token": "[D]",
        "query_maxlen": settings["query_length"],
        "doc_maxlen": settings["seq_length"],
        "dim": embedder.dim,
        "similarity": "cosine",
        "mask_punctuation": bool(skips),
        "attend_to_mask_tokens": settings["attend_to_expansion"],
    }
    write = functools.partial(write_json, values=metadata)
    return pretrained, {_METADATA: write}
