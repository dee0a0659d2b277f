"""Tokenizers and preprocessors, which run with or without TensorFlow."""

from keras_bert import lazy
from keras_bert.text import engine

_import, __dir__, __all__ = lazy.attach(__name__, __file__)


def __getattr__(name):
    tokenizer_class = None
    if name in __all__ and not engine.has_tensorflow_text():
        tokenizer_class = engine.host_class(name)
    return tokenizer_class or _import(name)
