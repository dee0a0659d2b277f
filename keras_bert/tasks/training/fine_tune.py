"""Training loop for fine-tuning."""

import collections.abc
import contextlib
import logging
import random
import typing
import warnings

import keras
import numpy as np

from keras_bert.checkpoints import PretrainedModel
from keras_bert.models.backbone import Backbone
from keras_bert.optimizers.adamw import AdamW
from keras_bert.optimizers.optimizers import bert_adamw
from keras_bert.optimizers.schedules import LinearWarmupDecay
from keras_bert.tasks.training.adapters import add_adapters
from keras_bert.tasks.training.adapters import is_adapter
from keras_bert.tasks.training.backup import backup_of
from keras_bert.tasks.training.batches import TrainingBatches
from keras_bert.tasks.training.batches import TrainingExamples
from keras_bert.tasks.training.collapse import warn_if_unchanged
from keras_bert.tasks.training.distillation import with_distilled_output
from keras_bert.tasks.training.encoded import DISTILLED
from keras_bert.tasks.training.language_model import LANGUAGE_MODEL
from keras_bert.tasks.training.language_model import PrecomputedLoss
from keras_bert.tasks.training.monitoring import TaskCallbackList
from keras_bert.tasks.training.monitoring import Validation
from keras_bert.tasks.training.monitoring import check_callbacks
from keras_bert.tasks.training.parallel_parts import in_parallel_parts
from keras_bert.tasks.training.recipe import Recipe

if typing.TYPE_CHECKING:
    from keras_bert.tasks.embeddings.training import EmbeddingOutputs
    from keras_bert.tasks.outputs.outputs import Outputs


class Learner(typing.NamedTuple):
    """Model to train with its losses and metrics.

    Args:
        model: model that takes examples. It returns the output of the task
            and, if the auxiliary language-model loss is used,
            `LANGUAGE_MODEL`.
        outputs: losses and metrics of the task.
        pretrained: encoder of the model.
        own_model: model that is passed to the callbacks. It shares the weights
            of `model`, or is the same model.
        language_model_weight: weight of the loss `LANGUAGE_MODEL`.
        callbacks: callbacks that get the trained model, before those of `fit`.
    """

    model: keras.Model
    outputs: "Outputs | EmbeddingOutputs"
    pretrained: PretrainedModel
    own_model: keras.Model
    language_model_weight: float = 0.0
    callbacks: collections.abc.Sequence[keras.callbacks.Callback] = ()


def fine_tune(
    learner: Learner,
    examples: TrainingExamples,
    recipe: Recipe,
    validation: Validation | None = None,
    callbacks: collections.abc.Sequence[keras.callbacks.Callback] = (),
    verbose: str | int = "auto",
) -> keras.callbacks.History:
    """Train a model with the hyperparameters of a recipe.

    Args:
        learner: the model with its losses.
        examples: training examples.
        recipe: the hyperparameters.
        validation: evaluation after each epoch. The weights of the epoch with
            the best main metric are restored at the end.
        callbacks: callbacks of `keras.Model.fit`.
        verbose: argument of `keras.Model.fit`.

    Raises:
        ValueError: the recipe does not match the model or the data.
    """
    if recipe.patience is not None and validation is None:
        raise ValueError(
            "`patience` needs `validation_data` to compare the epochs. "
            f"Received: patience={recipe.patience}, validation_data=None."
        )
    _reset_layers(learner.pretrained, recipe)
    batches = TrainingBatches(
        examples,
        recipe.batch_size,
        recipe.epochs,
        recipe.seed,
        recipe.steps_per_epoch,
    )
    with (
        _frozen_layers(learner.pretrained.backbone, recipe),
        _recomputed_blocks(learner.pretrained.backbone, recipe),
        _hidden_warnings(),
    ):
        num_steps = batches.steps * recipe.epochs
        model, logged = _compiled(learner, examples, recipe, num_steps)
        callbacks = keras.tree.flatten(callbacks or [])
        if validation is not None:
            logged += validation.names
        check_callbacks(callbacks, [*logged, "learning_rate"])
        if model is not learner.own_model:
            learner.own_model.compile(model.optimizer)
            callbacks = [TaskCallbackList(callbacks, learner.own_model)]
        callbacks = [*learner.callbacks, *callbacks]
        stopping = None
        if validation is not None:
            stopping = keras.callbacks.EarlyStopping(
                validation.main_metric,
                patience=recipe.patience or recipe.epochs,
                mode="max",
                restore_best_weights=True,
            )
            callbacks = [validation, stopping, *callbacks]
        with backup_of(model, stopping, batches, recipe) as backup:
            first_epoch = 0 if backup is None else backup.first_epoch
            history = model.fit(
                batches.data(first_epoch),
                initial_epoch=first_epoch,
                epochs=recipe.epochs,
                steps_per_epoch=batches.steps,
                shuffle=False,
                callbacks=callbacks if backup is None else [*callbacks, backup],
                verbose=verbose,
            )
            if backup is not None:
                backup.complete(history)
    warn_if_unchanged(history.history["loss"])
    return history


