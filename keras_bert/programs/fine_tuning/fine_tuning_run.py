"""A whole fine-tuning, and the files that it leaves."""

import functools
import json

import keras

from keras_bert import artifacts
from keras_bert.programs.fine_tuning.search import remove_trials
from keras_bert.programs.fine_tuning.search import run_trials
from keras_bert.programs.fine_tuning.search import summary
from keras_bert.programs.fine_tuning.search import try_recipe
from keras_bert.tasks.loading import load_task
from keras_bert.training.curve import Curve

_STEPS_BETWEEN = 25

_MOST_MISTAKES = 200


class FineTuningRun:
    """Fine-tunes by one recipe or several and reports on the best model.

    A subclass knows the task, by the methods below that raise.

    Args:
        splits: `Splits`, of what the subclass learns from; without `train`
            the model has learned already.
        arguments: dict, of the task's `from_pretrained`.
    """

    def __init__(self, splits, arguments):
        self.splits = splits
        self.arguments = arguments

    def perform(self, recipes, directory, teacher_dir=None, num_layers=None):
        """Trains, answers and writes it all.

        Args:
            recipes: list of `Recipe`.
            directory: `pathlib.Path`, as `run_trials` takes it.
            teacher_dir: str, a fine-tuned model to learn from, or None.
            num_layers: int, the layers to begin with; None for all.

        Returns:
            A dict by split of the scores.
        """
        if self.splits.train is None:
            task, about = self.make(), {}
            self.finish(task)
        else:
            teacher = teacher_dir and load_task(teacher_dir)
            learn = functools.partial(
                self._learn, teacher=teacher, num_layers=num_layers
            )
            trials, model = run_trials(learn, recipes, directory)
            task, about = self.read(model), {"search": summary(trials)}
            self.finish(task)
            task.save(directory / "model")
        reports = {}
        for split, data in {**self.splits.dev, **self.splits.test}.items():
            report, mistakes = self.answer(task, split, data, directory)
            if report is not None:
                reports[split] = report
                path = directory / f"errors-{split}.jsonl"
                write_json_lines(path, mistakes[:_MOST_MISTAKES])
        values = {"splits": reports, **about}
        path = directory / "eval.json"
        artifacts.write_json(path, values, ensure_ascii=False)
        if self.splits.train is not None:
            remove_trials(directory, len(recipes))
        return {split: report["scores"] for split, report in reports.items()}

    def _learn(self, recipe, directory, teacher, num_layers):
        """Trains a task by a recipe; returns it and its `Trial`."""

        def make():
            task = self.make()
            return task if num_layers is None else task.smaller(num_layers)

        return try_recipe(
            make,
            recipe,
            self.labelled(self.splits.train),
            self.labelled(next(iter(self.splits.dev.values()))),
            [CurveCallback(directory)],
            teacher,
        )

    def read(self, directory):
        """Reads back what was saved of a trained `FineTunedTask`."""
        return load_task(directory)

    def make(self):
        """Gives a fresh `FineTunedTask`."""
        raise NotImplementedError

    def finish(self, task):
        """Changes the best model before it is saved; by default it does not."""

    def labelled(self, data):
        """Makes a tuple for `FineTunedTask.evaluate` of some data."""
        raise NotImplementedError

    def answer(self, task, split, data, directory):
        """Answers a split and, if it is to be answered, writes that.

        Args:
            task: `FineTunedTask`, trained.
            split: str.
            data: of the splits.
            directory: `pathlib.Path`, existing.

        Returns:
            A dict for JSON, a report with `scores`, or None without
            labels; and a list of dicts for JSON, the mistakes.
        """
        raise NotImplementedError


def write_json_lines(path, rows):
    """Writes dicts for JSON, one a line."""
    text = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows)
    artifacts.write_whole(path, text)


class CurveCallback(keras.callbacks.Callback):
    """Writes the loss of steps and the metrics of epochs to a directory.

    The loss is the mean since the epoch began, as Keras shows it. An earlier
    curve in the directory is dropped.
    """

    def __init__(self, directory):
        super().__init__()
        self._curve = Curve(directory, -1)
        self._step = 0

    def on_train_batch_end(self, batch, logs=None):
        self._step += 1
        is_last = batch + 1 == self.params["steps"]
        if is_last or self._step % _STEPS_BETWEEN == 0:
            self._curve.add(self._step, "train", {"loss": float(logs["loss"])})

    def on_epoch_end(self, epoch, logs=None):
        metrics = {
            name.removeprefix("val_"): float(value)
            for name, value in logs.items()
            if name.startswith("val_")
        }
        if metrics:
            self._curve.add(self._step, "eval", metrics)
