"""Exceptions raised for checkpoints."""

import contextlib

from keras_bert.messages import errors_name


class CheckpointError(ValueError):
    """Error for a checkpoint that cannot be used."""


@contextlib.contextmanager
def checkpoint_errors(path):
    """Context manager that turns errors into CheckpointError with the path.

    Other errors of the operating system, such as denied access, are unchanged.
    """
    try:
        with errors_name(path):
            yield
    except (FileNotFoundError, ValueError) as error:
        raise CheckpointError(str(error)) from error.__cause__
