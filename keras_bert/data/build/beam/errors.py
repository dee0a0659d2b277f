"""What a worker said, without where it said it."""

import contextlib
import re

_WORKER_ERROR = re.compile(
    r"^ValueError: (.*?)(?: \[while running .*)?$", re.MULTILINE
)


@contextlib.contextmanager
def plain_worker_errors():
    """Has a worker's ValueError raised here with its own words only."""
    try:
        yield
    except Exception as error:
        # Some runners tell a worker's error as a whole traceback of text.
        said = _WORKER_ERROR.search(f"{type(error).__name__}: {error}")
        if said:
            raise ValueError(said[1]) from error
        raise
