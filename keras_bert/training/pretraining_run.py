"""A whole run: batches in, a checkpoint's weights and a curve out."""

import dataclasses
import json
import math
import pathlib

import keras
import tensorflow as tf

from keras_bert.training.loop import PretrainingLoop
from keras_bert.training.optimizers import bert_adamw
from keras_bert.training.schedules import LinearWarmupDecay
from keras_bert.training.summaries import ScalarWriter

_LOG_STEPS = 25


@dataclasses.dataclass(frozen=True)
class PretrainingRecipe:
    """How a model is trained, in google-research/bert's words.

    Args:
        learning_rate: float, its peak.
        num_train_steps: int, optimizer steps.
        num_warmup_steps: int, steps of linear warm-up.

    Raises:
        ValueError: no step is to be taken, the warm-up takes all of them or
            the rate is not above 0.
    """

    learning_rate: float = 1e-4
    num_train_steps: int = 100_000
    num_warmup_steps: int = 10_000

    def schedule(self):
        """The learning rate over the steps."""
        return LinearWarmupDecay(
            self.learning_rate, self.num_train_steps, self.num_warmup_steps
        )

    def __post_init__(self):
        if not 0 < self.learning_rate < float("inf"):
            raise ValueError(
                "`learning_rate` must be above 0. "
                f"Received: learning_rate={self.learning_rate}."
            )
        self.schedule()  # Checks the steps, before any work.


def run_pretraining(model, recipe, train_data, eval_data, output_dir):
    """Trains a pre-trainer and evaluates it before and after.

    The curve goes to `metrics.jsonl`, a JSON object a line, and to an event
    file for TensorBoard, both in `output_dir`.

    Args:
        model: a model of `bert_pretrainer`; it is trained in place.
        recipe: a `PretrainingRecipe`.
        train_data: `tf.data.Dataset` of `pretraining_dataset`, repeated here.
        eval_data: held-out batches of the same kind, or None.
        output_dir: str, an existing directory.

    Returns:
        The last evaluation, a dict of floats; empty without `eval_data`.

    Raises:
        FloatingPointError: the loss is no longer finite.
    """
    schedule = recipe.schedule()
    loop = PretrainingLoop(model, bert_adamw(model, schedule))
    curve = _Curve(output_dir)
    _evaluate(loop, eval_data, 0, curve)
    _train(loop, train_data, schedule, curve)
    return _evaluate(loop, eval_data, recipe.num_train_steps, curve)


def _train(loop, dataset, schedule, curve):
    num_train_steps = schedule.num_train_steps
    progress = keras.utils.Progbar(num_train_steps)
    batches = iter(dataset.repeat())
    for step in range(1, num_train_steps + 1):
        loss = loop.train_step(*_next(batches, step))
        if step % _LOG_STEPS and step != num_train_steps:
            continue
        metrics = {"loss": float(loss), **loop.collect_metrics()}
        _check_finite(loss, step, schedule)
        progress.stateful_metrics.update(metrics)
        progress.update(step, list(metrics.items()))
        curve.add(step, "train", metrics)


def _next(batches, step):
    try:
        return next(batches)
    except tf.errors.OpError as error:
        raise ValueError(
            f"A record of step {step} cannot be used: "
            f"{error.message.strip().splitlines()[0]}"
        ) from None


def _check_finite(loss, step, schedule):
    if not math.isfinite(loss):
        raise FloatingPointError(
            f"The loss became {float(loss)} by step {step}, at learning rate "
            f"{float(schedule(step - 1)):.3g}. Lower the learning rate "
            "or lengthen the warm-up."
        )


def _evaluate(loop, dataset, step, curve):
    if dataset is None:
        return {}
    metrics = loop.evaluate(dataset)
    curve.add(step, "eval", metrics)
    return metrics


class _Curve:
    """The measured points of a run, for programs and for TensorBoard."""

    def __init__(self, directory):
        self._path = pathlib.Path(directory, "metrics.jsonl")
        self._path.write_text("", encoding="utf-8")
        self._writer = ScalarWriter(directory)

    def add(self, step, split, metrics):
        line = json.dumps({"step": step, "split": split, **metrics})
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(line + "\n")
        self._writer.write(
            step, {f"{split}/{name}": value for name, value in metrics.items()}
        )
