"""Export of models to SavedModel, TFLite and ONNX, with plain text as input."""

from keras_bert import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)
