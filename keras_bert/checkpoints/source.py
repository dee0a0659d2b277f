"""Opened checkpoints, whatever their format."""

import dataclasses

from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.task_record import TaskRecord
from keras_bert.config import StrictConfig


@dataclasses.dataclass(frozen=True)
class Source:
    """A checkpoint of any format, opened.

    Args:
        name: str, what it is, for messages.
        config: a config of any family.
        tokenizer: settings of the tokenizer.
        arrays: the named arrays of the file: `shapes`, a dict of shapes by
            name, and `read(name)`, which gives a float32 array, where it can
            a read-only view of the file.
        places: function from a config and a `HeadSize` or None to the list
            of all their `Place`s.
        ignored: names of arrays that are known not to belong to the model.
        task: `TaskRecord` of a fine-tuned model, or None.
        unknown_keys: list of str, the keys of its config that are not read.
        is_lenient: bool, whether arrays that the model has no place for are
            a warning instead of an error.
    """

    name: str
    config: StrictConfig
    tokenizer: object
    arrays: object
    places: object
    ignored: frozenset = frozenset()
    task: TaskRecord | None = None
    unknown_keys: tuple = ()
    is_lenient: bool = False


class RenamedArrays:
    """Named arrays under other names.

    Args:
        arrays: named arrays.
        rename: function from the name in the file to the name here.
        source: str, what the file is, for messages.

    Raises:
        CheckpointError: two arrays have the same name here.
    """

    def __init__(self, arrays, rename, source):
        self._arrays = arrays
        self._names = {}
        for name in arrays.shapes:
            if rename(name) in self._names:
                raise CheckpointError(
                    f"{source} holds {rename(name)} twice, as "
                    f"{self._names[rename(name)]} and as {name}."
                )
            self._names[rename(name)] = name
        self.shapes = {
            here: arrays.shapes[name] for here, name in self._names.items()
        }

    def read(self, name):
        return self._arrays.read(self._names[name])
