"""Optimizers and learning rate schedules on any Keras backend."""

from keras_bert import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)
