"""BERT and its relatives as functional Keras models, dicts in and out."""

from keras_bert import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)
