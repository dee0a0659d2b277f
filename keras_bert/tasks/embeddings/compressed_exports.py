"""Exports of embedders that return compressed vectors."""

import collections.abc
import copy
import typing

from keras_bert.tasks.embeddings.compression import check_compression
from keras_bert.tasks.embeddings.compression import compressed
from keras_bert.tasks.task import Task
from keras_bert.typing import Path
from keras_bert.typing import Tensor

if typing.TYPE_CHECKING:
    from keras_bert.export.tflite.comparison import Comparison


class CompressedExports(Task):
    """Base class for embedders that can export compressed vectors.

    Attributes:
        dim: size of the vectors.
    """

    dim: int
    _compression: tuple[int | None, str] | None = None

    def export_saved_model(
        self,
        directory: Path,
        version: int = 1,
        overwrite: bool = False,
        dimensions: int | None = None,
        precision: str = "float32",
    ) -> None:
        """Export a SavedModel that takes strings.

        Args:
            directory: parent directory of the model versions.
            version: version number to write.
            overwrite: whether to overwrite a version from an earlier export.
            dimensions: number of values of each vector to keep, counted from
                the first. Defaults to all values.
            precision: "float32", "int8" or "binary", see
                `keras_bert.tasks.compress_vectors`.

        Raises:
            ValueError: the same errors as
                `keras_bert.export.export_saved_model`, or `dimensions` or
                `precision` is not supported.
        """
        task = self._compressed(dimensions, precision)
        Task.export_saved_model(task, directory, version, overwrite)

    def export_tflite(
        self,
        path: Path,
        kind: str = "int8",
        texts: list | None = None,
        representative_texts: list | None = None,
        files: collections.abc.Collection[str] = ("text", "ids"),
        overwrite: bool = False,
        force: bool = False,
        dimensions: int | None = None,
        precision: str = "float32",
    ) -> "dict[str, Comparison]":
        """Export TFLite files that take strings and token ids.

        Args:
            path, kind, texts, representative_texts, files, overwrite, force:
                see `keras_bert.export.export_tflite`.
            dimensions, precision: see `export_saved_model`.

        Returns:
            A dict mapping the names in `files` to the results of comparing each
            file with the task.

        Raises:
            ValueError: the same errors as `keras_bert.export.export_tflite`, or
                `dimensions` or `precision` is not supported.
            ModuleNotFoundError: the interpreter of LiteRT is not installed.
        """
        task = self._compressed(dimensions, precision)
        return Task.export_tflite(
            task,
            path,
            kind=kind,
            texts=texts,
            representative_texts=representative_texts,
            files=files,
            overwrite=overwrite,
            force=force,
        )

    def _exported(self, vectors: Tensor) -> Tensor:
        """Compress vectors if an export asks for it."""
        if self._compression is None:
            return vectors
        return compressed(vectors, *self._compression)

    def _compressed(
        self, dimensions: int | None, precision: str
    ) -> typing.Self:
        """Return a copy of the embedder that exports compressed embeddings."""
        check_compression(self.dim, dimensions, precision)
        if dimensions is None and precision == "float32":
            return self
        task = copy.copy(self)
        task._compression = dimensions, precision
        task.settings = {
            **self.settings,
            "dimensions": dimensions or self.dim,
            "precision": precision,
        }
        return task
