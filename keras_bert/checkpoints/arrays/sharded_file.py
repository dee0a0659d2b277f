"""A checkpoint of Hugging Face in several files, with an index of names."""

import pathlib

from keras_bert.checkpoints.arrays.raw_arrays import brief
from keras_bert.checkpoints.arrays.raw_arrays import map_file
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.source import Arrays
from keras_bert.config import read_json_object

_MAP = "weight_map"


def open_sharded(index_path, open_shard):
    """Open the named arrays of several files.

    Args:
        index_path: str or `pathlib.Path` of the index, such as
            `model.safetensors.index.json`.
        open_shard: function from a path to the named arrays there, such as
            `SafetensorsFile`.

    Raises:
        CheckpointError: a file is missing, cannot be used or does not hold
            what the index says.
    """
    files = _read_index(index_path)
    directory = pathlib.Path(index_path).parent
    shards = {x: open_shard(directory / x) for x in sorted({*files.values()})}
    for name, file in files.items():
        if name not in shards[file].shapes:
            raise CheckpointError(
                f"{index_path} says that {brief(name)} is in {file}, where "
                "it is not. The files are of different checkpoints."
            )
    shapes = {name: shards[x].shapes[name] for name, x in files.items()}
    return Arrays(shapes, lambda name: shards[files[name]].read(name))


def _read_index(path):
    """Reads a dict from the names of arrays to names of files."""
    map_file(path)  # Explains files of other kinds.
    try:
        files = read_json_object(path).get(_MAP)
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: {error}") from None
    if not isinstance(files, dict) or not files:
        raise CheckpointError(
            f"{path}: `{_MAP}` must give the file of each array. "
            f"Received: {brief(files)}."
        )
    for name, file in files.items():
        # The index may come from a stranger, and shall not reach outside.
        if (
            not isinstance(file, str)
            or not file.isprintable()
            or not file.strip(".")
            or {*file} & {*"/\\:"}
        ):
            raise CheckpointError(
                f"{path}: {brief(name)} must be in a file of the same "
                f"directory. Received: {brief(file)}."
            )
    return files
