"""Pre-training from text to checkpoint (arXiv 1810.04805, section 3.1)."""

from keras_bert import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)
