"""Base class for tasks, with loading, prediction and export."""

import collections.abc
import os
import pathlib
import typing

import keras
import numpy as np
from absl import logging

from keras_bert import arguments
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.layers.flat_dense import check_not_quantized
from keras_bert.messages import brief
from keras_bert.messages import errors_name
from keras_bert.summary import Summarized
from keras_bert.tasks.outputs.outputs import TRUNCATED
from keras_bert.typing import Arguments
from keras_bert.typing import Path
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors

if typing.TYPE_CHECKING:
    from keras_bert.export.tflite.comparison import Comparison

_Task = typing.TypeVar("_Task", bound="Task")


class Task(Summarized):
    """Base class for tasks that combine a model with its tokenizer.

    A subclass sets the attributes. It overrides `predict_ids` if the task
    post-processes the outputs of the model.

    Attributes:
        text_inputs: names of the string inputs.
        text_shapes: dict mapping names of string inputs to shapes; inputs
            without an entry have shape `(batch_size,)`.
        preprocess: callable that converts string tensors, in the order of
            `text_inputs`, to a dict of int32 tensors. It runs in TensorFlow
            graphs and has the attributes `tokenizer` and `seq_length`.
        input_names: names of the tensors that the model takes.
        model: model that computes the outputs.
        pretrained: the encoder, with the head of the task if it has one.
        output_names: names of the tensors that `predict_texts` returns.
        settings: JSON-serializable settings of the task, such as its labels.
        integer_outputs: names of integer outputs that exported ONNX models
            return, besides all float outputs.
        substring_outputs: outputs that are substrings of the texts. TFLite has
            no op for them.
        none_values: arguments of the class for which None is a value. In
            `from_pretrained`, None means the saved value for others.
    """

    text_inputs: tuple[str, ...] = ("text",)
    text_shapes: dict[str, tuple] = {}
    preprocess: typing.Any
    input_names: tuple[str, ...]
    model: keras.Model
    pretrained: PretrainedModel
    output_names: tuple[str, ...]
    settings: dict[str, typing.Any] = {}
    integer_outputs: tuple[str, ...] = ()
    substring_outputs: tuple[str, ...] = ()
    none_values: tuple[str, ...] = ()

    def _facts(self) -> dict[str, typing.Any]:
        facts = {"pretrained": self.pretrained, **self.settings}
        return {**facts, "seq_length": self.preprocess.seq_length}

    def __new__(
        cls,
        pretrained: typing.Any = None,
        *args: typing.Any,
        **kwargs: typing.Any,
    ) -> typing.Self:
        if isinstance(pretrained, str | os.PathLike):
            raise ValueError(
                "`pretrained` must be a `PretrainedModel`. To read a "
                f"directory, call `{cls.__name__}.from_pretrained`. "
                f"Received: pretrained={brief(pretrained)}."
            )
        known = arguments.parameters(cls)
        arguments.check_names(cls.__name__, kwargs, known)
        return super().__new__(cls)

    @classmethod
    def from_pretrained(
        cls: collections.abc.Callable[
            typing.Concatenate[typing.Any, Arguments], _Task
        ],
        directory: Path,
        lowercase: bool | None = None,
        special_tokens_in_text: bool | None = None,
        strict: bool = False,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> _Task:
        """Load a task from a checkpoint.

        Args:
            directory: checkpoint path, or model name on the Hugging Face Hub,
                as in `keras_bert.from_pretrained`.
            lowercase: whether to lower-case texts. Required if no file of the
                checkpoint specifies it.
            special_tokens_in_text: whether to encode special tokens in a text,
                such as "[SEP]", as their ids. Defaults to the saved value, or
                False.
            strict: whether to raise an error instead of a warning for unknown
                keys and arrays in a checkpoint from another library.
            **kwargs: arguments of the class.

        Raises:
            CheckpointError: a file is missing or cannot be used. It is a
                subclass of ValueError.
            ValueError: the model does not support the task, or an argument is
                out of range.
        """
        how = {
            "lowercase": lowercase,
            "special_tokens_in_text": special_tokens_in_text,
            "strict": strict,
        }
        return cls._read(directory, how, args, kwargs)

    @classmethod
    def _read(
        cls,
        directory: Path,
        how: dict[str, typing.Any],
        args: tuple,
        kwargs: dict[str, typing.Any],
    ) -> typing.Self:
        """Load with arguments of `_load` and of the class."""
        _, *known = arguments.parameters(cls)
        title = f"{cls.__name__}.from_pretrained"
        arguments.check_names(title, kwargs, [*how, *known])
        kwargs = {**dict(zip(known, args, strict=False)), **kwargs}
        pretrained, own = cls._load(directory, **how)
        given = {
            name: x
            for name, x in kwargs.items()
            if x is not None or name in cls.none_values
        }
        for name in given.keys() & own.keys():
            if not np.array_equal(given[name], own[name]):
                message = "`%s` is %s as requested; the checkpoint has %s."
                logging.warning(
                    message, name, *map(brief, (given[name], own[name]))
                )
        values = cls._merged(own, given)
        if given:  # An error may be due to an argument.
            return cls._of_directory(pretrained, directory, **values)
        with errors_name(directory):
            return cls._of_directory(pretrained, directory, **values)

    @classmethod
    def _merged(
        cls, own: dict[str, typing.Any], given: dict[str, typing.Any]
    ) -> dict[str, typing.Any]:
        """Return the arguments of the class, where given ones have priority."""
        return {**own, **given}

    @classmethod
    def _load(
        cls, directory: Path, **arguments: typing.Any
    ) -> tuple[PretrainedModel, dict[str, typing.Any]]:
        """Load the model and the saved arguments of the class."""
        return from_pretrained(directory, **arguments), {}

    @classmethod
    def _of_directory(
        cls, pretrained: PretrainedModel, directory: Path, **kwargs: typing.Any
    ) -> typing.Self:
        """Create the task from a loaded model, reading more files if needed."""
        return cls(pretrained, **kwargs)

    def predict_ids(
        self, inputs: Tensors, model: collections.abc.Callable | None = None
    ) -> Tensors:
        """Compute the outputs for token ids in a TensorFlow graph.

        Args:
            inputs: dict of int32 tensors, as returned by `preprocess`.
            model: function that replaces the model, such as an exported copy
                of it. Defaults to the model of the task.

        Returns:
            A dict mapping output names to tensors.
        """
        return (model or self.model)(inputs)

    def _check_servable(self) -> None:
        """Raise ValueError if an exported graph would differ from `predict`."""
        check_not_quantized(self.model)

    def _published_model_and_files(
        self,
    ) -> tuple[
        PretrainedModel,
        dict[str, collections.abc.Callable[[pathlib.Path], object]],
    ]:
        """Return the model to describe in `config.json`, and further files."""
        return self.pretrained, {}

    def _graph_inputs(self, *texts: Tensor) -> tuple[Tensors, Tensors]:
        """Tokenize strings to the inputs of the model in a TensorFlow graph.

        Returns:
            The result of `preprocess`, and a dict with `truncated`, bool
            `(batch_size,)`, which is empty if the task lacks this output.
        """
        if TRUNCATED not in self.output_names:
            return self.preprocess(*texts), {}
        inputs, truncated = self.preprocess.encode(*texts)
        return inputs, {TRUNCATED: truncated}

    def _postprocess(
        self, outputs: Tensors, inputs: Tensors, *texts: Tensor
    ) -> Tensors:
        """Post-process the model outputs with access to the texts."""
        return outputs

    def predict_texts(self, *texts: Tensor) -> Tensors:
        """Compute the outputs for strings in a TensorFlow graph.

        Args:
            *texts: string tensors, in the order of `text_inputs`.

        Returns:
            A dict mapping the names in `output_names` to tensors.
        """
        return self._predict_encoded(*self._graph_inputs(*texts), *texts)

    def _predict_encoded(
        self, inputs: Tensors, more: Tensors, *texts: Tensor
    ) -> Tensors:
        """Compute the outputs from the result of `_graph_inputs`."""
        outputs = self.predict_ids(inputs)
        return {**self._postprocess(outputs, inputs, *texts), **more}

    def export_saved_model(
        self, directory: Path, version: int = 1, overwrite: bool = False
    ) -> None:
        """Export a SavedModel that takes strings.

        Args:
            directory: parent directory of the model versions.
            version: version number to write.
            overwrite: whether to overwrite a version from an earlier export.

        Raises:
            ValueError: the same errors as
                `keras_bert.export.export_saved_model`.
        """
        from keras_bert.export import export_saved_model

        export_saved_model(self, directory, version, overwrite)

    def export_tflite(
        self,
        path: Path,
        kind: str = "int8",
        texts: list | None = None,
        representative_texts: list | None = None,
        files: collections.abc.Collection[str] = ("text", "ids"),
        overwrite: bool = False,
        force: bool = False,
    ) -> "dict[str, Comparison]":
        """Export TFLite files that take strings and token ids.

        Args:
            path: prefix of the files: "model.tflite" writes
                "model_text.tflite" and "model_ids.tflite".
            kind: number format of the weights: "float32", "float16", "int8",
                or "full_int8", which also quantizes activations with fixed
                scales.
            texts: examples used to compare each file with the task, in the
                format of `predict`. Defaults to built-in sentences.
            representative_texts: examples to calibrate the scales of
                "full_int8".
            files: which files to write: "text", "ids" and "mediapipe"; see
                `keras_bert.export.export_tflite`.
            overwrite: whether to overwrite files from an earlier export.
            force: whether to write a file even if its outputs differ from
                the task by more than the tolerance of its number format.

        Returns:
            A dict mapping the names in `files` to the results of comparing each
            file with the task.

        Raises:
            ValueError: a file exists and may not be overwritten, TFLite lacks
                an op of the task, or the outputs differ too much.
            ModuleNotFoundError: the interpreter of LiteRT is not installed.
        """
        from keras_bert.export import export_tflite

        return export_tflite(
            self._with_fixed_sizes(),
            path,
            kind=kind,
            texts=texts,
            representative_texts=representative_texts,
            files=files,
            overwrite=overwrite,
            force=force,
        )

    def _with_fixed_sizes(self) -> typing.Self:
        """Return the task for formats whose outputs have fixed sizes."""
        return self

    def export_onnx(
        self,
        directory: Path,
        overwrite: bool = False,
        names: str = "hugging_face",
        packed: bool = False,
        precision: str = "float32",
        texts: list | None = None,
    ) -> None:
        """Export an ONNX model that takes token ids, with its tokenizer.

        Args:
            directory: directory to write, new or empty.
            overwrite: whether to overwrite the files of an earlier export.
            names: names of the inputs and outputs: "hugging_face" or
                "keras_bert"; see `keras_bert.export.export_onnx`.
            packed: whether the model skips padding.
            precision: number format of the weights: "float32" or "int8".
            texts: examples used to compare an int8 model with the float32
                model, in the format of `predict`. Defaults to built-in
                sentences.

        Raises:
            ValueError: the same errors as `keras_bert.export.export_onnx`.
        """
        from keras_bert.export import export_onnx

        export_onnx(self, directory, overwrite, names, packed, precision, texts)
