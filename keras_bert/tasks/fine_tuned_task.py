"""Base class for tasks that are fine-tuned on labelled examples."""

import collections.abc
import contextlib
import typing

import keras
import numpy as np
from absl import logging

from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import save_pretrained
from keras_bert.checkpoints.task_record import TaskRecord
from keras_bert.checkpoints.weight_table import HeadSize
from keras_bert.layers.heads.task_head import TaskHead
from keras_bert.models.family import Family
from keras_bert.tasks.columns import first_examples
from keras_bert.tasks.columns import in_one_order
from keras_bert.tasks.columns import with_weights
from keras_bert.tasks.inputs.inputs import Inputs
from keras_bert.tasks.labels import sample_weights
from keras_bert.tasks.outputs.outputs import Outputs
from keras_bert.tasks.task import Task
from keras_bert.tasks.training.collapse import probe_indices
from keras_bert.tasks.training.collapse import warn_if_collapsed
from keras_bert.tasks.training.distillation import teacher_logits
from keras_bert.tasks.training.encoded import DISTILLED
from keras_bert.tasks.training.encoded import Encoded
from keras_bert.tasks.training.encoded import Logits
from keras_bert.tasks.training.fine_tune import Learner
from keras_bert.tasks.training.fine_tune import fine_tune
from keras_bert.tasks.training.forward import Forward
from keras_bert.tasks.training.forward import progress_bar
from keras_bert.tasks.training.language_model import LANGUAGE_MODEL
from keras_bert.tasks.training.language_model import no_targets
from keras_bert.tasks.training.language_model import with_language_model
from keras_bert.tasks.training.monitoring import Validation
from keras_bert.tasks.training.ragged_rows import RaggedRows
from keras_bert.tasks.training.recipe import HasRecipe
from keras_bert.tasks.training.recipe import Recipe
from keras_bert.template import Template
from keras_bert.typing import Arguments
from keras_bert.typing import Path
from keras_bert.typing import Tensors


