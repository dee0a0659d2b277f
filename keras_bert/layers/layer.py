"""Base classes for layers."""

import inspect
import types
import typing

import keras

from keras_bert import arguments
from keras_bert.layers.arguments import Initializer
from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import clone_initializer

# Arguments of `keras.layers.Layer` that its signature does not name.
_OF_KERAS = ("input_dim", "input_shape")


class SavedArguments:
    """Base class for layers that save the arguments of their constructor.

    `get_config` returns these arguments. Functions, initializers and layers are
    serialized, and `from_config` restores them. Each argument is also available
    as an attribute, unless the layer sets the attribute itself. Arguments that
    are layers must be set as attributes, or Keras does not save them.
    """

    def __new__(cls, *args: typing.Any, **kwargs: typing.Any) -> typing.Self:
        layer = super().__new__(cls, *args, **kwargs)
        known = arguments.parameters(cls)
        own = {k: x for k, x in kwargs.items() if k not in _OF_KERAS}
        arguments.check_names(cls.__name__, own, known)
        try:
            bound = inspect.signature(cls.__init__).bind(layer, *args, **kwargs)
        except TypeError as error:
            raise TypeError(f"`{cls.__name__}`: {error}.") from None
        bound.apply_defaults()
        _, *own = bound.arguments.items()
        given = dict(own)
        given |= given.pop("kwargs", {})
        # The proxy keeps Keras from tracking the layers in the arguments.
        layer._arguments = types.MappingProxyType(given)
        return layer

    def __getattr__(self, name: str) -> typing.Any:
        # Layers on PyTorch look up their sublayers here. A sublayer may have
        # the name of an argument.
        sublayers = vars(self).get("_modules", {})
        if name in sublayers:
            return sublayers[name]
        arguments = vars(self).get("_arguments", {})
        # TensorFlow skips assignments of the value that an attribute already
        # has, so a layer returned here would never be set.
        if name in arguments and not isinstance(
            arguments[name], keras.layers.Layer
        ):
            return arguments[name]
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def get_config(self) -> dict[str, typing.Any]:
        config = super().get_config()
        serialize = keras.saving.serialize_keras_object
        own = {
            name: serialize(value)
            for name, value in sorted(self._arguments.items())
            if name not in config
        }
        return {**config, **own}

    @classmethod
    def from_config(cls, config: dict[str, typing.Any]) -> typing.Self:
        return cls(**{name: _revive(x) for name, x in config.items()})


class Layer(SavedArguments, keras.layers.Layer):
    """Base class for layers that are built from the shape of their first input.

    By default the sublayers are built from the same shape, and the output has
    the same shape.
    """

    output_dtype = None  # None stands for the compute dtype.

    def build(self, inputs_shape: Shape) -> None:
        for layer in self._flatten_layers(include_self=False, recursive=False):
            layer.build(inputs_shape)

    def build_from_config(self, config: dict[str, typing.Any]) -> None:
        # Files from earlier releases contain the shapes of all inputs.
        if config and "shapes_dict" in config:
            config = {"input_shape": next(iter(config["shapes_dict"].values()))}
        super().build_from_config(config)

    def compute_output_shape(self, inputs_shape: Shape) -> Shape:
        return inputs_shape

    def compute_output_spec(
        self, *args: typing.Any, **kwargs: typing.Any
    ) -> typing.Any:
        spec = super().compute_output_spec(*args, **kwargs)
        if self.output_dtype is None:
            return spec
        return keras.tree.map_structure(
            lambda x: keras.KerasTensor(x.shape, self.output_dtype), spec
        )

    def add_exact_weight(
        self, name: str, shape: Shape, initializer: Initializer
    ) -> keras.Variable:
        """Add a weight that is not cast to the compute dtype."""
        return self.add_weight(
            name=name, shape=shape, initializer=initializer, autocast=False
        )

    def add_table(self, name: str, num_rows: int) -> keras.Variable:
        """Add a weight of shape `(num_rows, hidden_size)`.

        Args:
            name: name of the weight.
            num_rows: number of vectors.
        """
        initializer = clone_initializer(self.embeddings_initializer)
        # Cast rows after the lookup, instead of casting the whole table.
        return self.add_exact_weight(
            name, (num_rows, self.hidden_size), initializer
        )


def _revive(value: typing.Any) -> typing.Any:
    if isinstance(value, dict) and "build_config" in value:
        # The outer layer builds the sublayer, because its name is the first
        # part of the weight paths.
        value = {**value, "build_config": None}
    return keras.saving.deserialize_keras_object(value)
