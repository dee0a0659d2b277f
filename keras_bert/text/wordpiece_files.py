"""The settings of a word-piece tokenizer from the files of a directory."""

from keras_bert.config import read_json_object
from keras_bert.text.base_vocabulary import SPECIAL_TOKENS_IN_TEXT
from keras_bert.text.casing import agreed_casing
from keras_bert.text.casing import casing_beside
from keras_bert.text.vocabulary import Vocabulary
from keras_bert.text.wordpiece_settings import SETTINGS
from keras_bert.text.wordpiece_settings import SPECIAL_TOKENS
from keras_bert.text.wordpiece_settings import VOCABULARY
from keras_bert.text.wordpiece_settings import WordpieceSettings

_FAST_TOKENIZER = "tokenizer.json"


def read_wordpiece(directory, max_chars_per_word, lowercase=None):
    """Reads the settings of a word-piece tokenizer.

    The vocabulary is `vocab.txt` or in `tokenizer.json`. The casing is in
    `tokenizer_config.json`, in `tokenizer.json`, in the manifest of the
    vocabulary, or else told by the caller or by the table of the published
    vocabularies.

    Args:
        directory: `pathlib.Path`.
        max_chars_per_word: int, the limit where no file says otherwise.
        lowercase: bool, what the caller says of the casing, or None.

    Returns:
        `WordpieceSettings`.

    Raises:
        ValueError: a file is missing or cannot be used, nothing tells the
            casing, or two tell it otherwise.
    """
    settings = _read_if_there(directory / SETTINGS)
    fast = _read_if_there(directory / _FAST_TOKENIZER)
    _check_special_tokens(settings, directory / SETTINGS)
    try:
        vocabulary = _read_vocabulary(directory, fast)
        return WordpieceSettings(
            vocabulary,
            lowercase=agreed_casing(
                vocabulary,
                {
                    **_told_casing(directory, settings, fast),
                    "lowercase=": lowercase,
                },
            ),
            strip_accents=_setting("strip_accents", settings, fast, None),
            tokenize_chinese_chars=_setting(
                "tokenize_chinese_chars", settings, fast, True
            ),
            max_chars_per_word=settings.get(
                "max_chars_per_word", max_chars_per_word
            ),
            special_tokens_in_text=settings.get(SPECIAL_TOKENS_IN_TEXT, False),
        )
    except (TypeError, ValueError) as error:
        raise ValueError(f"{directory}: {error}") from None


def _read_if_there(path):
    if not path.is_file():
        return {}
    try:
        return read_json_object(path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _read_vocabulary(directory, fast):
    if (directory / VOCABULARY).is_file():
        return Vocabulary.from_file(directory / VOCABULARY)
    model = fast.get("model", {})
    if not isinstance(model, dict) or not isinstance(model.get("vocab"), dict):
        raise ValueError(
            f"{directory} must hold a {VOCABULARY}, or a {_FAST_TOKENIZER} "
            "with the vocabulary of a WordPiece model."
        )
    tokens = model["vocab"]
    for token in fast.get("added_tokens", []):
        tokens.setdefault(token["content"], token["id"])
    if sorted(tokens.values()) != list(range(len(tokens))):
        raise ValueError(
            f"{directory / _FAST_TOKENIZER} must give the ids from 0 on, each "
            "to one token."
        )
    return Vocabulary(
        sorted(tokens, key=tokens.get), source=str(directory / _FAST_TOKENIZER)
    )


# The same settings under the names of the normalizer in tokenizer.json.
_FAST_NAMES = {
    "do_lower_case": "lowercase",
    "strip_accents": "strip_accents",
    "tokenize_chinese_chars": "handle_chinese_chars",
}


def _setting(name, settings, fast, default):
    normalizer = fast.get("normalizer") or {}
    for values, key in ((settings, name), (normalizer, _FAST_NAMES[name])):
        if values.get(key) is not None:
            if not isinstance(values[key], bool):
                raise ValueError(
                    f"`{key}` in {SETTINGS} or {_FAST_TOKENIZER} must be "
                    "true or false. "
                    f"Received: {values[key]!r}."
                )
            return values[key]
    return default


def _told_casing(directory, settings, fast):
    """What the files say; tokenizer.json is asked last, as transformers do."""
    told = _setting("do_lower_case", settings, fast, None)
    by_settings = told is None or settings.get("do_lower_case") is not None
    return {
        str(directory / (SETTINGS if by_settings else _FAST_TOKENIZER)): told,
        **casing_beside(directory / VOCABULARY),
    }


def _check_special_tokens(settings, path):
    for key, token in SPECIAL_TOKENS.items():
        value = settings.get(key) or token
        if isinstance(value, dict):  # An AddedToken, written out.
            value = value.get("content")
        if value != token:
            raise ValueError(
                f"{path}: `{key}` must be {token}. Received: {value!r}."
            )
