"""Training loop for fine-tuning."""

import contextlib
import logging
import random
import typing
import warnings

import keras
import numpy as np
from keras import ops

from keras_bert.optimizers.optimizers import bert_adamw
from keras_bert.optimizers.schedules import LinearWarmupDecay
from keras_bert.tasks.batches.fine_tuning import TrainingBatches
from keras_bert.tasks.batches.fine_tuning import epochs_of_batches
from keras_bert.tasks.fine_tuning.adapters import add_adapters
from keras_bert.tasks.fine_tuning.adapters import check_recipe
from keras_bert.tasks.fine_tuning.adapters import is_adapter
from keras_bert.tasks.fine_tuning.backup import Backup
from keras_bert.tasks.fine_tuning.backup import backup_directory
from keras_bert.tasks.fine_tuning.collapse import warn_if_unchanged
from keras_bert.tasks.fine_tuning.distillation import with_distilled_output
from keras_bert.tasks.fine_tuning.encoded import DISTILLED
from keras_bert.tasks.fine_tuning.language_model import LANGUAGE_MODEL
from keras_bert.tasks.fine_tuning.language_model import PrecomputedLoss
from keras_bert.tasks.fine_tuning.monitoring import TaskCallbackList
from keras_bert.tasks.fine_tuning.monitoring import check_monitored


class Learner(typing.NamedTuple):
    """Model to train with its losses and metrics.

    Args:
        model: `keras.Model` that takes examples. It returns the output of the
            task and, if the auxiliary language-model loss is used,
            `LANGUAGE_MODEL`.
        outputs: object with the methods `loss`, `soft_loss` and
            `training_metrics` of `Outputs`.
        pretrained: `PretrainedModel` of the encoder.
        language_model_weight: float, weight of the loss `LANGUAGE_MODEL`.
    """

    model: keras.Model
    outputs: object
    pretrained: object
    language_model_weight: float = 0.0


def fine_tune(
    learner,
    examples,
    recipe,
    validation=None,
    callbacks=(),
    own_model=None,
    **fit,
):
    """Train a model with the hyperparameters of a recipe.

    Args:
        learner: `Learner`.
        examples: `Encoded` training examples.
        recipe: `Recipe`.
        validation: `Validation`, or None. The weights of the epoch with the
            best main metric are restored at the end.
        callbacks: list of Keras callbacks.
        own_model: `keras.Model` that is passed to the callbacks. Defaults to
            the trained model.
        **fit: other arguments of `keras.Model.fit`.

    Returns:
        A Keras `History`.

    Raises:
        ValueError: the recipe does not match the model or the data.
    """
    if recipe.patience is not None and validation is None:
        raise ValueError(
            "`patience` needs `validation_data` to compare the epochs. "
            f"Received: patience={recipe.patience}, validation_data=None."
        )
    check_recipe(recipe)
    _reset_layers(learner.pretrained, recipe)
    own_model = own_model or learner.model
    frozen = _frozen_layers(learner.pretrained.backbone, recipe)
    with frozen, _hidden_retracing(), warnings.catch_warnings():
        # Global projections and XLNet's query embedding may be unused.
        unused = "Gradients do not exist.*/(global_|query_embedding)"
        warnings.filterwarnings("ignore", unused)
        history = _fit(
            learner, examples, recipe, validation, callbacks, own_model, **fit
        )
    warn_if_unchanged(history.history["loss"])
    return history


@contextlib.contextmanager
def _hidden_retracing():
    """Hide TensorFlow's warning about retracing.

    Each call of `fit` traces its own training step once, and TensorFlow counts
    the steps of all models together.
    """

    def is_shown(record):
        return "triggered tf.function retracing" not in record.getMessage()

    logger = logging.getLogger("tensorflow")
    logger.addFilter(is_shown)
    try:
        yield
    finally:
        logger.removeFilter(is_shown)


