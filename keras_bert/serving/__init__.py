"""Asking a TensorFlow Serving server.

Neither Keras is needed for it nor, by REST, TensorFlow.
"""

from keras_bert import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)
