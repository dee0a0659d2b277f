"""Rows of JSON lines: an object a line."""

import json
import reprlib


def json_rows(path, lines, columns):
    """Yields the chosen values of each object, as str.

    A number or a bool is given as JSON writes it, a null as "".

    Args:
        path: str, for messages.
        lines: iterable of str.
        columns: list of str, keys.

    Yields:
        The number of a line, and its values.

    Raises:
        ValueError: a line is no object, has no such key, or has a list or an
            object there.
    """
    for name in columns:
        if not isinstance(name, str):
            raise ValueError(
                f"{path} has keys, and a column must be one of them. "
                f"Received: {name!r}."
            )
    for number, line in enumerate(lines, 1):
        place = f"{path}, line {number},"
        values = json_object(place, line.rstrip("\r\n"))
        yield number, [_cell(place, values, name) for name in columns]


def json_object(place, line):
    """The object that a line holds.

    Args:
        place: str, where the line stands, for messages.
        line: str.

    Returns:
        A dict.

    Raises:
        ValueError: it holds none.
    """
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{place} must be a JSON object. Received: {reprlib.repr(line)} "
            f"({error})."
        ) from None
    if not isinstance(values, dict):
        raise ValueError(
            f"{place} must be a JSON object. Received: {reprlib.repr(line)}."
        )
    return values


def _cell(place, values, name):
    if name not in values:
        raise ValueError(
            f"{place} must have the key {name!r}. Received: "
            f"{', '.join(map(repr, values)) or 'none'}."
        )
    value = values[name]
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if not isinstance(value, str):
        raise ValueError(
            f"{place} must have a text or a number under {name!r}. Received: "
            f"{reprlib.repr(value)}."
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{place} must have whole characters under {name!r}. Received: "
            f"half a surrogate pair, {ascii(value[error.start])}."
        ) from None
    return value