def _fit(learner, examples, recipe, validation, callbacks, own_model, **fit):
    """Compile and fit the model."""
    if not learner.model.trainable_variables:
        raise ValueError(
            "All layers are frozen, so there is nothing to train. Set "
            "`trainable = True` on the layers to train."
        )
    model, loss, shares, metrics = _learned(learner, examples, recipe)
    callbacks = keras.tree.flatten(callbacks or [])
    _check_callbacks(callbacks)
    check_monitored(callbacks, _logged_names(loss, metrics, validation))
    _seed_dropout(learner.model, recipe.seed)
    epochs = epochs_of_batches(
        examples,
        recipe.batch_size,
        recipe.epochs,
        recipe.seed,
        recipe.steps_per_epoch,
    )
    steps = len(epochs[0])
    model = in_parallel_parts(model, recipe.parallel_parts)
    model.compile(
        optimizer=_optimizer(learner, recipe, steps * recipe.epochs),
        loss=loss,
        loss_weights=shares,
        weighted_metrics=metrics,
        # XLA would compile the step for each width of the batches.
        jit_compile="auto" if keras.backend.backend() == "jax" else False,
    )
    if model is not own_model:
        own_model.compile(model.optimizer)
        callbacks = [TaskCallbackList(callbacks, own_model)]
    stopping = None
    if validation is not None:
        stopping = keras.callbacks.EarlyStopping(
            validation.main_metric,
            patience=recipe.patience or recipe.epochs,
            mode="max",
            restore_best_weights=True,
        )
        callbacks = [validation, stopping, *callbacks]
    if recipe.backup_dir is None:
        return _fit_epochs(model, examples, epochs, callbacks, **fit)
    with backup_directory(recipe, examples, epochs[0]) as directory:
        backup = Backup(directory, model, stopping, recipe.epochs)
        history = _fit_epochs(
            model,
            examples,
            epochs,
            [*callbacks, backup],
            first_epoch=backup.first_epoch,
            **fit,
        )
        backup.complete(history)
        return history


def _fit_epochs(model, examples, epochs, callbacks, first_epoch=0, **fit):
    """Fit a compiled model from `first_epoch` to the last epoch."""
    # Keras reads a batch even if no epoch is left.
    remaining = epochs[first_epoch:] or epochs[-1:]
    batches = TrainingBatches(examples, remaining)
    return model.fit(
        batches.data(),
        initial_epoch=first_epoch,
        epochs=len(epochs),
        steps_per_epoch=len(epochs[0]),
        shuffle=False,
        callbacks=callbacks,
        **fit,
    )


def _check_callbacks(callbacks):
    for callback in callbacks:
        if isinstance(callback, keras.callbacks.BackupAndRestore):
            raise ValueError(
                "`BackupAndRestore` does not save the position in the data. "
                "Pass `backup_dir` to `fit` instead. Received: "
                f"callbacks=[{type(callback).__name__}]."
            )


def _learned(learner, examples, recipe):
    """Return the model and the losses, weights and metrics of its outputs."""
    model, outputs = learner.model, learner.outputs
    (own,) = {*model.output} - {LANGUAGE_MODEL}
    loss = {own: outputs.loss(recipe.label_smoothing)}
    shares = {own: 1.0}
    if DISTILLED in examples.extra_targets:
        model = with_distilled_output(model)
        share = recipe.label_share
        shares = {own: share, DISTILLED: 1 - share}
        loss[DISTILLED] = outputs.soft_loss(recipe.temperature)
    if LANGUAGE_MODEL in model.output:
        loss[LANGUAGE_MODEL] = PrecomputedLoss()
        shares[LANGUAGE_MODEL] = learner.language_model_weight
    return model, loss, shares, {own: outputs.training_metrics()}


def _logged_names(loss, metrics, validation):
    """List the names of all values that `fit` logs."""
    ((output, metrics),) = metrics.items()
    metrics = [metric.name for metric in metrics]
    if len(loss) > 1:
        metrics = [f"{output}_{name}" for name in metrics]
        metrics += [f"{name}_loss" for name in loss]
    names = [] if validation is None else validation.names
    return ["loss", *metrics, *names, "learning_rate"]


@contextlib.contextmanager
def _frozen_layers(backbone, recipe):
    """Context manager that freezes layers as the recipe specifies."""
    num_frozen = _num_layers(backbone, "num_frozen_layers", recipe)
    is_whole = recipe.num_frozen_layers < 0
    if recipe.lora_rank is not None:
        with _seeded_initializers(recipe.seed):
            add_adapters(backbone, recipe.lora_rank)
        num_frozen, is_whole = len(backbone.blocks), True
    layers = backbone.blocks[:num_frozen]
    if num_frozen:
        layers += backbone.below_blocks
    if is_whole and backbone.final_norm:
        layers += [backbone.final_norm]
    # Freeze variables, not layers, because some weights of a layer may already
    # be frozen.
    variables = [v for layer in layers for v in layer.variables if v.trainable]
    if recipe.lora_rank is not None:
        variables = [v for v in variables if not is_adapter(v)]
    try:
        for variable in variables:
            variable.trainable = False
        yield
    finally:
        for variable in variables:
            variable.trainable = True


def _reset_layers(pretrained, recipe):
    """Reinitialize the highest layers of a model."""
    blocks = pretrained.backbone.blocks
    count = _num_layers(pretrained.backbone, "num_reset_layers", recipe)
    if count:
        with _seeded_initializers(recipe.seed):
            fresh = pretrained.family.backbone(pretrained.config)
        for block, other in zip(
            blocks[-count:], fresh.blocks[-count:], strict=True
        ):
            block.set_weights(other.get_weights())


