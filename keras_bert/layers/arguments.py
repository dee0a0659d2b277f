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


def check_places(tokens, **others):
    """Raise ValueError unless tensors have a place for each token.

    Sizes that are open until a graph runs are not compared.

    Args:
        tokens: tensor `(batch_size, seq_length, ...)`.
        **others: tensors `(batch_size, seq_length)` by name, or None.
    """
    num_rows, length = tokens.shape[:2]
    for name, other in others.items():
        shape = (num_rows, length) if other is None else tuple(other.shape)
        if (
            len(shape) != 2
            or shape[0] not in (num_rows, 1, None)
            and num_rows not in (1, None)
            or shape[1] != length
            and None not in (shape[1], length)
        ):
            raise ValueError(
                f"`{name}` must have the shape (batch_size, seq_length) of the "
                f"tokens, ({num_rows}, {length}). Received: shape {shape}."
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


def save_arguments(layer, *names):
    """The arguments of a layer for its config, objects as Keras saves them.

    Args:
        layer: a layer that stores them under their names.
        *names: str.
    """
    serialize = keras.saving.serialize_keras_object
    return {
        name: keras.activations.serialize(layer.activation)
        if name == "activation"
        else serialize(getattr(layer, name))
        for name in names
    }


def revive_sublayers(config, *names):
    """The config of a layer, with layers for the layer around them to build.

    So their weights have their paths below that layer.

    Args:
        config: dict.
        *names: str, the arguments that are layers, or None.
    """
    revive = keras.saving.deserialize_keras_object
    layers = {
        name: config[name] and revive({**config[name], "build_config": None})
        for name in names
    }
    return {**config, **layers}
