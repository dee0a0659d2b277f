"""Loading of the models of a server."""

import pathlib

from keras_bert.export.saved_model.serving_files import versions_of
from keras_bert.serve.model import Model
from keras_bert.serve.onnx_model import OnnxModel
from keras_bert.typing import Path


def load_model(directory: Path, num_threads: int | None = None) -> Model:
    """Load a model from a directory.

    Args:
        directory: a saved task, a directory of sentence-transformers or Hugging
            Face, or an export by `export_onnx` or `export_saved_model`.
        num_threads: number of threads. Defaults to all cores.

    Raises:
        ValueError: the model cannot be served.
    """
    path = pathlib.Path(directory)
    if is_onnx(path):
        return OnnxModel(path, num_threads)
    if any(path.glob("*/saved_model.pb")):
        path /= str(versions_of(path)[-1])
    if (path / "saved_model.pb").is_file():
        from keras_bert.serve.saved_model import SavedModel

        return SavedModel(path, num_threads)
    from keras_bert.serve.task_model import TaskModel

    return TaskModel(directory, num_threads)


def is_onnx(directory: Path) -> bool:
    """Return whether a directory is an export to ONNX."""
    names = ("model.onnx", "manifest.json")
    return all(pathlib.Path(directory, name).is_file() for name in names)
