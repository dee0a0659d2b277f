"""Sharded Hugging Face checkpoints with an index file."""

import pathlib

from keras_bert.checkpoints.arrays.raw_arrays import map_file
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.source import Arrays
from keras_bert.config import read_json_object
from keras_bert.messages import brief

_MAP = "weight_map"


def open_sharded(index_path, open_shard):
    """Open the named arrays of a sharded checkpoint.

    Args:
        index_path: str or `pathlib.Path` of the index, such as
            `model.safetensors.index.json`.
        open_shard: function that opens the file at a path, such as
            `SafetensorsFile`.

    Raises:
        CheckpointError: a file is missing, cannot be used or differs from the
            index.
    """
    files = _read_index(index_path)
    directory = pathlib.Path(index_path).parent
    shards = {x: open_shard(directory / x) for x in sorted({*files.values()})}
    for name, file in files.items():
        if name not in shards[file].shapes:
            raise CheckpointError(
                f"{index_path} lists {brief(name)} in {file}, which does not "
                "contain it. The files belong to different checkpoints."
            )
    shapes = {name: shards[x].shapes[name] for name, x in files.items()}
    return Arrays(shapes, lambda name: shards[files[name]].read(name))


def _read_index(path):
    """Read the dict mapping array names to file names."""
    map_file(path)  # Reports Git LFS pointers and empty files.
    try:
        files = read_json_object(path).get(_MAP)
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: {error}") from None
    if not isinstance(files, dict) or not files:
        raise CheckpointError(
            f"{path}: `{_MAP}` must be a dict mapping arrays to files. "
            f"Received: {brief(files)}."
        )
    for name, file in files.items():
        # An untrusted index must not refer to other directories.
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
