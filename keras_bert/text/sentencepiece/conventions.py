"""Conventions of SentencePiece models, by file name or special tokens."""

import pathlib

from keras_bert.text.conventions import conventions_of

_LEARNED_FILE = "spiece.model"
ALL_CONVENTIONS = sorted(
    conventions_of("sentencepiece"), key=lambda x: _LEARNED_FILE not in x.files
)
# For models trained by this library, and unless files say otherwise.
DEFAULT = ALL_CONVENTIONS[0]


def conventions_of_file(path):
    """Return the `Conventions` for the name of a model file.

    Args:
        path: str or `pathlib.Path`. Unknown names have the `DEFAULT`.
    """
    name = pathlib.Path(path).name
    return next((c for c in ALL_CONVENTIONS if name in c.files), DEFAULT)


def conventions_of_tokens(tokens):
    """Return the first conventions with all special tokens in `tokens`.

    Args:
        tokens: set of str.

    Returns:
        `Conventions`; `DEFAULT` if none match.
    """
    found = (c for c in ALL_CONVENTIONS if {*c.roles.values()} <= tokens)
    return next(found, DEFAULT)
