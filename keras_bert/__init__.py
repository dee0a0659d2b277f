"""BERT for TensorFlow and Keras 3 (arXiv 1810.04805).

Names are loaded when they are first used, so that `import keras_bert` costs
next to nothing and that each part needs only its own dependencies: `layers`
and `models` run on any Keras backend, without TensorFlow. Saved Keras models
that hold our layers or optimizers load after `import keras_bert`.
"""

from keras_bert import lazy
from keras_bert import registration
from keras_bert.version import VERSION

__version__ = VERSION
__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)

registration.register_with_keras()
