"""The GELU of google-research/bert, which Keras has no name for."""

import keras


@keras.saving.register_keras_serializable("keras_bert")
def gelu_tanh(x):
    """Gaussian error linear unit in its tanh approximation.

    Args:
        x: float tensor of any shape.

    Returns:
        A tensor like `x`.

    References:
        [GELU](https://arxiv.org/abs/1606.08415), section 2
    """
    return keras.activations.gelu(x, approximate=True)
