"""Pre-training run with logging, evaluation, saved states and resume."""

import math
import pathlib

import tensorflow as tf
from absl import logging

from keras_bert.checkpoints.training_state import restore_state
from keras_bert.checkpoints.training_state import save_state
from keras_bert.optimizers.curve import Curve
from keras_bert.pretraining.job.log_interval import LogInterval
from keras_bert.pretraining.job.strategies import is_chief
from keras_bert.pretraining.job.strategies import mean_over_workers
from keras_bert.pretraining.job.termination import TerminationRequest

_STATES = "states"
_MAX_SKIPPED = 100


def run_pretraining(
    loop, batches, eval_data, batch_size, output_dir, options, begin=None
):
    """Train a pre-training model, or resume a killed run.

    A resumed run ends with the same weights as an uninterrupted one, if the
    device is deterministic. SIGTERM and Ctrl-C save the state and exit with
    codes 143 and 130; a second Ctrl-C exits immediately. Metrics are written
    to `metrics.jsonl` and to an event file for TensorBoard, training states to
    `states/`, all in `output_dir`.

    A batch with NaN or infinite gradients does not count as a step and is
    replaced by the next batch.

    Args:
        loop: `PretrainingLoop`; its model is trained in place.
        batches: callable that takes the number of batches seen so far and
            returns an endless `tf.data.Dataset` of the following global
            batches.
        eval_data: held-out batches, or None.
        batch_size: int, number of examples in a global batch.
        output_dir: str, an existing directory.
        options: `RunOptions`.
        begin: callable without arguments that is called in the chief process
            after the state is checked and before anything else is written.

    Returns:
        A dict of floats with the metrics of the last evaluation; empty without
        `eval_data`.

    Raises:
        FloatingPointError: a gradient is not finite.
        ValueError: a saved state belongs to a different model.
        tf.errors.OpError: a record is invalid.
        OSError: for example, the disk is full; the last state is kept.
    """
    run = _Run(loop, batch_size, output_dir, options, begin)
    with TerminationRequest() as termination:
        if run.is_new:
            run.evaluate(eval_data)
        iterator = iter(run.distributed(batches(run.num_batches)))
        while run.step < options.num_train_steps:
            run.train(iterator)
            last = run.step == options.num_train_steps
            if last or _is_multiple(run.step, options.eval_steps):
                run.evaluate(eval_data)
            stops = not last and run.any_worker(termination.is_made)
            is_due = _is_multiple(run.step, options.save_checkpoints_steps)
            if last or stops or is_due:
                run.save()
            if stops:
                logging.warning(
                    f"Stopped at step {run.step}. The state is saved; run the "
                    "same command to resume."
                )
                raise SystemExit(termination.exit_code)
    return run.evaluated or run.evaluate(eval_data)


