"""One file per format of checkpoint directories.

They are imported when they are first used: only that of TensorFlow's files
needs TensorFlow. Each `open_` function takes a `pathlib.Path` and what the
caller says of the casing, a bool or None, and returns a `Source`; it raises
ValueError where a file is missing or cannot be used. Each `write_`
function writes a `PretrainedModel` into an existing `pathlib.Path`.
"""

from keras_bert import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)
