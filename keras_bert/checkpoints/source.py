"""Checkpoints that have been opened, in any format."""

import dataclasses
import typing

from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.task_record import TaskRecord
from keras_bert.config import StrictConfig


@dataclasses.dataclass(frozen=True)
class OpenedCheckpoint:
    """Open checkpoint in any format.

    Args:
        name: str, checkpoint name to show in error messages.
        config: a config of any family.
        tokenizer: settings of the tokenizer.
        arrays: object with `shapes`, a dict mapping names to shapes, and
            `read(name)`, which returns a float32 array, if possible a
            read-only view of the file.
        locations: function that takes a config and a `HeadSize` or None and
            returns the list of all `ArrayLocation`s.
        ignored: names of arrays that do not belong to the model.
        task: `TaskRecord` of a fine-tuned model, or None.
        unknown_keys: list of str, unknown keys of the config.
        is_lenient: bool, whether unexpected arrays cause a
            warning instead of an error.
    """

    name: str
    config: StrictConfig
    tokenizer: object
    arrays: object
    locations: object
    ignored: frozenset = frozenset()
    task: TaskRecord | None = None
    unknown_keys: tuple = ()
    is_lenient: bool = False


class Arrays(typing.NamedTuple):
    """Named array shapes with a function that reads an array by name."""

    shapes: dict
    read: object


def rename_arrays(arrays, rename, source):
    """Return named arrays under different names.

    Args:
        arrays: named arrays.
        rename: function that maps the name in the file to the new name.
        source: str, file name to show in error messages.

    Raises:
        CheckpointError: two arrays get the same name.
    """
    names = {}
    for name in arrays.shapes:
        new = rename(name)
        if new in names:
            raise CheckpointError(
                f"{source} contains {new} twice, as {names[new]} and as {name}."
            )
        names[new] = name
    shapes = {new: arrays.shapes[name] for new, name in names.items()}
    return Arrays(shapes, lambda new: arrays.read(names[new]))
