"""Arguments of layers: BERT's values as defaults, checks, copies."""

import keras

DROPOUT = 0.1
EPSILON = 1e-12
_STANDARD_DEVIATION = 0.02


def check_positive(**sizes):
    """Raises ValueError unless every named size is an integer above 0."""
    for name, size in sizes.items():
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise ValueError(
                f"`{name}` must be a positive integer. "
                f"Received: {name}={size!r} (of type {type(size).__name__})."
            )


def check_rates(**rates):
    """Raises ValueError unless every named rate is in [0, 1)."""
    for name, rate in rates.items():
        if not isinstance(rate, int | float) or not 0 <= rate < 1:
            raise ValueError(
                f"`{name}` must be at least 0 and below 1. "
                f"Received: {name}={rate!r}."
            )


def clone_initializer(initializer):
    """A fresh copy, so that no two weights start from the same numbers."""
    return initializer.__class__.from_config(initializer.get_config())


def get_initializer(identifier=None):
    """A Keras initializer; by default BERT's truncated normal.

    Args:
        identifier: what `keras.initializers.get` takes, or None.
    """
    return keras.initializers.get(
        identifier
        or keras.initializers.TruncatedNormal(stddev=_STANDARD_DEVIATION)
    )


def revive_sublayer(config):
    """The layer that a config tells of, for the layer around it to build.

    So its weights have their paths below that layer.

    Args:
        config: dict, as of `keras.saving.serialize_keras_object`.
    """
    return keras.saving.deserialize_keras_object(
        {**config, "build_config": None}
    )
