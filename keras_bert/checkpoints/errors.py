"""Exceptions raised for checkpoints."""


class CheckpointError(ValueError):
    """Error for a checkpoint that cannot be used."""