class _Run:
    """Run in progress, with training, logging, evaluation and saving."""

    def __init__(self, loop, batch_size, output_dir, options, begin):
        self._loop = loop
        self._batch_size = batch_size
        self._options = options
        self._states = pathlib.Path(output_dir, _STATES)
        self._is_chief = is_chief(loop.strategy)
        self._skipped = 0  # Number of batches skipped in a row.
        self.step = self.num_batches = 0
        self.evaluated = {}
        self._interval = LogInterval(self.step)
        state = restore_state(self._states, loop.variables)
        self.is_new = state is None
        if self.is_new:
            logging.info("Tracing the first training step.")
        else:
            logging.info("Resuming after step %d.", state["step"])
            self.step, self.evaluated = state["step"], state["evaluated"]
            self.num_batches, self._skipped = state["batches"], state["skipped"]
            self._interval = LogInterval(**state["stretch"])
        mean = mean_over_workers(loop.strategy, self.step)
        if not math.isclose(mean, self.step, rel_tol=1e-6):
            raise ValueError(
                "All workers must resume from the same step: `output_dir` "
                "must be a directory that all workers share. Received: step "
                f"{self.step} in this worker, {mean:g} on average."
            )
        if self._is_chief:
            if begin is not None:
                begin()
            self._curve = Curve(output_dir, -1 if self.is_new else self.step)

    def any_worker(self, is_so):
        """Return True if `is_so` is True in any worker."""
        return mean_over_workers(self._loop.strategy, float(is_so)) > 0

    def distributed(self, dataset):
        """Return the dataset, distributed over the devices."""
        options = tf.data.Options()
        options.experimental_distribute.auto_shard_policy = (
            tf.data.experimental.AutoShardPolicy.DATA
        )
        return self._loop.strategy.experimental_distribute_dataset(
            dataset.with_options(options)
        )

    def train(self, iterator):
        """Run steps until logging, evaluation or saving is due."""
        options = self._options
        intervals = (
            options.log_steps,
            options.eval_steps,
            options.save_checkpoints_steps,
            options.steps_per_execution,
        )
        due = [self.step + n - self.step % n for n in intervals if n]
        end = min(options.num_train_steps, *due)
        while self.step < end:  # Repeats if a batch was skipped.
            num_batches = tf.constant(end - self.step, tf.int32)
            self.num_batches += end - self.step
            sums = self._loop.train(iterator, num_batches)
            sums = {name: float(value) for name, value in sums.items()}
            self.step += int(sums["steps"])
            self._interval.add(sums)
            self._check_finite(sums)
        if (
            _is_multiple(end, options.log_steps)
            or end == options.num_train_steps
        ):
            self._log()

    def _check_finite(self, sums):
        """Raise or warn if gradients were not finite."""
        skipped = int(sums["skipped_steps"])
        self._skipped = skipped if sums["steps"] else self._skipped + skipped
        if not skipped:
            return
        allowed = self._options.on_nan == "skip" or self._loop.scales_loss
        message = (
            f"A gradient is not finite after step {self.step}, at learning "
            f"rate {self._learning_rate():.3g}"
        )
        is_hopeless = not sums["steps"] and self._skipped >= _MAX_SKIPPED
        if not allowed or is_hopeless:
            raise FloatingPointError(
                f"{message} (steps in a row: {self._skipped}). The last saved "
                "state is valid. Lower the learning rate, lengthen the "
                "warmup or pass on_nan='skip'. Records: "
                f"{self._options.sources or 'unnamed'}."
            )
        logging.warning("%s; its batch is skipped.", message)

    def _learning_rate(self):
        return float(self._loop.optimizer.learning_rate)

    def _log(self):
        options = self._options
        metrics = self._interval.metrics(self.step, self._batch_size)
        metrics["learning_rate"] = self._learning_rate()
        left = options.num_train_steps - self.step
        if self._is_chief:
            self._curve.add(self.step, "train", metrics)
            text = ", ".join(f"{k} {v:.4g}" for k, v in metrics.items())
            seconds = self._interval.seconds_for(self.step, left)
            logging.info(
                f"Step {self.step} of {options.num_train_steps}: {text}; "
                f"{seconds:.0f} s left."
            )
        self._interval = LogInterval(self.step)

    def evaluate(self, dataset):
        """Return the metrics of the evaluation batches, or {}."""
        if dataset is None:
            return {}
        with self._interval.paused():
            self.evaluated = self._loop.evaluate(self.distributed(dataset))
            if self._is_chief:
                self._curve.add(self.step, "eval", self.evaluated)
        return self.evaluated

    def save(self):
        """Write a state to resume from."""
        if not self._is_chief:
            return
        state = {
            "weights": self._loop.trainable.weight_names,
            "batches": self.num_batches,
            "skipped": self._skipped,
            "evaluated": self.evaluated,
            "stretch": self._interval.state(),
        }
        keep = self._options.keep_checkpoint_max
        with self._interval.paused():
            self._states.mkdir(exist_ok=True)
            variables = self._loop.variables
            save_state(self._states, self.step, variables, state, keep)


def _is_multiple(step, interval):
    return bool(interval) and step % interval == 0
