"""HTTP server of trained models, an ASGI application."""

from keras_bert import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)
