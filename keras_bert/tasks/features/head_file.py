"""The weights of a head in a file of their own, by their paths."""

from keras import ops

from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.errors import CheckpointError

HEAD_FILE = "head.safetensors"


def write_head(head, path):
    """Writes all weights of a head, a `keras.Model`, to a path."""
    write_safetensors(
        path,
        [
            (w.path, tuple(w.shape), lambda w=w: ops.convert_to_numpy(w))
            for w in head.weights
        ],
    )


def read_head(head, path):
    """Reads what `write_head` has written, all weights or none.

    Args:
        head: `keras.Model` with weights of the same names and shapes.
        path: str or `pathlib.Path`.

    Raises:
        CheckpointError: the file cannot be read, or does not fit the head.
    """
    arrays = SafetensorsFile(path)
    shapes = {w.path: tuple(w.shape) for w in head.weights}
    if arrays.shapes != shapes:
        differing = sorted(
            name
            for name in {*shapes, *arrays.shapes}
            if shapes.get(name) != arrays.shapes.get(name)
        )
        name = differing[0]
        raise CheckpointError(
            f"{path} must hold the weights of the head that task.json tells "
            f"of. {len(differing)} differ, such as {name}: expected "
            f"{shapes.get(name, 'none')}, found "
            f"{arrays.shapes.get(name, 'none')}."
        )
    for weight in head.weights:
        weight.assign(arrays.read(weight.path))