def _num_layers(backbone, name, recipe):
    """Check and return a recipe's number of layers, where -1 means all."""
    blocks, value = backbone.blocks, getattr(recipe, name)
    if value > len(blocks):
        raise ValueError(
            f"`{name}` must be at most the number of blocks. Received: "
            f"{name}={value}, {len(blocks)} blocks."
        )
    value = len(blocks) if value < 0 else value
    is_lowest = name == "num_frozen_layers"
    _check_whole(
        blocks, value if is_lowest else len(blocks) - value, name, recipe
    )
    return value


def _seed_dropout(model, seed):
    """Set the seeds of all random layers, such as dropout."""
    states = [v for v in model.variables if v.name == "seed_generator_state"]
    seeds = np.random.SeedSequence(seed).generate_state(len(states))
    for state, own_seed in zip(states, seeds, strict=True):
        # The states of PyTorch are int32.
        state.assign(np.array([own_seed, 0], np.uint32).astype(state.dtype))


@contextlib.contextmanager
def _seeded_initializers(seed):
    """Seed Keras initializers, which take their seeds from `random`."""
    before = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(before)


def _check_whole(blocks, border, name, recipe):
    """Raise ValueError if a shared block is both above and below a border."""
    below, above = blocks[:border], blocks[border:]
    shared = {block.name for block in below} & {block.name for block in above}
    if shared:
        raise ValueError(
            f"`{name}` must include all layers with shared weights or none: "
            f"{', '.join(sorted(shared))} is used "
            f"{blocks.count(below[-1])} times in {len(blocks)} layers. "
            f"Received: {name}={getattr(recipe, name)}."
        )


def _optimizer(learner, recipe, num_steps):
    schedule = LinearWarmupDecay(
        1.0,
        num_train_steps=num_steps,
        num_warmup_steps=min(int(num_steps * recipe.warmup), num_steps - 1),
    )
    optimizer = bert_adamw(
        learner.model,
        recipe.peak_learning_rate,
        recipe.weight_decay,
        rate_schedule=schedule,
    )
    if recipe.layer_decay < 1:
        variables = learner.model.trainable_variables
        optimizer.scale_learning_rate(
            variables,
            [
                recipe.layer_decay ** _layers_above(learner.pretrained, v)
                for v in variables
            ],
        )
    # Otherwise the first step creates variables and is traced twice.
    optimizer.build(learner.model.trainable_variables)
    return optimizer


def _layers_above(pretrained, variable):
    """Count the layers above the layer of a variable, including the head."""
    backbone = pretrained.backbone
    blocks = dict.fromkeys(b.name for b in backbone.blocks)
    names = ["embeddings", *blocks]  # Shared blocks are counted once.
    layer = variable.path.partition("/")[0]
    if layer in [x.name for x in backbone.below_blocks]:
        layer = "embeddings"
    if layer not in names:
        return 0
    below = len(names) - 1 - names.index(layer)
    return below + pretrained.family.head_distance


def in_parallel_parts(model, num_parts):
    """Split a model's batch into parts that are computed in parallel.

    The parts are branches of the graph and share the layers. TensorFlow
    computes each branch with one thread. This is faster than dividing every
    operation among the threads, because most operations are short.

    Args:
        model: `keras.Model` that takes and returns a dict of tensors
            `(batch_size, ...)`.
        num_parts: int. If the batch has fewer rows, some parts are empty.

    Returns:
        A `keras.Model`, or `model` itself if there is one part.
    """
    if num_parts == 1:
        return model
    parts = [
        model({name: _Part(k, num_parts)(x) for name, x in model.input.items()})
        for k in range(num_parts)
    ]
    outputs = {
        name: _Join(dtype=output.dtype)([part[name] for part in parts])
        for name, output in model.output.items()
    }
    return keras.Model(model.input, outputs)


class _Part(keras.layers.Layer):
    """Layer that selects one part of a batch."""

    def __init__(self, index, num_parts):
        super().__init__(autocast=False)
        self._index = index
        self._num_parts = num_parts

    def call(self, rows):
        num_rows = ops.shape(rows)[0]
        start, stop = (
            num_rows * index // self._num_parts
            for index in (self._index, self._index + 1)
        )
        return rows[start:stop]

    def compute_output_spec(self, rows):
        return keras.KerasTensor((None, *rows.shape[1:]), rows.dtype)


class _Join(keras.layers.Layer):
    """Layer that concatenates the parts of a batch."""

    def call(self, parts):
        return ops.concatenate(parts)

    def compute_output_spec(self, parts):
        return keras.KerasTensor(parts[0].shape, parts[0].dtype)
