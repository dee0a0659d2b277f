"""Keras layers of BERT and its relatives, usable alone on any backend."""

from keras_bert import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)
