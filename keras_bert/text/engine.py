"""Choice between TensorFlow and host implementations of tokenizers."""

import functools
import importlib.util


@functools.cache
def has_tensorflow_text():
    """Return whether tensorflow and tensorflow-text are installed."""
    names = "tensorflow", "tensorflow_text"
    return all(map(importlib.util.find_spec, names))


@functools.cache
def host_class(name):
    """Return the tokenizer class to use if TensorFlow is missing, or None.

    Args:
        name: str, a public name of `keras_bert.text`.
    """
    from keras_bert.text.host_tokenizer import HostTokenizer
    from keras_bert.text.tokenizer_kinds import KINDS

    settings_classes = {
        settings_class.tokenizer_class: settings_class
        for settings_class in KINDS.values()
    }
    if name not in settings_classes:
        return None

    def __init__(self, *args, **values):
        HostTokenizer.__init__(self, settings_classes[name](*args, **values))

    return type(name, (HostTokenizer,), {"__init__": __init__})
