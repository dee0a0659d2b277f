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


def _sum(states, weights):
    weights = ops.expand_dims(ops.cast(weights, "float32"), -1)  # [B, S, 1]
    return ops.sum(states * weights, axis=1)


def _first(states, mask, positions):
    return _sum(states, ops.equal(ops.cumsum(mask, axis=1) * mask, 1))


def _last(states, mask, positions):
    positions = positions * mask
    last = ops.max(positions, axis=1, keepdims=True)
    return _sum(states, ops.equal(positions, last))


def _max(states, mask, positions):
    is_real = ops.expand_dims(ops.cast(mask, "bool"), -1)
    return ops.max(ops.where(is_real, states, -_LARGE), axis=1)


def _mean(states, mask, positions):
    return mean_of_tokens(states, mask)


def _sqrt_mean(states, mask, positions):
    count = ops.sum(ops.cast(mask, "float32"), axis=1, keepdims=True)
    return _sum(states, mask) * ops.rsqrt(ops.maximum(count, 1.0))


def _weighted_mean(states, mask, positions):
    weights = ops.cast(positions * mask, "float32")
    total = ops.sum(weights, axis=1, keepdims=True)
    return _sum(states, weights) / ops.maximum(total, 1.0)


# Map pooling names to the number of last layers to concatenate and a function.
# The function maps hidden states, float32 `(batch_size, seq_length,
# hidden_size)`, the mask of the pooled tokens and the positions of all tokens,
# counted from 1, both int32 `(batch_size, seq_length)`, to float32
# `(batch_size, hidden_size)`.
POOLINGS = {
    "cls": (1, _first),
    "max": (1, _max),
    "mean": (1, _mean),
    "mean_sqrt_len_tokens": (1, _sqrt_mean),
    "weightedmean": (1, _weighted_mean),
    "lasttoken": (1, _last),
    "last4": (4, _mean),
}


def pooling_names(pooling):
    """Return the names in `pooling`, a str or a sequence of str, as a list.

    Raises:
        ValueError: a name is unknown, or there is none.
    """
    is_list = isinstance(pooling, list | tuple) and len(pooling) > 0
    names = list(pooling) if is_list else [pooling]
    for name in names:
        checks.one_of([*POOLINGS], pooling=name)
    return names


def embedding_model(
    pretrained,
    pooling="mean",
    dense=(),
    normalize=False,
    truncate_dim=None,
    num_left_out=0,
):
    """Add pooling, dense layers and normalization to an encoder.

    Args:
        pretrained: `PretrainedModel` of the encoder.
        pooling: str, a key of `POOLINGS`; or a sequence of these, to
            concatenate their vectors.
        dense: iterable of `keras.layers.Dense`, applied to the pooled vector.
        normalize: bool, whether to scale the embedding to length 1.
        truncate_dim: int, number of values of the embedding to keep after the
            normalization; None for all values.
        num_left_out: int, number of leading tokens to exclude from the
            pooling; "cls" then means the first token after them.

    Returns:
        A functional `keras.Model` that maps the encoder's inputs to a dict
        with `embedding`, float32 `(batch_size, dim)`. Embeddings of rows
        without tokens are 0.

    Raises:
        ValueError: the pooling is unknown, the encoder has too few layers for
            it, `truncate_dim` is out of range, or `dense` contains an object
            that is not a `keras.layers.Dense`.
    """
    backbone = pretrained.backbone
    mask = backbone.inputs[features.INPUT_MASK.name]
    positions = ops.cumsum(mask, axis=1)
    if num_left_out:
        mask *= ops.cast(positions > num_left_out, mask.dtype)
    vector = ops.concatenate(
        [
            POOLINGS[name][1](ops.cast(states, "float32"), mask, positions)
            for name in pooling_names(pooling)
            for states in _states(pretrained, name)
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
    if truncate_dim is not None:
        checks.between(1, vector.shape[-1], truncate_dim=truncate_dim)
        vector = vector[:, :truncate_dim]
    return keras.Model(backbone.inputs, {"embedding": vector})


def _states(pretrained, pooling):
    """Return the hidden states of the layers that a pooling reads."""
    num_layers, config = POOLINGS[pooling][0], pretrained.config
    if num_layers > max(config.depth, 1):
        raise ValueError(
            f"`pooling`={pooling!r} needs a model of at least {num_layers} "
            f"layers. Received: {config.size_keys['L']}={config.sizes['L']}."
        )
    return pretrained.backbone.states[-num_layers:]


def activation_name(layer):
    """Return the name of the activation of a `keras.layers.Dense`.

    Raises:
        ValueError: the activation cannot be saved.
    """
    name = keras.activations.serialize(layer.activation)
    if name not in ACTIVATIONS:
        raise ValueError(
            "To save the model, the activation of each layer of `dense` must "
            f"be one of {', '.join(ACTIVATIONS)}. Received: {brief(name)}."
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
