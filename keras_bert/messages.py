"""Values in error messages."""

import contextlib
import os
import reprlib
from collections.abc import Iterable
from collections.abc import Iterator

_MOST = 200  # Characters of a value in a message.
# Errors of code that expects other values in a file.
_WRONG_VALUES = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
)
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 100


def brief(value: object) -> str:
    """Return the `repr` of a value, shortened to at most 200 characters."""
    return listed([value])


def listed(names: Iterable[object]) -> str:
    """Return names separated by commas, in at most 200 characters."""
    text = ", ".join(map(_shown, names)) or "none"
    return text if len(text) <= _MOST else f"{text[: _MOST - 3]}..."


@contextlib.contextmanager
def errors_name(path: str | os.PathLike) -> Iterator[None]:
    """Context manager that adds a path to the errors of its readers.

    Errors due to values of a wrong type in a file become ValueError.
    """
    try:
        yield
    except ValueError as error:
        if str(path) in str(error):
            raise
        raise ValueError(f"{path}: {error}") from None
    except _WRONG_VALUES as error:
        raise ValueError(
            f"{path} has a value that is missing, of a wrong type or out of "
            f"range. Correct it or download the files again: {error!r:.200}."
        ) from error


def _shown(value):
    try:
        return _SHORT.repr(value)
    except ValueError:  # Python limits the digits of a printed int.
        return f"a very long {type(value).__name__}"
