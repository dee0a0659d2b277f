"""Tokenizers and preprocessors, which run with or without TensorFlow."""

from keras_bert import lazy
from keras_bert.text import engine

_import, __dir__, __all__ = lazy.attach(__name__, __file__)


def __getattr__(name):
    found = None
    if name in __all__ and not engine.has_tensorflow_text():
        found = engine.host_class(name)
    return found or _import(name)
