"""Downloads from the Hugging Face Hub."""

import os
import pathlib
import re

from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.text.tokenizer_kinds import KINDS

_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
_PATTERNS = [
    "config.json",
    "adapter_config.json",
    "tokenizer.json",
    *{
        name
        for settings_class in KINDS.values()
        for name in settings_class.files
    },
    # The sentence-transformers modules that follow the encoder.
    "modules.json",
    "sentence_*_config.json",
    "config_sentence_transformers.json",
    "[0-9]_*/config.json",
    # The modules of a Router, such as "query_0_Transformer".
    "router_config.json",
    "[0-9]_*/router_config.json",
    "*_[0-9]_*/*.json",
    "*_[0-9]_*/*.txt",
    "*_[0-9]_*/*.model",
]
# Only the first available format is downloaded.
_WEIGHTS = (
    [
        "model*.safetensors",
        "model.safetensors.index.json",
        "[0-9]_*/model.safetensors",
        "*_[0-9]_*/model.safetensors",
    ],
    [
        "pytorch_model*.bin",
        "pytorch_model.bin.index.json",
        "[0-9]_*/pytorch_model.bin",
        "*_[0-9]_*/pytorch_model.bin",
    ],
)


def download(name):
    """Download a model into the cache of huggingface_hub.

    Args:
        name: str, such as "bert-base-uncased" or "google/bert_uncased_L-2".

    Returns:
        Directory of the model (`pathlib.Path`).

    Raises:
        CheckpointError: the name is invalid, the model does not exist or
            there is no network.
    """
    check_name(name)
    # Import late, because most models are local.
    import huggingface_hub

    try:
        for weights in _WEIGHTS:
            directory = pathlib.Path(
                huggingface_hub.snapshot_download(
                    name, allow_patterns=[*_PATTERNS, *weights]
                )
            )
            if any(any(directory.glob(pattern)) for pattern in weights):
                break
    # Includes all errors of the network library.
    except (OSError, ValueError) as error:
        raise CheckpointError(
            f"No directory {name!r} exists, and it cannot be downloaded from "
            f"the Hugging Face Hub: {_first_line(error)}"
        ) from None
    return directory


def check_name(name):
    """Raise CheckpointError if a name is not valid on the Hub.

    A name is treated as a path if it has several slashes, starts with "." or
    "/", or starts with the name of an existing directory.
    """
    is_path = not _NAME.fullmatch(name) or name.startswith(".")
    if is_path or ("/" in name and os.path.isdir(name.partition("/")[0])):
        raise CheckpointError(
            f"No directory {name!r} exists (from {os.getcwd()!r})."
        )


def _first_line(error):
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}{': ' + lines[0] if lines else ''}"
