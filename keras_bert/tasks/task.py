"""The parts of every task, so that it can be exported and used alike."""

import inspect
import os
import typing

from absl import logging

from keras_bert import arguments
from keras_bert.checkpoints import from_pretrained
from keras_bert.layers.flat_dense import check_not_quantized
from keras_bert.summary import Summarized

_Task = typing.TypeVar("_Task", bound="Task")

TRUNCATED = "truncated"


class Task(Summarized):
    """A model between strings and answers.

    A subclass sets these attributes and, unless it returns the outputs of the
    model, `predict_ids`.

    Attributes:
        text_inputs: tuple of str, the names of its string inputs.
        text_shapes: dict from those whose shape is not `(batch_size,)` to
            their shapes.
        preprocess: function from string tensors, in the order of
            `text_inputs`, to a dict of int32 tensors, in graph. It has the
            attributes `tokenizer` and `seq_length`.
        inputs: tuple of str, the names of those tensors that the model takes.
        model: `keras.Model` that takes them.
        pretrained: `PretrainedModel` that it is made of.
        outputs: tuple of str, the names that `predict_texts` gives.
        settings: dict for JSON, what of the task is no weight, such as its
            labels.
        substring_outputs: tuple of str, those of `outputs` that are cut out of
            the texts, which TFLite has no op for.
    """

    text_inputs = ("text",)
    text_shapes = {}
    settings = {}
    substring_outputs = ()

    def __init_subclass__(cls):
        super().__init_subclass__()
        read = inspect.unwrap(cls.from_pretrained.__func__)
        named = arguments.name_rest(cls, omit=["pretrained", "head_file"])
        cls.from_pretrained = classmethod(named(read))

    def _facts(self):
        facts = {"pretrained": self.pretrained, **self.settings}
        return {**facts, "seq_length": self.preprocess.seq_length}

    def __new__(cls, pretrained=None, *args, **kwargs):
        if isinstance(pretrained, str | os.PathLike):
            raise ValueError(
                "`pretrained` must be a `PretrainedModel`. To read a "
                f"directory, call `{cls.__name__}.from_pretrained`. "
                f"Received: pretrained={pretrained!r}."
            )
        return super().__new__(cls)

    @classmethod
    def from_pretrained(
        cls: type[_Task],
        directory,
        lowercase=None,
        special_tokens_in_text=None,
        strict=False,
        **kwargs,
    ) -> _Task:
        """Read a checkpoint as a task.

        Args:
            directory: str, as `keras_bert.from_pretrained` takes it: a
                directory, or the name of a model on the Hugging Face Hub.
            lowercase: bool, whether texts are lower-cased. Needed if no file
                of the directory says so.
            special_tokens_in_text: bool, whether a special token in a text,
                such as "[SEP]", becomes its id; by default as saved, or
                False.
            strict: bool, whether unknown keys and arrays in a directory of
                others are an error, not a warning.
            **kwargs: arguments of the class.

        Raises:
            CheckpointError: a file is missing or cannot be used. It is a
                ValueError.
            ValueError: the model does not fit the task, or an argument is out
                of range.
        """
        pretrained, own = cls._load(
            directory,
            lowercase=lowercase,
            special_tokens_in_text=special_tokens_in_text,
            strict=strict,
        )
        given = {name: x for name, x in kwargs.items() if x is not None}
        for name in given.keys() & own.keys():
            if given[name] != own[name]:
                message = "`%s` is %r as asked for; the checkpoint says %r."
                logging.warning(message, name, given[name], own[name])
        return cls.of_directory(pretrained, directory, **{**own, **given})

    @classmethod
    def _load(cls, directory, **arguments):
        """Return the model of a directory and its arguments of the class."""
        return from_pretrained(directory, **arguments), {}

    @classmethod
    def of_directory(cls, pretrained, directory, **kwargs):
        """Make the task of a model, with the task's files in the directory.

        :meta private:
        """
        return cls(pretrained, **kwargs)

    def predict_ids(self, inputs, model=None):
        """Answer ids, in graph.

        Args:
            inputs: dict of int32 tensors, as returned by `preprocess`.
            model: function that stands for the model, such as a served form
                of it; the model itself by default.

        Returns:
            A dict of tensors by their names.
        """
        return (model or self.model)(inputs)

    def check_servable(self):
        """Raises ValueError if graphs could not answer as `predict` does.

        :meta private:
        """
        check_not_quantized(self.model)

    def graph_inputs(self, *texts):
        """Turns strings into what the model takes, in graph.

        Besides the dict of `preprocess` there is one of `truncated`, bool
        `(batch_size,)`, where the task has it: the model has no part in it.

        :meta private:
        """
        if TRUNCATED not in self.outputs:
            return self.preprocess(*texts), {}
        inputs, truncated = self.preprocess.encode(*texts)
        return inputs, {TRUNCATED: truncated}

    def answers_in_texts(self, outputs, inputs, *texts):
        """Makes answers of what a model gives, in graph; by default just that.

        :meta private:
        """
        return outputs

    def predict_texts(self, *texts):
        """Answers strings, in graph.

        Args:
            *texts: string tensors, in the order of `text_inputs`.

        Returns:
            A dict of tensors by the names of `outputs`.
        """
        return self.answer_encoded(*self.graph_inputs(*texts), *texts)

    def answer_encoded(self, inputs, more, *texts):
        """Answer strings, given what `graph_inputs` returns for them.

        :meta private:
        """
        outputs = self.predict_ids(inputs)
        return {**self.answers_in_texts(outputs, inputs, *texts), **more}

    def export_saved_model(self, directory, version=1, overwrite=False):
        """Writes a SavedModel that takes strings.

        Args:
            directory: str, the folder of the model's versions.
            version: int, the number of this one.
            overwrite: bool, replace a version that an earlier call has
                written.

        Raises:
            ValueError: as by `keras_bert.export.export_saved_model`.
        """
        from keras_bert.export import export_saved_model

        export_saved_model(self, directory, version, overwrite)

    def export_tflite(
        self,
        path,
        kind="int8",
        texts=None,
        representative_texts=None,
        files=("text", "ids"),
        overwrite=False,
        force=False,
    ):
        """Write TFLite files, one that takes strings and one that takes ids.

        Args:
            path: str, "model.tflite" for "model_text.tflite" and
                "model_ids.tflite".
            kind: str, how weights are stored: "float32", "float16", "int8",
                or "full_int8", with scales that are fixed beforehand.
            texts: list of examples that each file is tried on, as `predict`
                takes them; by default built-in sentences.
            representative_texts: list of the same, for the scales of
                "full_int8".
            files: collection of "text" and "ids", the files to write.
            overwrite: bool, replace files that an earlier call has written.
            force: bool, write a file even if it differs from this task by
                more than its kind may.

        Returns:
            A dict from the names in `files` to `Comparison` with this task.

        Raises:
            ValueError: a file exists and may not be replaced, TFLite lacks an
                op of the task, or a file differs too much.
            ModuleNotFoundError: LiteRT's interpreter is not installed.
        """
        from keras_bert.export import export_tflite

        options = kind, texts, representative_texts, files, overwrite, force
        return export_tflite(self, path, *options)
