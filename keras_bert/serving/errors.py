"""Errors of a server."""

_MOST_CHARACTERS = 500


class ServerError(ValueError):
    """A server did not answer as it was asked to."""


class Unavailable(ServerError):
    """No server is there, or it is not ready: asking again may help."""


def shown(text):
    """Writes what a server said as one printable line, not too long."""
    words = "".join(c if c.isprintable() else " " for c in text).split()
    line = " ".join(words) or "nothing"
    if len(line) > _MOST_CHARACTERS:
        line = f"{line[:_MOST_CHARACTERS]}..."
    return line
