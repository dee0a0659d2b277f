"""One file per format of checkpoint directories.

They are imported when they are first used: only that of TensorFlow's files
needs TensorFlow.
"""

from keras_bert import lazy

_MEMBERS = {
    "open_google": "google",
    "open_hugging_face": "hugging_face",
    "open_own": "own",
    "open_states": "own",
    "write_hugging_face": "hugging_face",
    "write_own": "own",
    "write_tf1": "google",
}

__all__ = [*_MEMBERS]
__getattr__, __dir__ = lazy.attach(__name__, members=_MEMBERS)
