"""The casing of texts, said by files and flags, never guessed."""

import json
import pathlib

from absl import logging

from keras_bert.artifacts import manifest_of

_KEY = "do_lower_case"
_VOCABULARY, _SETTINGS = "vocab.txt", "tokenizer_config.json"
# Of the vocabularies of google-research/bert, by the hashes of their files.
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
    # It has upper-case letters, which the published tokenizer never makes.
    "45bbac6b341c319adc98a532532882e91a9cefc0329aa57bac9ae761c27b291c": (
        "the Chinese models",
        True,
    ),
}


def agreed_casing(vocabulary, claims, default=None):
    """The one answer of all that tell whether texts are lower-cased.

    Where none does, the published models' own table is asked, and the log
    says so. A cased vocabulary whose texts are lower-cased is warned of.

    Args:
        vocabulary: `Vocabulary`.
        claims: dict from what tells, a flag or a file, to bool; or to None
            where it does not tell.
        default: bool, the answer where nothing tells. None makes that an
            error.

    Returns:
        bool

    Raises:
        ValueError: two claims differ, or nothing tells.
    """
    lowercase = told_casing(claims)
    if lowercase is None:
        lowercase = _untold_casing(vocabulary, claims, default)
    _warn_of_cased(vocabulary, lowercase)
    return lowercase


def told_casing(claims):
    """The one answer of those that tell, or None where none does.

    Args, Raises: those of `agreed_casing`.
    """
    told = {str(name): value for name, value in claims.items()}
    told = {name: value for name, value in told.items() if value is not None}
    if len({*told.values()}) > 1:
        text = ", ".join(
            f"{name} says {str(value).lower()}" for name, value in told.items()
        )
        raise ValueError(
            f"`{_KEY}` must be the same everywhere, or training and serving "
            f"disagree. Received: {text}."
        )
    return next(iter(told.values()), None)


def _untold_casing(vocabulary, claims, default):
    name, published = _PUBLISHED.get(vocabulary.sha256, (None, default))
    if name is not None:
        logging.info(
            "The vocabulary is that of %s, which %s texts.",
            name,
            "lower-case" if published else "do not lower-case",
        )
    if published is None:
        asked = f" Asked: {', '.join(map(str, claims))}." if claims else ""
        raise ValueError(
            "No file says whether texts are lower-cased. Pass lowercase=True "
            f"or lowercase=False, as the model was trained.{asked}"
        )
    return published


def _warn_of_cased(vocabulary, lowercase):
    _, as_published = _PUBLISHED.get(vocabulary.sha256, (None, False))
    if lowercase and not vocabulary.is_lowercase and not as_published:
        logging.warning(
            "Texts are lower-cased, but the vocabulary has upper-case "
            "letters, which are then never used: is it that of a cased model?"
        )


def casing_beside(vocab_file):
    """Reads the casing that stands beside a vocabulary file.

    That is the manifest of `learn_vocabulary`; or, of a file vocab.txt in a
    model's directory, the tokenizer_config.json there.

    Args:
        vocab_file: str.

    Returns:
        A dict for the claims of `agreed_casing`; empty if nothing stands
        there.

    Raises:
        ValueError: the manifest is of another vocabulary, or the file is no
            JSON.
    """
    path = pathlib.Path(vocab_file)
    if not path.is_file():
        return {}
    manifest, values = manifest_of(path)
    if manifest is not None and isinstance(values.get(_KEY), bool):
        return {str(manifest): values[_KEY]}
    settings = path.with_name(_SETTINGS)
    if path.name != _VOCABULARY or not settings.is_file():
        return {}
    try:
        value = json.loads(settings.read_text(encoding="utf-8")).get(_KEY)
    except (ValueError, AttributeError) as error:
        raise ValueError(
            f"{settings} must be a JSON object. Received: {error}"
        ) from None
    return {str(settings): value} if isinstance(value, bool) else {}
