"""Exceptions raised for checkpoints."""


class CheckpointError(ValueError):
    """A checkpoint cannot be used; the message says which file and why."""
