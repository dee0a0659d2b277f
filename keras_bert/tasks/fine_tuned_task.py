"""A task that learns from labelled examples."""

import numpy as np
from absl import logging

from keras_bert import arguments
from keras_bert.checkpoints import save_pretrained
from keras_bert.checkpoints.task_record import TaskRecord
from keras_bert.checkpoints.weight_table import HeadSize
from keras_bert.tasks.fine_tuning.collapse import probe_indices
from keras_bert.tasks.fine_tuning.collapse import warn_if_collapsed
from keras_bert.tasks.fine_tuning.columns import INSIDE
from keras_bert.tasks.fine_tuning.encoded import DISTILLED
from keras_bert.tasks.fine_tuning.forward import Forward
from keras_bert.tasks.fine_tuning.forward import progress_bar
from keras_bert.tasks.fine_tuning.language_model import LANGUAGE_MODEL
from keras_bert.tasks.fine_tuning.language_model import no_targets
from keras_bert.tasks.fine_tuning.language_model import with_language_model
from keras_bert.tasks.fine_tuning.monitoring import Validation
from keras_bert.tasks.fine_tuning.recipe import Recipe
from keras_bert.tasks.fine_tuning.teaching import teacher_logits
from keras_bert.tasks.fine_tuning.training import Learner
from keras_bert.tasks.fine_tuning.training import fine_tune
from keras_bert.tasks.task import Task


