"""A task that learns from labelled examples."""

import numpy as np
from absl import logging
from keras import ops

from keras_bert import arguments
from keras_bert.checkpoints import save_pretrained
from keras_bert.checkpoints.task_record import TaskRecord
from keras_bert.checkpoints.weight_table import HeadSize
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
from keras_bert.tasks.fine_tuning.teaching import SoftLoss
from keras_bert.tasks.fine_tuning.teaching import teacher_logits
from keras_bert.tasks.fine_tuning.training import fine_tune
from keras_bert.tasks.task import Task

_SEQ_LENGTH = 128


class FineTunedTask(Task):
    """A small head on an encoder that learns from examples.

    A subclass sets these attributes and seven methods: `encode`, `logits`,
    `decode`, `metrics`, `metric_names`, `loss` and `collapse`. `logits` runs
    the model, and `decode` and `metrics` make answers and scores of them, so
    that an `Ensemble` can pass the mean of several models. It learns
    from a teacher by `teacher_targets` and `soft_loss`, by default of classes.

    Attributes:
        head: str, the part that is its head, such as "classifier".
        main_metric: str, which of `evaluate`'s metrics tells the best epoch;
            more is better. It may be set to another one.
        pretrained: `PretrainedModel` with the head.
        remedies: str, what to try where training has failed.
        shared: tuple of str, the settings that the models of an `Ensemble`
            must have in common.
        learned_settings: tuple of str, the settings that `fit` finds out from
            its examples.
        kept_outputs: list of int, as `PretrainedModel.for_task` takes them.

    Args:
        pretrained: `PretrainedModel`, with or without such a head. Without,
            the head starts random, and so does the pooler if it is missing.
        num_outputs: int, of the head.
        settings: dict for JSON, what the task must know to answer as it was
            trained; it is saved beside the weights.
    """

    head = None
    main_metric = None
    kept_outputs = None
    shared = ()
    learned_settings = ()
    remedies = (
        "another seed, a smaller learning_rate, more epochs or a longer warmup"
    )

    def __init__(self, pretrained, num_outputs, settings):
        self.num_outputs = num_outputs
        self.pretrained, self.model = self._with_head(
            pretrained, num_outputs, settings
        )
        self.inputs = tuple(self.pretrained.backbone.inputs)
        self._compute = Forward(self.model)
        self._random_kernel = None
        if self.starts_random:
            self._random_kernel = self.last_layer.logits.get_weights()[0]

    @classmethod
    def _trained_settings(cls, pretrained):
        """Reads the settings of a model of this task; empty of any other."""
        task = pretrained.task
        is_same = task is not None and task.task == cls.__name__
        return task.settings if is_same else {}

    @classmethod
    def _trained_seq_length(cls, pretrained, seq_length=None):
        """Checks the length to take texts in, or finds the default."""
        if seq_length is None:
            default = min(_SEQ_LENGTH, pretrained.sequence_length())
            trained = cls._trained_settings(pretrained)
            seq_length = trained.get("seq_length", default)
        return pretrained.sequence_length(seq_length)

    @classmethod
    def _template(cls, pretrained):
        """The `Template` by which texts are laid out."""
        return pretrained.family.template_of(cls.head)

    @property
    def settings(self):
        """A dict for JSON of all that is saved beside the weights."""
        return self.pretrained.task.settings

    @property
    def batch_tokens(self):
        """Most tokens that are answered together, int; it may be set.

        Few keep a processor's caches warm; an accelerator wants more.
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
        return self._fit(
            self.recipe(**recipe),
            texts,
            labels,
            validation_data,
            class_weights,
            teacher,
            callbacks=callbacks,
            verbose=verbose,
        )

    def _fit(
        self,
        recipe,
        texts,
        labels=None,
        validation_data=None,
        class_weights=None,
        teacher=None,
        **keras_fit,
    ):
        """Fine-tune by a `Recipe`; if it fails, the settings are as before."""
        settings = dict(self.settings)
        self.settings.update(dict.fromkeys(self.learned_settings))
        try:
            encoded = self.labelled(texts, labels, class_weights)
            logits = None
            if teacher is not None:
                logits = teacher_logits(self, teacher, texts, labels)
            held_out = None
            if validation_data is not None:
                is_tuple = isinstance(validation_data, tuple)
                is_columns = is_tuple and len(validation_data) in (1, 2)
                columns = validation_data if is_columns else (validation_data,)
                held_out = self.labelled(*columns)
            return self.learn(
                encoded, held_out, recipe, teacher_logits=logits, **keras_fit
            )
        except Exception:
            self.settings.update(settings)
            raise

    def smaller(self, num_layers):
        """Makes a task of fewer layers, a student to be taught by this one.

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
        """Trains, and says if the model has learned one answer only.

        Args:
            encoded: `Encoded` to learn from.
            held_out: the same, to validate on, or None.
            recipe: `Recipe`.
            **fit: `teacher_logits`, as `logits` of a teacher returns them, or
                None; and arguments of `fine_tune`.

        :meta private:
        """
        history = self.train(encoded, held_out, recipe, **fit)
        warn_if_collapsed(
            self,
            encoded if held_out is None else held_out,
            encoded,
            history.history,
        )
        return history

    def train(self, encoded, held_out, recipe, teacher_logits=None, **fit):
        """Trains as `learn` does.

        :meta private:
        """
        if teacher_logits is not None:
            encoded.extra_targets[DISTILLED] = self.teacher_targets(
                encoded, teacher_logits
            )
        if self.language_model_weight:
            encoded.extra_targets[LANGUAGE_MODEL] = no_targets
        validation = None
        if held_out is not None:
            validation = Validation(
                lambda: self.validate(held_out, recipe.label_smoothing),
                ["loss", *self.metric_names(held_out)],
                self.main_metric,
            )
        return fine_tune(self, encoded, recipe, validation, **fit)

    def evaluate(self, texts, labels=None):
        """Compares answers with labels.

        Args:
            texts, labels: as `fit` takes them.

        Returns:
            A dict of floats, the metrics of the task.
        """
        return self.scores(self.labelled(texts, labels))

    def labelled(self, texts, labels=None, class_weights=None):
        """Encodes texts to learn from or to evaluate on, as `fit` takes them.

        :meta private:
        """
        labels = INSIDE if labels is None else labels
        return self.encode(texts, labels, class_weights)

    def teacher_targets(self, encoded, logits):
        """Return the targets of `DISTILLED` for the logits of a teacher.

        :meta private:
        """
        return encoded.answer_targets(logits)

    @property
    def language_model_weight(self):
        """The weight, a float, of the loss of the tokens beside the task's.

        :meta private:
        """
        head = self.pretrained.task.head
        if head is None:
            return 0.0
        return self.pretrained.family.task_heads[
            head.part
        ].language_model_weight

    def learning_model(self):
        """Makes a `keras.Model` that has the loss of the tokens as well.

        :meta private:
        """
        return with_language_model(self.pretrained)

    def soft_loss(self, temperature):
        """Makes the Keras loss of a teacher's logits and of this task's.

        :meta private:
        """
        return SoftLoss(self.loss(0.0), self._probabilities, temperature)

    def _probabilities(self, logits):
        return ops.softmax(logits)

    def scores(self, encoded):
        """Computes the metrics of `Encoded` with labels, a dict of floats.

        :meta private:
        """
        return self.metrics(encoded, self.logits(encoded))

    def validate(self, encoded, label_smoothing):
        """Compute loss and metrics of `Encoded` with labels, a dict of floats.

        :meta private:
        """
        logits = self.logits(encoded)
        pair = self.loss_arguments(encoded, logits)
        loss = self.loss(label_smoothing)(*pair)
        return {"loss": float(loss), **self.metrics(encoded, logits)}

    def loss_arguments(self, encoded, logits):
        """Pair targets and logits as `loss` takes them.

        :meta private:
        """
        return encoded.targets[encoded.starts], logits

    def save(self, directory, format="keras", overwrite=False):
        """Writes the model so that `from_pretrained` reads it back equal.

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
        """Runs the model over `PackedRows`: float32 `(num_rows, num_outputs)`.

        :meta private:
        """
        logits = np.zeros((len(rows), self.num_outputs), np.float32)
        if len(rows):
            for indices, outputs in self._forward(rows):
                logits[indices] = outputs["logits"]
        return logits

    def token_logits(self, rows):
        """Lists an array `(num_tokens, num_outputs)` for each of `PackedRows`.

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
        """True if the head was made anew, not read.

        :meta private:
        """
        return self.pretrained.head_is_random

    def check_servable(self):
        super().check_servable()
        self._warn_if_random()

    def _forward(self, rows):
        """Computes as `Forward` does."""
        self._warn_if_random()
        return self._compute(rows)

    def _warn_if_random(self):
        """Says once that the head has never learned, if so."""
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

    def _with_head(self, pretrained, num_outputs, settings):
        """Returns a `PretrainedModel` with this task, and its `keras.Model`."""
        size = HeadSize(self.head, num_outputs)
        record = TaskRecord(type(self).__name__, size, settings)
        pretrained = pretrained.for_task(record, self.kept_outputs)
        return pretrained, pretrained.task_model

    def recipe(self, **values):
        """Return the `Recipe` with these values.

        :meta private:
        """
        return Recipe(**values)

    def answered(self, texts, show_progress_bar):
        """Answer texts as `predict` does.

        :meta private:
        """
        asked = self.encode(texts)
        num_rows = sum(len(x.rows) for x in (asked, *asked.others))
        with progress_bar(show_progress_bar, num_rows):
            return self.decode(asked, self.logits(asked))

    def encode(self, texts, labels=None, class_weights=None):
        """Checks and tokenizes what there is to learn, to judge or to answer.

        Args:
            texts: as `fit` takes them, or `predict` where there are no labels.
            labels: one for each text, or `INSIDE` where the texts bring them;
                None where the texts are only to be answered.
            class_weights: as `fit` takes them.

        Returns:
            `Encoded`.

        :meta private:
        """
        raise NotImplementedError

    def logits(self, encoded):
        """Computes what the model says of `Encoded`.

        Returns:
            A float32 array with a row for each answer, or a list of arrays.

        :meta private:
        """
        raise NotImplementedError

    def decode(self, encoded, logits):
        """Makes the answers of `predict` of `Encoded` and of its logits.

        :meta private:
        """
        raise NotImplementedError

    def metrics(self, encoded, logits):
        """Makes the scores of `evaluate` of `Encoded` and of its logits.

        :meta private:
        """
        raise NotImplementedError

    def metric_names(self, encoded):
        """List the keys of `metrics` of `Encoded`.

        :meta private:
        """
        raise NotImplementedError

    def training_metrics(self):
        """Make the Keras metrics that are logged while the model learns.

        :meta private:
        """
        return []

    def loss(self, label_smoothing):
        """Makes the Keras loss of targets and logits.

        :meta private:
        """
        raise NotImplementedError

    def collapse(self, encoded):
        """Says if all of `Encoded` get one answer, though they differ: a bool.

        :meta private:
        """
        raise NotImplementedError
