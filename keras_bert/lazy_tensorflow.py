"""TensorFlow, imported on first use, because other backends do not need it."""

import typing

from keras_bert.lazy import LazyPackage

if typing.TYPE_CHECKING:
    import tensorflow as tf
    import tensorflow_text as tf_text
else:
    tf = LazyPackage("tensorflow", "This function")
    tf_text = LazyPackage("tensorflow_text", "This function")

__all__ = ["tf", "tf_text"]