class FineTunedTask(Task):
    """A small head on an encoder that learns from examples.

    It is made of two parts. `reader`, an `Inputs`, makes rows of texts, and
    `answer`, an `Outputs`, makes answers, scores and losses of logits.

    Args:
        pretrained: `PretrainedModel`, with or without such a head. Without,
            the head starts random, and so does the pooler if it is missing.
        reader: function from the `PretrainedModel` with the head, a
            `Template` and the settings to `Inputs`.
        answer: `Outputs`.
        settings: dict for JSON, what the task must know to answer as it was
            trained; it is saved with the weights.

    Attributes:
        main_metric: str, the metric of `evaluate` that chooses the best
            epoch; more is better. Can be assigned.
        pretrained: `PretrainedModel` with the head.
        remedies: str, what to try if training has failed.
        default_length: int, the `seq_length` by default.
        shared: tuple of str, the settings that the models of an `Ensemble`
            must have in common.
        kept_outputs: list of int, as `PretrainedModel.for_task` takes them.
    """

    default_length = 128
    kept_outputs = None
    shared = ()
    remedies = (
        "another seed, a smaller learning_rate, more epochs or a longer warmup"
    )

    def __init__(self, pretrained, reader, answer, settings):
        self.answer = answer
        self.outputs, self.main_metric = answer.names, answer.main_metric
        self.pretrained, self.model = self._with_head(pretrained, settings)
        template = self._template(self.pretrained.family)
        self.reader = reader(self.pretrained, template, self.settings)
        self.preprocess = self.reader.preprocess
        self.text_shapes = self.reader.text_shapes
        encoder_inputs = tuple(self.pretrained.backbone.inputs)
        self.inputs = encoder_inputs + self.reader.extra_inputs
        self._compute = Forward(self.model)
        self._random_kernel = None
        if self.starts_random:
            self._random_kernel = self.last_layer.logits.get_weights()[0]

    @classmethod
    def _trained_settings(cls, pretrained):
        """Return the settings of a model of this task; empty for others."""
        task = pretrained.task
        is_same = task is not None and task.task == cls.__name__
        return task.settings if is_same else {}

    @classmethod
    def _trained_seq_length(cls, pretrained, seq_length):
        """Check the length of texts; by default as trained."""
        if seq_length is None:
            default = min(cls.default_length, pretrained.sequence_length())
            trained = cls._trained_settings(pretrained)
            seq_length = trained.get("seq_length", default)
        return pretrained.sequence_length(seq_length)

    def _template(self, family):
        """Return the `Template` by which texts are laid out."""
        return family.template_of(self.answer.head)

    def _with_head(self, pretrained, settings):
        """Return a `PretrainedModel` with this task, and its `keras.Model`."""
        size = HeadSize(self.answer.head, self.answer.num_outputs)
        record = TaskRecord(type(self).__name__, size, settings)
        pretrained = pretrained.for_task(record, self.kept_outputs)
        return pretrained, pretrained.task_model

    @property
    def text_inputs(self):
        return self.reader.text_inputs

    @property
    def settings(self):
        """A dict for JSON of what is saved with the weights."""
        return self.pretrained.task.settings

    @property
    def batch_tokens(self):
        """Maximum number of tokens computed together (int). Can be assigned.

        Few fit the caches of a processor; an accelerator needs more.
        """
        return self._compute.batch_tokens

    @batch_tokens.setter
    def batch_tokens(self, value):
        self._compute.batch_tokens = value

    @arguments.name_rest(Recipe)
    def fit(
        self,
        texts,
        labels=None,
        validation_data=None,
        class_weights=None,
        callbacks=(),
        verbose="auto",
        teacher=None,
        **recipe,
    ):
        """Fine-tune the model.

        `TextClassifier` and `TextRegressor` learn to read single texts or
        pairs, whichever the examples are.

        Args:
            texts: the examples, or a `tf.data.Dataset` of pairs of an example
                and its label. Examples are: list of str, or of pairs of str,
                for `TextClassifier` and `TextRegressor`; `TaggedSentences`,
                as `read_conll` returns, or list with a list of words for each
                sentence, for `TokenClassifier`; list of
                `MultipleChoiceExample`, as `read_swag` returns, or of pairs
                of a context and a list of choices, for `MultipleChoice`.
            labels: list with the label of each example: a name or an index
                in `labels` for `TextClassifier`, or a list of these with
                `multi_label`; a number for `TextRegressor`; a list of tags,
                one for each word, for `TokenClassifier`; the index of the
                right choice for `MultipleChoice`. None if `texts` has the
                labels.
            validation_data: data set, or tuple of the arguments of
                `evaluate`. It is evaluated after each epoch, and the weights
                of the best epoch are kept.
            class_weights: dict from labels to floats, the weights of their
                examples in the loss; 1 for labels that it lacks. Only for
                `TextClassifier` and `TokenClassifier`.
            callbacks: list of Keras callbacks. They can monitor `loss` and
                `accuracy` (not of questions and regressions) and, with
                `validation_data`, `val_loss` and the metrics of `evaluate`,
                such as `val_f1`. They can assign the learning rate, the peak
                of its schedule.
            verbose: "auto", 0, 1 or 2, as in `keras.Model.fit`.
            teacher: trained task of the same class and labels, of any family,
                whose logits the model learns to imitate.
            **recipe: the fields of `Recipe`.

        Returns:
            A Keras `History`.

        Raises:
            ValueError: an example, a label or the teacher cannot be used.
                Nothing is trained.
        """
        recipe, data = self.recipe(**recipe), (texts, labels, class_weights)
        fit = {"callbacks": callbacks, "verbose": verbose}
        return self._fit(recipe, data, validation_data, teacher, **fit)

    def _fit(self, recipe, data, validation_data, teacher, **fit):
        """Fine-tune by a `Recipe`; if it fails, the settings are as before."""
        settings = dict(self.settings)
        if "is_pair" in settings:
            self.settings["is_pair"] = None
        try:
            encoded, held_out = self.labelled(*data), None
            if teacher is not None:
                fit["teacher_logits"] = teacher_logits(self, teacher, *data[:2])
            if validation_data is not None:
                is_tuple = isinstance(validation_data, tuple)
                is_columns = is_tuple and len(validation_data) in (1, 2)
                columns = validation_data if is_columns else (validation_data,)
                held_out = self.labelled(*columns)
            return self.learn(encoded, held_out, recipe, **fit)
        except Exception:
            self.settings.update(settings)
            raise

    def smaller(self, num_layers):
        """Make a task of fewer layers, a student that this one can teach.

        It begins with copies of this task's embeddings and head and of layers
        that are spread evenly, with its tokenizer and settings.

        Args:
            num_layers: int, at most as many as there are.

        Raises:
            ValueError: there are not as many layers.
        """
        student = type(self)(self.pretrained.smaller(num_layers))
        student.main_metric = self.main_metric
        return student

    def learn(self, encoded, held_out, recipe, **fit):
        """Train, and warn if all answers are the same afterwards.

        Args:
            encoded: `Encoded` to learn from.
            held_out: the same, to validate on, or None.
            recipe: `Recipe`.
            **fit: as `train` takes them.

        :meta private:
        """
        history = self.train(encoded, held_out, recipe, **fit)
        judged = encoded if held_out is None else held_out
        warn_if_collapsed(self, judged, encoded, history.history)
        return history

    def train(
        self,
        encoded,
        held_out,
        recipe,
        teacher_logits=None,
        **fit,
    ):
        """Train as `learn` does.

        Args:
            encoded, held_out, recipe: as `learn` takes them.
            teacher_logits: `logits` of a teacher, or None.
            **fit: other arguments of `fine_tune`.

        :meta private:
        """
        learner = self.learner()
        if teacher_logits is not None:
            targets = self.reader.spread(encoded, teacher_logits)
            encoded.extra_targets[DISTILLED] = targets
        if LANGUAGE_MODEL in learner.model.output:
            encoded.extra_targets[LANGUAGE_MODEL] = no_targets
            fit["own_model"] = self.model
        validation = None
        if held_out is not None:
            validation = Validation(
                lambda: self.validate(held_out, recipe.label_smoothing),
                ["loss", *self.answer.metric_names(held_out)],
                self.main_metric,
            )
        return fine_tune(learner, encoded, recipe, validation, **fit)

    def learner(self):
        """Return the `Learner` that `fit` trains.

        :meta private:
        """
        part, family = self.answer.head, self.pretrained.family
        weight = family.task_heads[part].language_model_weight
        model = self.model
        if weight:
            model = self.over_examples(with_language_model(self.pretrained))
        return Learner(model, self.answer, self.pretrained, weight)

    def over_examples(self, model):
        """Return a model of examples, made of a model of their rows.

        :meta private:
        """
        return model

    def evaluate(self, texts, labels=None):
        """Compare answers with labels.

        Args:
            texts, labels: as `fit` takes them.

        Returns:
            A dict of floats, the metrics of the task.
        """
        encoded = self.labelled(texts, labels)
        return self.answer.metrics(encoded, self.logits(encoded))

    def validate(self, encoded, label_smoothing):
        """Return loss and metrics of `Encoded` with labels, a dict of floats.

        :meta private:
        """
        logits = self.logits(encoded)
        pair = self.answer.loss_arguments(encoded, logits)
        loss = float(self.answer.loss(label_smoothing)(*pair))
        return {"loss": loss, **self.answer.metrics(encoded, logits)}

    def collapse(self, encoded):
        """Return True if nearly all answers are equal and should differ.

        :meta private:
        """
        count = len(encoded.counts)
        part = encoded.part(probe_indices(count, self.answer.num_probes))
        return self.answer.is_constant(part, self.logits(part))

    def save(self, directory, format="keras", overwrite=False):
        """Write the model so that `from_pretrained` reads it back equal.

        Args:
            directory: str, made if needed.
            format: "keras" (ours) or "hf" (what `transformers` reads).
            overwrite: bool, replace what an earlier call has written.
        """
        save_pretrained(
            self.pretrained, directory, format=format, overwrite=overwrite
        )

    @property
    def ensemble_settings(self):
        """A dict of what the models of an `Ensemble` share; None is unknown.

        :meta private:
        """
        return {name: self.settings[name] for name in self.shared}

    def row_logits(self, rows):
        """Run the model over `PackedRows`: float32 `(num_rows, num_outputs)`.

        :meta private:
        """
        logits = np.zeros((len(rows), self.answer.num_outputs), np.float32)
        if len(rows):
            for indices, outputs in self._forward(rows):
                logits[indices] = outputs["logits"]
        return logits

    def token_logits(self, rows):
        """Return an array `(num_tokens, num_outputs)` for each of the rows.

        :meta private:
        """
        logits = [None] * len(rows)
        if logits:
            for indices, outputs in self._forward(rows):
                for index, row in zip(indices, outputs["logits"], strict=True):
                    logits[index] = row[rows.place(index, len(row))]
        return logits

    @property
    def last_layer(self):
        """The `TaskHead` that gives the logits.

        :meta private:
        """
        return self.pretrained.task_head

    @property
    def starts_random(self):
        """True if the head was made, not read.

        :meta private:
        """
        return self.pretrained.head_is_random

    def check_servable(self):
        super().check_servable()
        self._warn_if_random()

    def _forward(self, rows):
        """Compute as `Forward` does."""
        self._warn_if_random()
        return self._compute(rows)

    def _warn_if_random(self):
        """Warn once if the head has never learned."""
        if self._random_kernel is None:
            return
        kernel = self.last_layer.logits.get_weights()[0]
        if np.array_equal(kernel, self._random_kernel):
            logging.warning(
                "The head of this %s is random: its answers mean nothing. "
                "Call `fit`, or read a model that was trained for the task.",
                type(self).__name__,
            )
        self._random_kernel = None

    def recipe(self, **values):
        """Return the `Recipe` with these values.

        :meta private:
        """
        return Recipe(**values)

    def answered(self, texts, show_progress_bar):
        """Answer texts as `predict` does.

        :meta private:
        """
        encoded = self.encode(texts)
        with progress_bar(show_progress_bar, len(encoded.rows)):
            return self.answer.decode(encoded, self.logits(encoded))

    def encode(self, texts):
        """Check and tokenize texts to answer.

        Args:
            texts: as `predict` takes them.

        Returns:
            `Encoded`.

        :meta private:
        """
        return self.reader.encode(self.reader.read(texts))

    def labelled(self, texts, labels=None, class_weights=None):
        """Check and tokenize examples to learn from or to evaluate on.

        Args:
            texts, labels, class_weights: as `fit` takes them.

        Returns:
            `Encoded`.

        :meta private:
        """
        labels = INSIDE if labels is None else labels
        texts, labels = self.reader.read_labelled(texts, labels)
        return self.reader.encode(
            texts, *self.answer.learn(labels, class_weights)
        )

    def logits(self, encoded):
        """Compute the logits of `Encoded`.

        Returns:
            A float32 array with a row for each answer, or a list of arrays.

        :meta private:
        """
        is_per_token = self.reader.is_per_token
        compute = self.token_logits if is_per_token else self.row_logits
        return self.reader.join(encoded, compute(encoded.rows))

    def predict_ids(self, inputs, model=None):
        ids = {name: inputs[name] for name in self.pretrained.backbone.inputs}
        return self.answer.graph((model or self.model)(ids)["logits"], inputs)
