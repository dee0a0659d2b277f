"""Our own directory: config, vocabulary, casing and weights."""

import json
import os
import pathlib
import shutil
import tempfile

import h5py

from keras_bert.checkpoints.bert import Bert
from keras_bert.config import BertConfig
from keras_bert.text.tokenizer import BertTokenizer
from keras_bert.text.vocabulary import Vocabulary

_CONFIG = "bert_config.json"
_VOCABULARY = "vocab.txt"
_TOKENIZER = "tokenizer_config.json"
_WEIGHTS = "model.weights.h5"


def save_pretrained(bert, directory):
    """Writes a BERT so that `from_pretrained` reads it back equal.

    The files are `bert_config.json`, `vocab.txt`, `tokenizer_config.json`
    and `model.weights.h5`. They are written under temporary names first, and
    other files in the directory stay.

    Args:
        bert: `Bert`.
        directory: str, made if needed.
    """
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    staging = pathlib.Path(tempfile.mkdtemp(".tmp", ".", directory))
    try:
        bert.config.to_json(staging / _CONFIG)
        bert.tokenizer.vocabulary.save(staging / _VOCABULARY)
        casing = {"do_lower_case": bert.tokenizer.lowercase}
        (staging / _TOKENIZER).write_text(
            json.dumps(casing) + "\n", encoding="utf-8"
        )
        bert.pretrainer.save_weights(staging / _WEIGHTS)
        for name in (_CONFIG, _VOCABULARY, _TOKENIZER, _WEIGHTS):
            os.replace(staging / name, directory / name)
    finally:
        shutil.rmtree(staging)


def from_pretrained(directory):
    """Reads a directory of `save_pretrained`.

    Args:
        directory: str.

    Returns:
        A `Bert`.

    Raises:
        ValueError: a file is missing or the files do not fit each other.
    """
    directory = pathlib.Path(directory)
    missing = [
        name
        for name in (_CONFIG, _VOCABULARY, _TOKENIZER, _WEIGHTS)
        if not (directory / name).is_file()
    ]
    if missing:
        raise ValueError(
            f"{str(directory)!r} must be a checkpoint directory. "
            f"Missing: {', '.join(missing)}."
        )
    bert = Bert.from_config(
        BertConfig.from_json(directory / _CONFIG),
        BertTokenizer(
            Vocabulary.from_file(directory / _VOCABULARY),
            lowercase=_read_casing(directory / _TOKENIZER),
        ),
    )
    try:
        _check_weights(directory / _WEIGHTS, bert.pretrainer)
        bert.pretrainer.load_weights(directory / _WEIGHTS)
    except (OSError, KeyError) as error:
        raise ValueError(f"{directory / _WEIGHTS}: {error}") from None
    return bert


def _read_casing(path):
    try:
        casing = json.loads(path.read_text(encoding="utf-8"))["do_lower_case"]
    except (ValueError, KeyError, TypeError):
        casing = None
    if not isinstance(casing, bool):
        raise ValueError(
            f"{path} must be a JSON object with `do_lower_case` true or false."
        )
    return casing


def _check_weights(path, model):
    """Keras itself does not mind weights that the model has no place for."""
    saved = []
    with h5py.File(path) as file:
        file.visititems(
            lambda _, item: (
                saved.append(item) if isinstance(item, h5py.Dataset) else None
            )
        )
    if len(saved) != len(model.weights):
        raise ValueError(
            f"{path} must hold the {len(model.weights)} weights of the model. "
            f"Received: {len(saved)} weights."
        )
