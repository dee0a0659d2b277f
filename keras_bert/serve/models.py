"""Loading of the models of a server."""

import json
import pathlib

from keras_bert.serve.model import Model
from keras_bert.serve.onnx_model import OnnxModel
from keras_bert.typing import Path

_ONNX, _MANIFEST = "model.onnx", "manifest.json"


def load_model(directory: Path, num_threads: int | None = None) -> Model:
    """Load a model from a directory.

    Args:
        directory: a saved task, a directory of sentence-transformers or Hugging
            Face, or an export by `export_onnx`.
        num_threads: number of threads. Defaults to all cores.

    Raises:
        ValueError: the model cannot be served.
    """
    if needs_keras(directory):
        from keras_bert.serve.task_model import TaskModel

        return TaskModel(directory, num_threads)
    path = pathlib.Path(directory)
    manifest = json.loads((path / _MANIFEST).read_text())
    return OnnxModel(path, manifest, num_threads)


def needs_keras(directory: Path) -> bool:
    """Return whether a directory is not an export to ONNX."""
    path = pathlib.Path(directory)
    return not ((path / _ONNX).is_file() and (path / _MANIFEST).is_file())
