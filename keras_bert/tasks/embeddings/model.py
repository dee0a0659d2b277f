"""Embedding model with pooling, dense layers and normalization."""

import keras
from keras import ops

from keras_bert import checks
from keras_bert import features
from keras_bert.losses.similarity import unit
from keras_bert.messages import brief
from keras_bert.models.task_model import mean_of_tokens

_LARGE = 1e30  # Finite in float32, also after multiplication by weights.
# PyTorch activation classes by Keras name.
ACTIVATIONS = {
    "linear": "torch.nn.modules.linear.Identity",
    "tanh": "torch.nn.modules.activation.Tanh",
    "relu": "torch.nn.modules.activation.ReLU",
    "gelu": "torch.nn.modules.activation.GELU",
    "silu": "torch.nn.modules.activation.SiLU",
    "sigmoid": "torch.nn.modules.activation.Sigmoid",
}


def _first(states, mask):
    return states[:, 0]


def _first_of(states, mask):
    is_first = ops.equal(ops.cumsum(mask, axis=1) * mask, 1)
    weights = ops.expand_dims(ops.cast(is_first, "float32"), -1)
    return ops.sum(states * weights, axis=1)


def _max(states, mask):
    is_real = ops.expand_dims(ops.cast(mask, "bool"), -1)
    return ops.max(ops.where(is_real, states, -_LARGE), axis=1)


# Map pooling names to the number of last layers to concatenate and a function.
# The function maps hidden states, float32 `(batch_size, seq_length,
# hidden_size)`, and a mask, int32 `(batch_size, seq_length)`, to float32
# `(batch_size, hidden_size)`.
POOLINGS = {
    "mean": (1, mean_of_tokens),
    "cls": (1, _first),
    "max": (1, _max),
    "last4": (4, mean_of_tokens),
}


def embedding_model(
    pretrained, pooling="mean", dense=(), normalize=False, num_left_out=0
):
    """Add pooling, dense layers and normalization to an encoder.

    Args:
        pretrained: `PretrainedModel` of the encoder.
        pooling: str, a key of `POOLINGS`.
        dense: iterable of `keras.layers.Dense`, applied to the pooled vector.
        normalize: bool, whether to scale the embedding to length 1.
        num_left_out: int, number of leading tokens to exclude from the
            pooling; "cls" then means the first token after them.

    Returns:
        A functional `keras.Model` that maps the encoder's inputs to a dict
        with `embedding`, float32 `(batch_size, dim)`. Embeddings of rows
        without tokens are 0.

    Raises:
        ValueError: the pooling is unknown, the encoder has too few layers for
            it, or `dense` contains an object that is not a
            `keras.layers.Dense`.
    """
    checks.one_of(POOLINGS, pooling=pooling)
    num_layers, pool = POOLINGS[pooling]
    config, backbone = pretrained.config, pretrained.backbone
    if num_layers > max(config.depth, 1):
        raise ValueError(
            f"`pooling`={pooling!r} needs a model of at least {num_layers} "
            f"layers. Received: {config.size_keys['L']}={config.sizes['L']}."
        )
    mask = backbone.inputs[features.INPUT_MASK.name]
    if num_left_out:
        is_left = ops.cumsum(mask, axis=1) > num_left_out
        mask = mask * ops.cast(is_left, mask.dtype)
        pool = _first_of if pool is _first else pool
    vector = ops.concatenate(
        [
            pool(ops.cast(states, "float32"), mask)
            for states in backbone.states[-num_layers:]
        ],
        axis=-1,
    )
    for layer in dense:
        if not isinstance(layer, keras.layers.Dense):
            raise ValueError(
                "`dense` must be a list of `keras.layers.Dense`. "
                f"Received: {brief(layer)}."
            )
        vector = ops.cast(layer(vector), "float32")
    # Set embeddings of empty rows to 0; the ONNX export has no `where`.
    has_tokens = ops.max(mask, axis=-1, keepdims=True) > 0
    vector *= ops.cast(has_tokens, "float32")
    vector = unit(vector) if normalize else vector
    return keras.Model(backbone.inputs, {"embedding": vector})


def activation_name(layer):
    """Return the name of the activation of a `keras.layers.Dense`.

    Raises:
        ValueError: the activation cannot be saved.
    """
    name = keras.activations.serialize(layer.activation)
    if name not in ACTIVATIONS:
        raise ValueError(
            "The activation of a layer of `dense` must be one of "
            f"{', '.join(ACTIVATIONS)} to be saved. Received: {brief(name)}."
        )
    return name


def dense_layer(kernel, bias, activation):
    """Create a float32 `keras.layers.Dense` with the given weights.

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
