"""Directories of weights, of whatever format, in and out."""

import os
import pathlib
import shutil
import tempfile

from keras_bert.checkpoints.bert import Bert
from keras_bert.checkpoints.bert import check_vocabulary
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.google import is_google
from keras_bert.checkpoints.google import open_google
from keras_bert.checkpoints.google import write_tf1
from keras_bert.checkpoints.hub import download
from keras_bert.checkpoints.hugging_face import is_hugging_face
from keras_bert.checkpoints.hugging_face import open_hugging_face
from keras_bert.checkpoints.hugging_face import write_hugging_face
from keras_bert.checkpoints.model_card import model_card
from keras_bert.checkpoints.own import is_own
from keras_bert.checkpoints.own import open_own
from keras_bert.checkpoints.own import write_own
from keras_bert.checkpoints.strict_loading import loaded_variables
from keras_bert.checkpoints.strict_loading import plan_loading

# The first that recognizes a directory reads it.
_READERS = (
    (is_own, open_own),
    (is_hugging_face, open_hugging_face),
    (is_google, open_google),
)
_WRITERS = {"keras": write_own, "hf": write_hugging_face, "tf1": write_tf1}
_CARD = "README.md"


def from_pretrained(directory, allow_missing=()):
    """Reads a checkpoint directory: ours, Hugging Face's or Google's.

    All weights are read or none: what is missing, unexpected or of another
    shape is an error. A checkpoint that lacks the pooler or a head as a
    whole gives a BERT without it.

    Args:
        directory: str, a directory of `save_pretrained`, of Hugging Face
            (`config.json` with safetensors or `pytorch_model.bin`), of
            google-research/bert or of the Model Garden (`bert_config.json`
            with a TensorFlow checkpoint); or the name of a model on the
            Hugging Face Hub, which needs the package huggingface_hub.
        allow_missing: names of parts ("pooler", "masked_lm_head", "nsp_head")
            or of weights that start random where the checkpoint lacks them.

    Returns:
        A `Bert`.

    Raises:
        CheckpointError: a file is missing, cannot be used or does not fit
            the others. It is a ValueError.
    """
    path = pathlib.Path(directory)
    if not path.is_dir():
        path = download(str(directory))
    source = _open(path)
    _check_sizes(source)
    plan = plan_loading(source, allow_missing)
    with loaded_variables(plan, source):
        return Bert.from_config(source.config, source.tokenizer, plan.parts)


def save_pretrained(bert, directory, format="keras", card=None):
    """Writes a BERT so that `from_pretrained` reads it back equal.

    The files are written under temporary names first, and other files in
    the directory stay. A `README.md` tells what the model is, unless there
    is one already.

    Args:
        bert: `Bert`.
        directory: str, made if needed.
        format: "keras" (ours), "hf" (what `transformers` reads) or "tf1"
            (what google-research/bert reads).
        card: dict of str, lines to add to the model card, such as the
            training command and metrics.

    Raises:
        ValueError: the format is unknown or cannot hold the model, or the
            directory holds a checkpoint of another format.
    """
    if format not in _WRITERS:
        raise ValueError(
            f"`format` must be one of {', '.join(_WRITERS)}. "
            f"Received: format={format!r}."
        )
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    staging = pathlib.Path(tempfile.mkdtemp(".tmp", ".", directory))
    try:
        names = _WRITERS[format](bert, staging)
        _check_unmixed(directory, staging)
        if not (directory / _CARD).exists():
            text = model_card(bert, format, card or {})
            (staging / _CARD).write_text(text, encoding="utf-8")
            names.append(_CARD)
        for name in names:
            os.replace(staging / name, directory / name)
    finally:
        shutil.rmtree(staging)


def _open(path):
    for recognizes, open_source in _READERS:
        if recognizes(path):
            return open_source(path)
    files = sorted(p.name for p in path.iterdir())
    raise CheckpointError(
        f"{path} must be a checkpoint directory: bert_config.json with "
        "model.weights.h5 or bert_model.ckpt.*, or config.json with "
        "model.safetensors or pytorch_model.bin. "
        f"Received: {', '.join(files[:10]) or 'an empty directory'}."
    )


def _check_sizes(source):
    """Before anything as large as the config says is made."""
    if source.config.num_hidden_layers > len(source.arrays.shapes):
        raise CheckpointError(
            f"{source.name} holds {len(source.arrays.shapes)} arrays, too few "
            f"for num_hidden_layers={source.config.num_hidden_layers}."
        )
    try:
        check_vocabulary(source.config, source.tokenizer.vocabulary)
    except ValueError as error:
        raise CheckpointError(f"{source.name}: {error}") from None


def _check_unmixed(directory, staging):
    """A directory is one checkpoint: the reader would take the wrong one."""
    for recognizes, _ in _READERS:
        if recognizes(directory) and not recognizes(staging):
            raise ValueError(
                f"{str(directory)!r} holds a checkpoint of another format. "
                "Save to another directory."
            )
