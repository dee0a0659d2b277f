"""Pre-training (arXiv 1810.04805, 3.1): from text to a checkpoint."""

from keras_bert import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)
