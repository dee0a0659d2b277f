"""The parts of every task, so that it can be exported and used alike."""

from keras_bert.checkpoints import from_pretrained
from keras_bert.layers.flat_dense import check_not_quantized

TRUNCATED = "truncated"


class Task:
    """A model between strings and answers.

    A subclass sets these attributes and `predict_ids`.

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

    @classmethod
    def from_pretrained(
        cls, directory, lowercase=None, special_tokens_in_text=None, **kwargs
    ):
        """Reads a checkpoint, as `keras_bert.from_pretrained` does.

        Args:
            directory: str.
            lowercase: bool, where no file says whether texts are lower-cased.
            special_tokens_in_text: bool, as there.
            **kwargs: other arguments of the class.
        """
        pretrained = from_pretrained(
            directory,
            lowercase=lowercase,
            special_tokens_in_text=special_tokens_in_text,
        )
        return cls.of_directory(pretrained, directory, **kwargs)

    @classmethod
    def of_directory(cls, pretrained, directory, **kwargs):
        """Makes the task of a model, with its own files in the directory.

        :meta private:
        """
        return cls(pretrained, **kwargs)

    def predict_ids(self, inputs):
        """Answers, in graph.

        Args:
            inputs: dict of int32 tensors, as returned by `preprocess`.

        Returns:
            A dict of tensors by their names.
        """
        raise NotImplementedError

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
        inputs, told = self.graph_inputs(*texts)
        outputs = self.predict_ids(inputs)
        return {**self.answers_in_texts(outputs, inputs, *texts), **told}

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

    def export_tflite(self, path, **kwargs):
        """Writes TFLite files, one that takes strings and one that takes ids.

        Args:
            path: str, "model.tflite" for "model_text.tflite" and
                "model_ids.tflite".
            **kwargs: as `keras_bert.export.export_tflite` takes them.

        Returns:
            What that returns: how each file compares with this task.

        Raises:
            ValueError: as by that.
        """
        from keras_bert.export import export_tflite

        return export_tflite(self, path, **kwargs)
