"""Base class of the layers."""

import inspect
import types

import keras

from keras_bert.layers.arguments import clone_initializer


class SavedArguments:
    """Layer whose config has the arguments that its constructor got.

    Functions, initializers and layers among them are serialized, and made
    again by `from_config`. An argument is an attribute of its name, unless the
    layer sets another value. A layer must be set, or Keras does not save it.
    """

    def __new__(cls, *args, **kwargs):
        layer = super().__new__(cls, *args, **kwargs)
        bound = inspect.signature(cls.__init__).bind(layer, *args, **kwargs)
        bound.apply_defaults()
        _, *own = bound.arguments.items()
        arguments = dict(own)
        arguments |= arguments.pop("kwargs", {})
        # Keras looks for layers in attributes, but not in a proxy.
        layer._arguments = types.MappingProxyType(arguments)
        return layer

    def __getattr__(self, name):
        arguments = vars(self).get("_arguments", {})
        # TensorFlow skips an assignment that changes no attribute, so that a
        # layer here would never be set.
        if name in arguments and not isinstance(
            arguments[name], keras.layers.Layer
        ):
            return arguments[name]
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def get_config(self):
        config = super().get_config()
        serialize = keras.saving.serialize_keras_object
        own = {
            name: serialize(value)
            for name, value in sorted(self._arguments.items())
            if name not in config
        }
        return {**config, **own}

    @classmethod
    def from_config(cls, config):
        return cls(**{name: _revive(x) for name, x in config.items()})


class Layer(SavedArguments, keras.layers.Layer):
    """Layer that is built from the shape of its first input.

    By default its sublayers are built from that shape too, and its output has
    it.
    """

    output_dtype = None  # None stands for the compute dtype.

    def build(self, inputs_shape):
        for layer in self._flatten_layers(include_self=False, recursive=False):
            layer.build(inputs_shape)

    def build_from_config(self, config):
        # Files of earlier releases have the shapes of all inputs.
        if config and "shapes_dict" in config:
            config = {"input_shape": next(iter(config["shapes_dict"].values()))}
        super().build_from_config(config)

    def compute_output_shape(self, inputs_shape):
        return inputs_shape

    def compute_output_spec(self, *args, **kwargs):
        spec = super().compute_output_spec(*args, **kwargs)
        if self.output_dtype is None:
            return spec
        return keras.tree.map_structure(
            lambda x: keras.KerasTensor(x.shape, self.output_dtype), spec
        )

    def add_exact_weight(self, name, shape, initializer):
        """Add a weight that is not cast to the compute dtype."""
        return self.add_weight(
            name=name, shape=shape, initializer=initializer, autocast=False
        )

    def add_table(self, name, num_rows):
        """Add a table of vectors of `hidden_size` numbers.

        Args:
            name: str.
            num_rows: int.
        """
        initializer = clone_initializer(self.embeddings_initializer)
        # Rows are looked up, not the whole table cast.
        return self.add_exact_weight(
            name, (num_rows, self.hidden_size), initializer
        )


def _revive(value):
    if isinstance(value, dict) and "build_config" in value:
        # The paths of a sublayer's weights begin with the layer's name, so the
        # layer builds it.
        value = {**value, "build_config": None}
    return keras.saving.deserialize_keras_object(value)
