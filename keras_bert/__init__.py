"""BERT for TensorFlow and Keras 3 (arXiv 1810.04805).

Public names are imported on first use, so `import keras_bert` is fast and each
part needs only its own dependencies: `layers` and `models` run on any Keras
backend, without TensorFlow. Saved Keras models that contain layers or
optimizers of this library load after `import keras_bert.layers`, or if Keras
was imported before keras_bert.
"""

import sys

from keras_bert import lazy
from keras_bert.version import VERSION

__version__ = VERSION
__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)

if sys.modules.get("keras"):
    from keras_bert import layers as layers  # Registers all classes.
