"""What tests of models share."""

import numpy as np
import pytest


@pytest.fixture
def widened():
    """A function from a model to the same, every weight made to matter."""

    def widen(model):
        random = np.random.default_rng(0)
        for weight in model.trainable_weights:
            noise = random.normal(0.0, 0.3, weight.shape)
            weight.assign_add(noise.astype("float32"))
        return model

    return widen
