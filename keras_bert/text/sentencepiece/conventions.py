"""Conventions of SentencePiece models, by file name or special tokens."""

import pathlib

from keras_bert.text.conventions import conventions_of

_LEARNED_FILE = "spiece.model"
ALL_CONVENTIONS = sorted(
    conventions_of("sentencepiece"), key=lambda x: _LEARNED_FILE not in x.files
)
# Used for models trained by this library, and if the files specify nothing
# else.
DEFAULT = ALL_CONVENTIONS[0]


def conventions_of_file(path, tokens=frozenset(), tokenizer_class=""):
    """Return the `Conventions` for the name of a model file.

    Args:
        path: str or `pathlib.Path`. Unknown names return `DEFAULT`.
        tokens: set of str, the pieces of the model.
        tokenizer_class: str, the tokenizer's name in transformers. Like
            `tokens`, it distinguishes families with the same file name.
    """
    name = pathlib.Path(path).name
    candidates = [c for c in ALL_CONVENTIONS if name in c.files]
    return _most_specific(candidates, tokens, tokenizer_class)


def conventions_of_tokens(tokens, tokenizer_class=""):
    """Return the first conventions with all special tokens in `tokens`.

    Args:
        tokens: set of str.
        tokenizer_class: see `conventions_of_file`.

    Returns:
        `Conventions`. If none match, those of `tokenizer_class`, or `DEFAULT`.
    """
    candidates = [c for c in ALL_CONVENTIONS if {*c.roles.values()} <= tokens]
    return _most_specific(candidates, tokens, tokenizer_class)


def _most_specific(candidates, tokens, tokenizer_class):
    name = tokenizer_class.removesuffix("Fast")
    named = [c for c in ALL_CONVENTIONS if c.tokenizer_class == name]
    known = [c for c in candidates if c in named or {*c.own_pieces} <= tokens]
    known.sort(key=lambda c: (c not in named, -len(c.own_pieces)))
    return next(iter(known + named), DEFAULT)
