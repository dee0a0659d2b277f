"""Directories of Hugging Face: config.json and safetensors or a pickle."""

import dataclasses
import functools
import json

import numpy as np
from absl import logging

from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.arrays.sharded_file import ShardedFile
from keras_bert.checkpoints.arrays.torch_file import TorchFile
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.layout import HUGGING_FACE_WEIGHTS
from keras_bert.checkpoints.source import RenamedArrays
from keras_bert.checkpoints.source import Source
from keras_bert.checkpoints.tokenizer_files import read_tokenizer
from keras_bert.checkpoints.tokenizer_files import write_tokenizer
from keras_bert.checkpoints.weight_map import published_places
from keras_bert.config import BertConfig
from keras_bert.config import read_json_object

_CONFIG = "config.json"
_SAFETENSORS = "model.safetensors"

# The first that is there is read.
_READERS = dict(
    zip(
        HUGGING_FACE_WEIGHTS,
        (
            SafetensorsFile,
            functools.partial(ShardedFile, open_shard=SafetensorsFile),
            TorchFile,
            functools.partial(ShardedFile, open_shard=TorchFile),
        ),
        strict=True,
    )
)
_OLD_NAMES = {
    "LayerNorm.gamma": "LayerNorm.weight",
    "LayerNorm.beta": "LayerNorm.bias",
}
_ENCODER = ("embeddings.", "encoder.", "pooler.")
_MAX_CHARS_PER_WORD = 100

# Buffers, and the heads of fine-tuned models, that are no part of a BERT.
_BUFFERS = {"bert.embeddings.position_ids", "bert.embeddings.token_type_ids"}
_TASK_HEADS = ("classifier.", "qa_outputs.", "dropout.")
# Copies of other arrays: of a tied table there is but one.
_COPIES = {
    "cls.predictions.decoder.weight": "bert.embeddings.word_embeddings.weight",
    "cls.predictions.decoder.bias": "cls.predictions.bias",
}
_ACTIVATIONS = {"gelu_tanh": "gelu_new", "gelu_erf": "gelu"}


def open_hugging_face(directory, lowercase=None):
    """Opens a directory of Hugging Face.

    Args:
        directory: `pathlib.Path`.
        lowercase: bool, what the caller says of the casing, or None.

    Returns:
        A `Source`.

    Raises:
        CheckpointError: a file cannot be used.
    """
    name = next(name for name in _READERS if (directory / name).is_file())
    path = directory / name
    config = _read_config(directory / _CONFIG)
    arrays = RenamedArrays(_READERS[name](path), _canonical_name, path)
    return Source(
        name=str(path),
        config=config,
        tokenizer=read_tokenizer(directory, _MAX_CHARS_PER_WORD, lowercase),
        arrays=arrays,
        places=lambda config: published_places(config, "hugging_face"),
        ignored=_ignored(arrays, path),
    )


def write_hugging_face(bert, directory):
    """Writes what `transformers` reads without a missing or unexpected key.

    Args:
        bert: `Bert`.
        directory: `pathlib.Path`, existing.
    """
    weights = {weight.path: weight for weight in bert.model.weights}
    write_safetensors(
        directory / _SAFETENSORS,
        [
            (place.name, place.shape, _writer(place, weights[place.weight]))
            for place in published_places(bert.config, "hugging_face")
            if place.weight in weights
        ],
    )
    config = json.dumps(_published_config(bert), indent=2)
    (directory / _CONFIG).write_text(config + "\n", encoding="utf-8")
    write_tokenizer(bert.tokenizer, directory)


def _writer(place, weight):
    return lambda: place.written_from(np.asarray(weight))


def _read_config(path):
    try:
        values = read_json_object(path)
        # Its "gelu" is the erf form, whether or not the file says so.
        return BertConfig.from_dict({"model_type": "bert", **values})
    except ValueError as error:
        raise CheckpointError(f"{path}: {error}") from None


def _canonical_name(name):
    name = name.removeprefix("module.")  # Of a model saved in parallel.
    for old, new in _OLD_NAMES.items():
        name = name.replace(old, new)
    return f"bert.{name}" if name.startswith(_ENCODER) else name


def _ignored(arrays, path):
    """Names that have no place in a BERT, for a reason that is known."""
    heads = {name for name in arrays.shapes if name.startswith(_TASK_HEADS)}
    if heads:
        logging.warning(
            "%s: the task head is left out: %s.", path, ", ".join(sorted(heads))
        )
    copies = {name for name in _COPIES if name in arrays.shapes}
    for copy in copies:
        original = _COPIES[copy]
        if original in arrays.shapes and not np.array_equal(
            arrays.read(copy), arrays.read(original)
        ):
            raise CheckpointError(
                f"{path}: {copy} must be the same numbers as {original}, "
                "for BERT's tables are tied. It is another model."
            )
    return frozenset({*_BUFFERS, *heads, *copies})


def _published_config(bert):
    """The keys that `transformers` expects."""
    if bert.config.is_decoder:
        architecture = "BertLMHeadModel"
    elif {"masked_lm_head", "nsp_head"} <= bert.parts:
        architecture = "BertForPreTraining"
    elif "masked_lm_head" in bert.parts:
        architecture = "BertForMaskedLM"
    elif "nsp_head" in bert.parts:
        architecture = "BertForNextSentencePrediction"
    else:
        architecture = "BertModel"
    return {
        "architectures": [architecture],
        "model_type": "bert",
        **dataclasses.asdict(bert.config),
        "hidden_act": _ACTIVATIONS.get(
            bert.config.hidden_act, bert.config.hidden_act
        ),
        "pad_token_id": 0,
    }
