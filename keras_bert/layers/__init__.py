"""Keras layers of BERT and related models, for any backend.

The import registers all classes of keras_bert with Keras.
"""

import keras

from keras_bert import lazy
from keras_bert import registration

__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)

registration.register(keras.saving.get_custom_objects())