class FineTunedTask(Task):
    """Base class for tasks with a small head on an encoder.

    A task combines two objects: its `inputs` tokenize texts into rows, and its
    `outputs` compute losses, metrics and predictions from logits.

    Args:
        pretrained: model with or without a head for this task. A missing head
            or pooler is initialized randomly.
        inputs: callable that creates the `Inputs` from the `PretrainedModel`
            with the head, a `Template` and the settings.
        outputs: losses, metrics and decoding of the task.
        settings: JSON-serializable settings that are saved with the weights.

    Attributes:
        main_metric: metric of `evaluate` that selects the best epoch (higher is
            better). Can be assigned.
        pretrained: model with the head.
        remedies: advice shown in the warning after failed training.
        default_length: default `seq_length`.
        shared: names of settings that all models of an `Ensemble` must share.
        kept_outputs: indices of the outputs of a trained head to keep, as in
            `PretrainedModel.for_task`; or None.
    """

    default_length: int = 128
    kept_outputs: list[int] | None = None
    main_metric: str
    recipe_class = Recipe
    shared: tuple[str, ...] = ()
    remedies: str = (
        "another seed, a smaller learning_rate, more epochs or a longer warmup"
    )

    def __init__(
        self,
        pretrained: PretrainedModel,
        inputs: collections.abc.Callable[..., Inputs],
        outputs: Outputs,
        settings: dict[str, typing.Any],
    ):
        self.outputs, self.output_names = outputs, outputs.names
        self.main_metric = outputs.main_metric
        self.pretrained, self.model = self._with_head(pretrained, settings)
        template = self._template(self.pretrained.family)
        self.inputs = inputs(self.pretrained, template, self.settings)
        self.preprocess = self.inputs.preprocess
        self.text_shapes = self.inputs.text_shapes
        encoder_inputs = tuple(self.pretrained.backbone.inputs)
        self.input_names = encoder_inputs + self.inputs.extra_inputs
        self._compute = Forward(self.model)
        self._random_kernel: np.ndarray | None = None
        if self._starts_random:
            self._random_kernel = self._last_layer.logits.get_weights()[0]

    @classmethod
    def _trained_settings(
        cls, pretrained: PretrainedModel
    ) -> dict[str, typing.Any]:
        """Return the task settings of a trained model, or {} for an encoder."""
        task = pretrained.task
        is_same = task is not None and task.task == cls.__name__
        return task.settings if is_same else {}

    @classmethod
    def _trained_seq_length(
        cls, pretrained: PretrainedModel, seq_length: int | None
    ) -> int:
        """Return `seq_length` after checking it, or the trained length."""
        if seq_length is None:
            default = min(cls.default_length, pretrained.sequence_length())
            trained = cls._trained_settings(pretrained)
            seq_length = trained.get("seq_length", default)
        return pretrained.sequence_length(seq_length)

    def _template(self, family: Family) -> Template:
        """Return the layout that packs texts with special tokens."""
        return family.template_of(self.outputs.head)

    def _with_head(
        self, pretrained: PretrainedModel, settings: dict[str, typing.Any]
    ) -> tuple[PretrainedModel, keras.Model]:
        """Return a model with this head, and the Keras model of the task."""
        size = HeadSize(self.outputs.head, self.outputs.num_outputs)
        record = TaskRecord(type(self).__name__, size, settings)
        pretrained = pretrained.for_task(record, self.kept_outputs)
        return pretrained, pretrained.task_model

    @property
    def text_inputs(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.inputs.text_inputs

    @property
    def settings(self) -> dict[str, typing.Any]:  # type: ignore[override]
        """JSON-serializable settings that are saved with the weights."""
        return self.pretrained.task.settings

    @property
    def batch_tokens(self) -> int:
        """Maximum number of tokens computed together. Can be assigned.

        Small batches fit the caches of a CPU; a GPU needs larger ones.
        """
        return self._compute.batch_tokens

    @batch_tokens.setter
    def batch_tokens(self, value: int) -> None:
        self._compute.batch_tokens = value

    def fit(
        self: HasRecipe[Arguments],
        texts: typing.Any,
        labels: typing.Any = None,
        validation_data: typing.Any = None,
        class_weights: dict[str, float] | None = None,
        callbacks: collections.abc.Sequence[keras.callbacks.Callback] = (),
        verbose: str | int = "auto",
        teacher: "FineTunedTask | None" = None,
        sample_weight: typing.Any = None,
        *args: Arguments.args,
        **recipe: Arguments.kwargs,
    ) -> keras.callbacks.History:
        """Fine-tune the model.

        `TextClassifier` and `TextRegressor` accept single texts or pairs. The
        trained model accepts only the type that it was trained on.

        Args:
            texts: examples, or a `tf.data.Dataset` of (example, label) or
                (example, label, sample_weight) tuples.
                `TextClassifier` and `TextRegressor`: list of str, or of pairs
                of str. `TokenClassifier`: `TaggedSentences` from `read_conll`,
                or a list with a list of words for each sentence.
                `MultipleChoice`: list of `MultipleChoiceExample` from
                `read_swag`, or of pairs of a context and a list of choices.
            labels: list with the label of each example, or None if `texts`
                contains the labels. `TextClassifier`: a label's name or index,
                or a list of these if `multi_label` is set. `TextRegressor`: a
                number. `TokenClassifier`: a list with a tag for each word.
                `MultipleChoice`: the index of the correct choice.
            validation_data: dataset, or tuple of arguments for `evaluate`. It
                is evaluated after each epoch, and the weights of the best
                epoch are kept.
            class_weights: dict mapping labels to the loss weights of their
                examples. Missing labels have weight 1. Only for
                `TextClassifier` and `TokenClassifier`.
            callbacks: list of Keras callbacks. They can monitor `loss` and
                `accuracy` (not for questions and regression) and, with
                `validation_data`, `val_loss` and the metrics of `evaluate`,
                such as `val_f1`. They can assign `optimizer.learning_rate`, the
                peak of the learning rate schedule.
            verbose: "auto", 0, 1 or 2, as in `keras.Model.fit`.
            teacher: trained task of the same class and labels, of any family.
                The model learns to imitate its logits.
            sample_weight: list with a weight for each example, or None for
                equal weights.
            **recipe: fields of `Recipe`.

        Returns:
            A Keras `History`.

        Raises:
            ValueError: an example, a label or the teacher cannot be used.
                Nothing is trained.
        """
        recipe = self._recipe(*args, **recipe)
        texts = first_examples(texts, recipe)
        if teacher is not None:
            texts = in_one_order(texts)  # The teacher reads them too.
        with self._restored_settings():
            examples = self._labelled(
                texts, labels, sample_weight, class_weights
            )
            held_out = None
            if validation_data is not None:
                held_out = self._labelled(*_columns(validation_data))
            learner = self._learner()
            if teacher is not None:
                logits = teacher_logits(self, teacher, texts, labels)
                targets = self.inputs.distillation_targets(examples, logits)
                examples.extra_targets[DISTILLED] = targets
            if learner.language_model_weight:
                examples.extra_targets[LANGUAGE_MODEL] = no_targets
            with self._training(examples, held_out) as (examples, held_out):
                history = fine_tune(
                    learner,
                    examples,
                    recipe,
                    self._validation(held_out, recipe.label_smoothing),
                    callbacks,
                    verbose,
                )
                probes = examples if held_out is None else held_out
                warn_if_collapsed(self, probes, examples, history.history)
        return history

    @contextlib.contextmanager
    def _restored_settings(self) -> collections.abc.Iterator[None]:
        """Context manager that restores the settings if training fails."""
        settings = dict(self.settings)
        if "is_pair" in settings:
            self.settings["is_pair"] = None
        try:
            yield
        except Exception:
            self.settings.update(settings)
            raise

    @contextlib.contextmanager
    def _training(
        self, examples: Encoded, held_out: Encoded | None
    ) -> collections.abc.Iterator[tuple[Encoded, Encoded | None]]:
        """Context manager of a training run.

        Args:
            examples: training examples.
            held_out: validation examples, or None.

        Yields:
            The two, as the learner takes them.
        """
        yield examples, held_out

    def smaller(self, num_layers: int) -> typing.Self:
        """Create a student of this task with fewer layers, for distillation.

        The student starts with copies of the embeddings, the head and evenly
        spaced layers. It has the same tokenizer and settings.

        Args:
            num_layers: number of layers, at most as many as this task has.

        Raises:
            ValueError: `num_layers` is too large.
        """
        task_class: typing.Any = type(self)
        student = task_class(self.pretrained.smaller(num_layers))
        student.main_metric = self.main_metric
        return student

    def _validation(
        self, held_out: Encoded | None, label_smoothing: float
    ) -> Validation | None:
        """Return the callback that evaluates the held-out examples, if any."""
        if held_out is None:
            return None
        return Validation(
            lambda: self._validate(held_out, label_smoothing),
            ["loss", *self.outputs.metric_names(held_out)],
            self.main_metric,
        )

    def _learner(self) -> Learner:
        """Return the model that `fit` trains, with its losses."""
        head = self.pretrained.family.task_heads[self.outputs.head]
        model = self.model
        if head.language_model_weight:
            model = self._over_examples(with_language_model(self.pretrained))
        return Learner(
            model,
            self.outputs,
            self.pretrained,
            own_model=self.model,
            language_model_weight=head.language_model_weight,
        )

    def _over_examples(self, model: keras.Model) -> keras.Model:
        """Wrap a model that takes rows so that it takes examples."""
        return model

    def evaluate(
        self,
        texts: typing.Any,
        labels: typing.Any = None,
        sample_weight: typing.Any = None,
    ) -> dict[str, float]:
        """Evaluate the predictions on labelled examples.

        Args:
            texts, labels, sample_weight: arguments of `fit`. An example of
                weight 2 counts as two examples.

        Returns:
            A dict mapping metric names to floats.
        """
        encoded = self._labelled(texts, labels, sample_weight)
        return self.outputs.metrics(encoded, self._logits(encoded))

    def _validate(
        self, encoded: Encoded, label_smoothing: float
    ) -> dict[str, float]:
        """Return the loss and the metrics of labelled examples."""
        logits = self._logits(encoded)
        arguments = self.outputs.loss_arguments(encoded, logits)
        loss = float(self.outputs.loss(label_smoothing)(*arguments))
        return {"loss": loss, **self.outputs.metrics(encoded, logits)}

    def _collapse(self, encoded: Encoded) -> bool:
        """Return True if nearly all predictions are equal but labels differ."""
        count = len(encoded.counts)
        probe = encoded.subset(probe_indices(count, self.outputs.num_probes))
        return self.outputs.is_constant(probe, self._logits(probe))

    def save(
        self, directory: Path, format: str = "keras", overwrite: bool = False
    ) -> None:
        """Save the task to a directory that `from_pretrained` can load.

        Args:
            directory: directory to write; it is created if needed.
            format: "keras" (this library), or "hf" (`transformers`).
            overwrite: whether to overwrite the files of an earlier save.
        """
        save_pretrained(
            self.pretrained, directory, format=format, overwrite=overwrite
        )

    @property
    def _ensemble_settings(self) -> dict[str, typing.Any]:
        """Settings that all models in an `Ensemble` must share, if known."""
        return {name: self.settings[name] for name in self.shared}

    def _row_logits(self, rows: RaggedRows) -> np.ndarray:
        """Return the logits of rows, float32 `(num_rows, num_outputs)`."""
        logits = np.zeros((len(rows), self.outputs.num_outputs), np.float32)
        if len(rows):
            for indices, outputs in self._forward(rows):
                logits[indices] = outputs["logits"]
        return logits

    def _token_logits(self, rows: RaggedRows) -> list[np.ndarray]:
        """Return the token logits of each row, `(num_tokens, num_outputs)`."""
        logits: list[typing.Any] = [None] * len(rows)
        if logits:
            for indices, outputs in self._forward(rows):
                for index, row in zip(indices, outputs["logits"], strict=True):
                    logits[index] = row[rows.token_slice(index, len(row))]
        return logits

    @property
    def _last_layer(self) -> TaskHead:
        """The layer that computes the logits."""
        return typing.cast(TaskHead, self.pretrained.task_head)

    @property
    def _starts_random(self) -> bool:
        """True if the head has random weights instead of loaded weights."""
        return self.pretrained.head_is_random

    def _check_servable(self) -> None:
        super()._check_servable()
        self._warn_if_random()

    def _forward(
        self, rows: RaggedRows
    ) -> collections.abc.Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]:
        """Run the model batch by batch and warn if the head is random."""
        self._warn_if_random()
        return self._compute(rows)

    def _warn_if_random(self) -> None:
        """Warn once if the head still has its random weights."""
        if self._random_kernel is None:
            return
        kernel = self._last_layer.logits.get_weights()[0]
        if np.array_equal(kernel, self._random_kernel):
            logging.warning(
                "The head of this %s is random, so its predictions are "
                "meaningless. Call `fit`, or load a fine-tuned model.",
                type(self).__name__,
            )
        self._random_kernel = None

    def _recipe(self, *args: typing.Any, **values: typing.Any) -> Recipe:
        """Create the recipe of a call of `fit` from its arguments."""
        return self.recipe_class.of_fit(self.fit, *args, **values)

    def _compute_predictions(
        self, texts: typing.Any, show_progress_bar: bool
    ) -> list[typing.Any]:
        """Return the predictions for texts."""
        encoded = self._encode(texts)
        with progress_bar(show_progress_bar, len(encoded.rows)):
            return self.outputs.decode(encoded, self._logits(encoded))

    def _encode(self, texts: typing.Any) -> Encoded:
        """Check and tokenize texts for prediction.

        Args:
            texts: texts in the format of `predict`.
        """
        return self.inputs.encode(self.inputs.read(texts))

    def _labelled(
        self,
        texts: typing.Any,
        labels: typing.Any = None,
        sample_weight: typing.Any = None,
        class_weights: dict[str, float] | None = None,
    ) -> Encoded:
        """Check and tokenize labelled examples.

        Args:
            texts, labels, sample_weight, class_weights: arguments of `fit`.
        """
        if labels is None:
            texts, labels, sample_weight = with_weights(texts, sample_weight)
        texts, labels = self.inputs.read_labelled(texts, labels)
        encoded = self.inputs.encode(
            texts, *self.outputs.targets(labels, class_weights)
        )
        if sample_weight is not None:
            weights = sample_weights(sample_weight, len(encoded.counts))
            encoded.weigh(weights)
        return encoded

    def _logits(self, encoded: Encoded) -> Logits:
        """Compute the logits of tokenized texts."""
        is_per_token = self.inputs.is_per_token
        compute = self._token_logits if is_per_token else self._row_logits
        return self.inputs.join(encoded, compute(encoded.rows))

    def predict_ids(
        self, inputs: Tensors, model: collections.abc.Callable | None = None
    ) -> Tensors:
        ids = {name: inputs[name] for name in self.pretrained.backbone.inputs}
        return self.outputs.graph((model or self.model)(ids)["logits"], inputs)


def _columns(validation_data: typing.Any) -> tuple:
    """Return the arguments of `evaluate` in `validation_data`."""
    is_tuple = isinstance(validation_data, tuple)
    if is_tuple and len(validation_data) in (1, 2, 3):
        return validation_data
    return (validation_data,)
