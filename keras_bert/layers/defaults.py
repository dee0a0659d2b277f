"""What the layers take where nothing else is said: BERT's own values."""

import keras

DROPOUT = 0.1
EPSILON = 1e-12
_STANDARD_DEVIATION = 0.02


def get_initializer(identifier=None):
    """A Keras initializer; by default BERT's truncated normal.

    Args:
        identifier: what `keras.initializers.get` takes, or None.
    """
    return keras.initializers.get(
        identifier
        or keras.initializers.TruncatedNormal(stddev=_STANDARD_DEVIATION)
    )
