"""Checkpoint formats, with one module per format.

Modules are imported on first use, because only `google` needs TensorFlow.
Each `open_` function takes a directory (`pathlib.Path`) and `lowercase` (bool
or None), and returns an `OpenedCheckpoint`. It raises ValueError if a file is
missing or cannot be used. Each `write_` function writes a `PretrainedModel` to
an existing directory.
"""

from keras_bert import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)
