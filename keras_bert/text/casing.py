"""Detection of a tokenizer's casing from files and flags."""

import pathlib

from absl import logging

from keras_bert.config import read_json_file
from keras_bert.files.manifest import manifest_of

_KEY = "do_lower_case"
_VOCABULARY, _SETTINGS = "vocab.txt", "tokenizer_config.json"
# Map SHA-256 hashes of google-research/bert vocabularies to (name, lowercase).
_PUBLISHED = {
    "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3": (
        "the uncased English models",
        True,
    ),
    "eeaa9875b23b04b4c54ef759d03db9d1ba1554838f8fb26c5d96fa551df93d02": (
        "the cased English models",
        False,
    ),
    "fe0fda7c425b48c516fc8f160d594c8022a0808447475c1a7c6d6479763f310c": (
        "the cased multilingual models",
        False,
    ),
    # This vocabulary has upper-case letters, which the published tokenizer
    # never produces.
    "45bbac6b341c319adc98a532532882e91a9cefc0329aa57bac9ae761c27b291c": (
        "the Chinese models",
        True,
    ),
}


def agreed_casing(vocabulary, casing_hints, default=None):
    """Return whether to lower-case texts, after checking that all hints agree.

    If there are no hints, the table of published vocabularies decides, and the
    decision is logged. Lower-casing with a cased vocabulary logs a warning.

    Args:
        vocabulary: `Vocabulary`.
        casing_hints: dict mapping sources (flags or files) to whether they
            indicate lower-casing. The value is None if the source has no hint.
        default: bool, the result if there are no hints. If None, an error is
            raised.

    Returns:
        bool, True to lower-case texts.

    Raises:
        ValueError: two hints differ, or there is no hint and no default.
    """
    lowercase = resolve_casing(casing_hints)
    if lowercase is None:
        lowercase = _published_casing(vocabulary, casing_hints, default)
    _warn_of_cased(vocabulary, lowercase)
    return lowercase


def resolve_casing(casing_hints):
    """Return the casing that all hints agree on, or None if there are no hints.

    Args, Raises: see `agreed_casing`.
    """
    hints = {k: v for k, v in casing_hints.items() if v is not None}
    if len({*hints.values()}) > 1:
        text = ", ".join(f"{k} says {str(v).lower()}" for k, v in hints.items())
        raise ValueError(
            f"`{_KEY}` must be the same in all files and arguments. Received: "
            f"{text}."
        )
    return next(iter(hints.values()), None)


def _published_casing(vocabulary, casing_hints, default):
    name, published = _PUBLISHED.get(vocabulary.sha256, (None, default))
    if name is not None:
        logging.info(
            "The vocabulary belongs to %s, which %s texts.",
            name,
            "lower-case" if published else "do not lower-case",
        )
    if published is None:
        sources = ", ".join(map(str, casing_hints))
        raise ValueError(
            "No file says whether texts are lower-cased. Pass lowercase=True "
            "for an uncased model or lowercase=False for a cased model."
            f"{f' Searched: {sources}.' if sources else ''}"
        )
    return published


def _warn_of_cased(vocabulary, lowercase):
    _, as_published = _PUBLISHED.get(vocabulary.sha256, (None, False))
    if lowercase and not vocabulary.is_lowercase and not as_published:
        logging.warning(
            "Texts are lower-cased, but the vocabulary has upper-case "
            "letters, which are never used. Does the vocabulary belong to a "
            "cased model?"
        )


def casing_from_files(vocab_file):
    """Read the casing from the files next to a vocabulary file.

    These files are the manifest written by `learn_vocabulary` and, for a
    vocab.txt in a model's directory, the tokenizer_config.json.

    Args:
        vocab_file: str.

    Returns:
        A dict of casing hints for `agreed_casing`.

    Raises:
        ValueError: the manifest belongs to a different vocabulary, or a file is
            not valid JSON.
    """
    path = pathlib.Path(vocab_file)
    if not path.is_file():
        return {}
    source, values = manifest_of(path)
    if source is None or not isinstance(values.get(_KEY), bool):
        source = path.with_name(_SETTINGS)
        is_known = path.name == _VOCABULARY and source.is_file()
        values = read_json_file(source) if is_known else {}
    value = values.get(_KEY)
    return {str(source): value} if isinstance(value, bool) else {}
