"""Execution of a pre-training plan."""

import contextlib
import dataclasses
import json
import pathlib
import tempfile

import keras
import tensorflow as tf
from absl import logging

from keras_bert import command_line
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from keras_bert.checkpoints.formats.own import write_description
from keras_bert.files.atomic import move
from keras_bert.optimizers.precision import dtype_policy
from keras_bert.pretraining.job.batches import RunBatches
from keras_bert.pretraining.job.loop import PretrainingLoop
from keras_bert.pretraining.job.model import make_bert
from keras_bert.pretraining.job.model import make_optimizer
from keras_bert.pretraining.job.plan import PretrainingPlan
from keras_bert.pretraining.job.pretraining_run import run_pretraining
from keras_bert.pretraining.job.run_record import write_run
from keras_bert.pretraining.job.strategies import is_chief
from keras_bert.pretraining.job.strategies import make_strategy

_STATES = "states"


def run_plan(plan: PretrainingPlan) -> None:
    """Train or resume a run, and write the checkpoint.

    Args:
        plan: result of `plan_pretraining`.

    Raises:
        ValueError: a record, `init_checkpoint` or the devices do not match the
            recipe.
        MemoryError: the batch or the model is too large for the device.
        FloatingPointError: a gradient is not finite.
    """
    recipe = plan.recipe
    strategy = make_strategy(recipe.strategy)
    _check_batch(recipe, strategy)
    keras.utils.set_random_seed(recipe.random_seed)
    keras.config.set_dtype_policy(dtype_policy(recipe.precision))
    batches = None
    if plan.config is not None:  # Check the records first.
        batches = RunBatches(plan, plan.vocabulary, plan.config.vocab_size)
    with _readable_exhaustion():
        with strategy.scope():
            bert = make_bert(plan)
            trainable = plan.objective.trainable_models(
                bert, recipe, from_pretrained
            )
            if plan.is_packed:
                packed = bert.packed_pretrainer()
                trainable = dataclasses.replace(trainable, model=packed)
            optimizer = make_optimizer(recipe, trainable.model)
        loop = PretrainingLoop(
            trainable,
            optimizer,
            strategy,
            recipe.gradient_accumulation_steps,
            recipe.parallel_parts,
            recipe.jit,
            plan.objective,
        )
        if batches is None:
            vocabulary = bert.tokenizer_settings.vocabulary
            batches = RunBatches(plan, vocabulary, bert.config.vocab_size)
        output_dir = pathlib.Path(recipe.output_dir)
        output_dir.mkdir(parents=True, exist_ok=True)
        with batches.corruption_names_file():
            metrics = run_pretraining(
                loop,
                batches.training,
                batches.evaluation(),
                recipe.train_batch_size,
                output_dir,
                dataclasses.replace(
                    recipe, sources=",".join(recipe.input_file)
                ),
                lambda: _begin(plan, bert, output_dir),
            )
    trainable.finish()
    if is_chief(strategy):
        for folder, model in trainable.kept.items():
            _save(model, output_dir / folder, metrics)


def _check_batch(recipe, strategy):
    replicas, size = strategy.num_replicas_in_sync, recipe.train_batch_size
    pieces = recipe.gradient_accumulation_steps
    if size % (replicas * pieces):
        raise ValueError(
            "`train_batch_size` must be a multiple of the number of devices "
            "times `gradient_accumulation_steps`. Received: train_batch_size="
            f"{size}, {replicas} devices, gradient_accumulation_steps={pieces}."
        )
    logging.info(
        f"{recipe.strategy}: {replicas} device(s) with {size // replicas} "
        f"examples in {pieces} part(s); global batch size {size}, learning "
        f"rate {recipe.learning_rate:g}, {recipe.num_train_steps} steps."
    )


def _begin(plan, bert, output_dir):
    """Write the settings, config and tokenizer of a run.

    An unfinished run can then be exported.
    """
    write_run(output_dir, plan.settings)
    states = output_dir / _STATES
    states.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=states) as staging:
        staging = pathlib.Path(staging)
        write_description(bert, staging)
        for path in staging.iterdir():
            move(path, states / path.name)


def _save(bert, output_dir, metrics):
    card = {
        "Training": f"    {command_line.typed_command()}",
        "Metrics": f"    {json.dumps(metrics)}",
    }
    save_pretrained(bert, output_dir, card=card, overwrite=True)
    text = f" {json.dumps(metrics)}" if metrics else ""
    logging.info("Wrote %s.%s", output_dir, text)


@contextlib.contextmanager
def _readable_exhaustion():
    """Re-raise out-of-memory errors as a short MemoryError with advice."""
    try:
        yield
    except tf.errors.ResourceExhaustedError as error:
        lines = [x for x in str(error.message).splitlines() if "OOM" in x]
        reason = lines[0].strip() if lines else "The device is out of memory."
        raise MemoryError(
            "Lower `train_batch_size` or `eval_batch_size`, raise "
            "`gradient_accumulation_steps` or use a smaller model. "
            f"TensorFlow says: {reason}"
        ) from None
