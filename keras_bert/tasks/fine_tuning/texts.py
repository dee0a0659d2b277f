"""Texts that users give, checked before anything is computed."""

import reprlib

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60


def checked_texts(texts):
    """Checks a list of str and encodes it as UTF-8.

    Raises:
        ValueError: it is no list of str, or one of them is no text.
    """
    if isinstance(texts, str | bytes) or not hasattr(texts, "__iter__"):
        raise ValueError(
            f"`texts` must be a list of str. Received: {_SHORT.repr(texts)}."
        )
    return [
        _encoded(text, "`texts` must be a list of str", f" at index {index}")
        for index, text in enumerate(texts)
    ]


def checked_text(text):
    """As `checked_texts`, of one str."""
    return _encoded(text, "`text` must be one str", "")


def brief(text):
    """A text for a message, cut to about 60 characters."""
    return _SHORT.repr(text)


def _encoded(text, wanted, where):
    if not isinstance(text, str):
        raise ValueError(f"{wanted}. Received: {brief(text)}{where}.")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{wanted} that UTF-8 can hold. Received: half of a surrogate "
            f"pair, {text[error.start]!r}, at character {error.start} of "
            f"{brief(text)}{where}."
        ) from None