@contextlib.contextmanager
def _hidden_warnings() -> collections.abc.Iterator[None]:
    """Hide warnings about retracing and about layers without gradients.

    Each call of `fit` traces its own training step once, and TensorFlow counts
    the steps of all models together. Global projections and XLNet's query
    embedding may be unused.
    """

    def is_shown(record: logging.LogRecord) -> bool:
        return "triggered tf.function retracing" not in record.getMessage()

    unused = "Gradients do not exist.*/(global_|query_embedding)"
    logger = logging.getLogger("tensorflow")
    logger.addFilter(is_shown)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", unused)
            yield
    finally:
        logger.removeFilter(is_shown)


def _compiled(
    learner: Learner, examples: TrainingExamples, recipe: Recipe, num_steps: int
) -> tuple[keras.Model, list[str]]:
    """Compile the model to train.

    Returns:
        The model, and the names of its losses and metrics.
    """
    model, outputs = learner.model, learner.outputs
    if not model.trainable_variables:
        raise ValueError(
            "All layers are frozen, so there is nothing to train. Set "
            "`trainable = True` on the layers to train."
        )
    _seed_dropout(model, recipe.seed)
    (name,) = {*model.output} - {LANGUAGE_MODEL}
    losses = {name: outputs.loss(recipe.label_smoothing)}
    loss_weights = {name: 1.0}
    if DISTILLED in examples.extra_targets:
        model = with_distilled_output(model)
        losses[DISTILLED] = outputs.soft_loss(recipe.temperature)
        loss_weights[name] = recipe.label_share
        loss_weights[DISTILLED] = 1 - recipe.label_share
    if LANGUAGE_MODEL in model.output:
        losses[LANGUAGE_MODEL] = PrecomputedLoss()
        loss_weights[LANGUAGE_MODEL] = learner.language_model_weight
    metrics = outputs.training_metrics()
    logged = [metric.name for metric in metrics]
    if len(losses) > 1:
        logged = [f"{name}_{metric}" for metric in logged]
        logged += [f"{output}_loss" for output in losses]
    if recipe.parallel_parts > 1:
        model = in_parallel_parts(model, recipe.parallel_parts)
    model.compile(
        optimizer=_optimizer(learner, recipe, num_steps),
        loss=losses,
        loss_weights=loss_weights,
        weighted_metrics={name: metrics},
        # XLA would compile the step for each width of the batches.
        jit_compile="auto" if keras.backend.backend() == "jax" else False,
    )
    return model, ["loss", *logged]


@contextlib.contextmanager
def _frozen_layers(
    backbone: Backbone, recipe: Recipe
) -> collections.abc.Iterator[None]:
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


@contextlib.contextmanager
def _recomputed_blocks(
    backbone: Backbone, recipe: Recipe
) -> collections.abc.Iterator[None]:
    """Context manager in which blocks save memory if the recipe says so."""
    for block in backbone.blocks:
        block.recomputes = recipe.recompute
    try:
        yield
    finally:
        for block in backbone.blocks:
            block.recomputes = False


def _reset_layers(pretrained: PretrainedModel, recipe: Recipe) -> None:
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


def _num_layers(backbone: Backbone, name: str, recipe: Recipe) -> int:
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


def _seed_dropout(model: keras.Model, seed: int) -> None:
    """Set the seeds of all random layers, such as dropout."""
    states = [v for v in model.variables if v.name == "seed_generator_state"]
    seeds = np.random.SeedSequence(seed).generate_state(len(states))
    for state, own_seed in zip(states, seeds, strict=True):
        # The states of PyTorch are int32.
        state.assign(np.array([own_seed, 0], np.uint32).astype(state.dtype))


@contextlib.contextmanager
def _seeded_initializers(seed: int) -> collections.abc.Iterator[None]:
    """Seed Keras initializers, which take their seeds from `random`."""
    before = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(before)


def _check_whole(
    blocks: list[keras.layers.Layer], border: int, name: str, recipe: Recipe
) -> None:
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


def _optimizer(learner: Learner, recipe: Recipe, num_steps: int) -> AdamW:
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


def _layers_above(pretrained: PretrainedModel, variable: keras.Variable) -> int:
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
