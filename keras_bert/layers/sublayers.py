"""Layers that are arguments of other layers, back from a config."""

import keras


def revive_sublayer(config):
    """The layer that a config tells of, for the layer around it to build.

    So its weights have their paths below that layer.

    Args:
        config: dict, as of `keras.saving.serialize_keras_object`.
    """
    return keras.saving.deserialize_keras_object(
        {**config, "build_config": None}
    )
