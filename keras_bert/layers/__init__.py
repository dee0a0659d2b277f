"""Keras layers of BERT and its relatives, usable alone on any backend."""

from keras_bert import lazy
from keras_bert import registration

_MEMBERS = {
    name: module.removeprefix("layers.")
    for name, module in (registration.CLASSES | registration.FUNCTIONS).items()
    if module.startswith("layers.")
}

__all__ = [*_MEMBERS]
__getattr__, __dir__ = lazy.attach(__name__, members=_MEMBERS)
