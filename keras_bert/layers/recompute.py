"""Blocks that are computed again in the backward pass, to save memory."""

import functools
import json
import typing
from collections.abc import Callable

import keras
from keras import ops

from keras_bert.custom_gradient import custom_gradient
from keras_bert.layers.flat_dense import dense_layers
from keras_bert.lazy_tensorflow import tf
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors


def recomputable(call: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Decorate the `call` of a block, so that it can be computed twice.

    If the attribute `recomputes` of the block is set, only the arguments are
    stored for the backward pass, not the activations. The backward pass
    computes the block again, with the same dropout.

    References:
        [Training Deep Nets with Sublinear Memory Cost](
        https://arxiv.org/abs/1604.06174), section 3
    """

    @functools.wraps(call)
    def call_or_recompute(
        self: typing.Any,
        inputs: Tensor,
        attention_mask: Tensor | None = None,
        query_positions: Tensor | None = None,
        context: Tensors | None = None,
        training: bool | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        attention_mask = mask if attention_mask is None else attention_mask
        if not (training and self.recomputes):
            return call(
                self, inputs, attention_mask, query_positions, context, training
            )
        arguments = {
            **(context or {}),
            "inputs": inputs,
            "attention_mask": attention_mask,
            "query_positions": query_positions,
        }
        return _compute_twice(
            self, {k: x for k, x in arguments.items() if x is not None}
        )

    return call_or_recompute


def _compute_twice(block: typing.Any, arguments: Tensors) -> Tensor:
    tensors = dict(arguments)
    for index, weight in enumerate(_weights(block)):
        tensors[f"weight {index}"] = ops.convert_to_tensor(weight)
    for index, generator in enumerate(_seed_generators(block)):
        tensors[f"seed {index}"] = generator.next()
    floats = {name: x for name, x in tensors.items() if _is_float(x)}
    others = {name: x for name, x in tensors.items() if name not in floats}
    names, copied = tuple(floats), (type(block), _config_of(block))
    if keras.backend.backend() == "tensorflow":
        return _compute_twice_on_tensorflow(
            *floats.values(), names=names, others=others, copied=copied
        )

    compute = functools.partial(_output, copied, others, names)
    return keras.remat(compute)(*floats.values())


@custom_gradient
def _compute_twice_on_tensorflow(
    *values: Tensor,
    names: tuple[str, ...],
    others: Tensors,
    copied: tuple[type, str],
) -> tuple[Tensor, Callable[[Tensor], list[Tensor]]]:
    compute = functools.partial(_output, copied, others, names)

    def gradient(upstream: Tensor) -> list[Tensor]:
        # Otherwise TensorFlow would keep the results of the forward pass
        # instead of computing them again.
        with tf.control_dependencies([upstream]):
            again = [tf.identity(value) for value in values]
        with tf.GradientTape() as tape:
            tape.watch(again)
            output = compute(*again)
        zero = tf.UnconnectedGradients.ZERO
        return tape.gradient(output, again, upstream, zero)

    return compute(*values), gradient


def _output(
    copied: tuple[type, str],
    others: Tensors,
    names: tuple[str, ...],
    *values: Tensor,
) -> Tensor:
    """Compute the copy of a block with some arguments, weights and seeds."""
    block = _copy(*copied)
    arguments = {**dict(zip(names, values, strict=True)), **others}
    state = [
        (weight, arguments.pop(f"weight {index}"))
        for index, weight in enumerate(_weights(block))
    ]
    state += [
        (generator.state, arguments.pop(f"seed {index}"))
        for index, generator in enumerate(_seed_generators(block))
    ]
    names = "inputs", "attention_mask", "query_positions"
    inputs, *named = (arguments.pop(name, None) for name in names)
    with keras.StatelessScope(state):
        return block(inputs, *named, context=arguments or None, training=True)


@functools.cache
def _copy(block_class: type, config: str) -> typing.Any:
    """Return a block with other weights, for graphs that outlive a model."""
    settings = json.loads(config)
    copied = block_class.from_config(settings["config"])
    copied.build((None, None, settings["size"]))
    layers = dense_layers(copied)
    for layer, rank in zip(layers, settings["lora_ranks"], strict=True):
        if rank:
            layer.enable_lora(rank)
    return copied


def _config_of(block: typing.Any) -> str:
    """Return the config of a block as JSON, equal for all blocks of a model."""
    config = {**block.get_config(), "name": "block", "trainable": True}
    settings = {
        "config": config,
        "size": block.get_build_config()["input_shape"][-1],
        "lora_ranks": [layer.lora_rank for layer in dense_layers(block)],
    }
    return json.dumps(settings)


def _weights(block: typing.Any) -> list[keras.Variable]:
    """Return the weights by layer and name: adapters may be added later."""
    found = {}
    for index, layer in enumerate(block._flatten_layers()):
        for weight in layer.weights:
            # The innermost layer comes last.
            found[id(weight)] = index, weight.name, weight
    return [
        weight for *_, weight in sorted(found.values(), key=lambda x: x[:2])
    ]


def _seed_generators(block: typing.Any) -> list[keras.random.SeedGenerator]:
    layers = block._flatten_layers()
    return [x.seed_generator for x in layers if hasattr(x, "seed_generator")]


def _is_float(tensor: Tensor) -> bool:
    return "float" in keras.backend.standardize_dtype(tensor.dtype)
