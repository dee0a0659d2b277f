"""Values in error messages."""

import reprlib
from collections.abc import Iterable

_MOST = 200  # Characters of a value in a message.
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 100


def brief(value: object) -> str:
    """Return the `repr` of a value, shortened to at most 200 characters."""
    return listed([value])


def listed(names: Iterable[object]) -> str:
    """Return names separated by commas, in at most 200 characters."""
    text = ", ".join(map(_shown, names)) or "none"
    return text if len(text) <= _MOST else f"{text[: _MOST - 3]}..."


def _shown(value):
    try:
        return _SHORT.repr(value)
    except ValueError:  # Python limits the digits of a printed int.
        return f"a very long {type(value).__name__}"
