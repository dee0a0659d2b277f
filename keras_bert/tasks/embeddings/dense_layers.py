"""Dense layers behind an encoder, as arrays in files."""

import functools

import keras
import numpy as np

from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.errors import CheckpointError

# By their names in Keras: what PyTorch calls them.
ACTIVATIONS = {
    "linear": "torch.nn.modules.linear.Identity",
    "tanh": "torch.nn.modules.activation.Tanh",
    "relu": "torch.nn.modules.activation.ReLU",
    "gelu": "torch.nn.modules.activation.GELU",
    "silu": "torch.nn.modules.activation.SiLU",
    "sigmoid": "torch.nn.modules.activation.Sigmoid",
}


def activation_name(layer):
    """Names the activation of a `keras.layers.Dense`.

    Raises:
        ValueError: it is none that a file can tell.
    """
    name = keras.activations.serialize(layer.activation)
    if name not in ACTIVATIONS:
        raise ValueError(
            "The activation of a layer of `dense` must be one of "
            f"{', '.join(ACTIVATIONS)} to be saved. Received: {name!r}."
        )
    return name


def dense_layer(kernel, bias, activation):
    """Makes a `keras.layers.Dense` of given weights, in float32.

    Args:
        kernel: float array `(in_size, out_size)`.
        bias: float array `(out_size,)`, or None.
        activation: str, a key of `ACTIVATIONS`.
    """
    layer = keras.layers.Dense(
        kernel.shape[1],
        activation=activation,
        use_bias=bias is not None,
        dtype="float32",
    )
    layer.build((None, kernel.shape[0]))
    layer.set_weights([kernel] if bias is None else [kernel, bias])
    return layer


def read_dense(path, activations):
    """Reads the layers that `write_dense` has written.

    Args:
        path: `pathlib.Path`.
        activations: list of str, one for each layer.

    Raises:
        CheckpointError: the file does not hold them.
    """
    if not activations:
        return []
    arrays, layers = SafetensorsFile(path), []
    for number, activation in enumerate(activations):
        kernel, bias = f"{number}/kernel", f"{number}/bias"
        if kernel not in arrays.shapes or activation not in ACTIVATIONS:
            raise CheckpointError(
                f"{path} must hold a {kernel}, of a layer with one of the "
                f"activations {', '.join(ACTIVATIONS)}. Received: "
                f"{', '.join(arrays.shapes)}; activation {activation!r}."
            )
        has_bias = bias in arrays.shapes
        layers.append(
            dense_layer(
                arrays.read(kernel),
                arrays.read(bias) if has_bias else None,
                activation,
            )
        )
    return layers


def write_dense(layers, path):
    """Writes the weights of layers, by their numbers."""
    write_safetensors(
        path,
        [
            _entry(f"{number}/{name}", weight)
            for number, layer in enumerate(layers)
            # There may be no bias.
            for name, weight in zip(
                ("kernel", "bias"), layer.weights, strict=False
            )
        ],
    )


def write_linear(layer, path):
    """Writes the weights of one layer as PyTorch's `linear`."""
    entries = [_entry("linear.weight", layer.kernel, np.transpose)]
    if layer.use_bias:
        entries.append(_entry("linear.bias", layer.bias))
    write_safetensors(path, entries)


def _entry(name, weight, change=np.asarray):
    shape = weight.shape[::-1] if change is np.transpose else weight.shape
    return name, tuple(shape), functools.partial(_array, weight, change)


def _array(weight, change):
    return change(keras.ops.convert_to_numpy(weight))
