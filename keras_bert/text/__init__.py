"""Strings to ids, in the graph: TensorFlow and tensorflow-text only."""

from keras_bert import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)
