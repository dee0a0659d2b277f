"""Base class for fine-tuning runs and their output files."""

import json

import keras

from keras_bert.cli.fine_tuning import search
from keras_bert.files.atomic import write_json
from keras_bert.files.atomic import write_whole
from keras_bert.optimizers.curve import Curve
from keras_bert.tasks.loading import load_task

_STEPS_BETWEEN_LOSSES = 25
_MAX_MISTAKES = 200


class FineTuningRun:
    """Base class for fine-tuning runs with one or several recipes.

    The best model is evaluated and saved. A subclass sets `task_class` or
    defines `make`, and defines `answer`.

    Args:
        splits: `Splits`. If `train` is None, the model is only evaluated.
        arguments: dict of arguments of the task's `from_pretrained`.
    """

    task_class = None

    def __init__(self, splits, arguments):
        self.splits = splits
        self.arguments = arguments

    def perform(self, recipes, directory, teacher_dir=None, num_layers=None):
        """Train, evaluate and write the output files.

        Args:
            recipes: list of `Recipe`.
            directory: `pathlib.Path`, as in `run_trials`.
            teacher_dir: str, directory of a fine-tuned teacher, or None.
            num_layers: int, number of layers of the student; None for all.

        Returns:
            A dict mapping the splits to their scores.
        """
        values = {"splits": {}}
        if self.splits.train is None:
            task = self.make()
            self.finish(task)
        else:
            teacher = teacher_dir and load_task(teacher_dir)
            trials, model = search.run_trials(
                lambda *trial: self._learn(*trial, teacher, num_layers),
                recipes,
                directory,
            )
            values["search"] = search.summary(trials)
            task = self.read(model)
            self.finish(task)
            task.save(directory / "model")
        for split, data in {**self.splits.dev, **self.splits.test}.items():
            report, mistakes = self.answer(task, split, data, directory)
            if report is not None:
                values["splits"][split] = report
                path = directory / f"errors-{split}.jsonl"
                write_json_lines(path, mistakes[:_MAX_MISTAKES])
        path = directory / "eval.json"
        write_json(path, values, ensure_ascii=False)
        if self.splits.train is not None:
            search.remove_trials(directory, len(recipes))
        return {x: report["scores"] for x, report in values["splits"].items()}

    def _learn(self, recipe, directory, teacher, num_layers):
        """Train a task with a recipe and return it with its `Trial`."""
        keras.utils.set_random_seed(recipe.seed)
        task = self.make()
        if num_layers is not None:
            task = task.smaller(num_layers)
        dev = self.labelled(next(iter(self.splits.dev.values())))
        task.fit(
            *self.labelled(self.splits.train),
            validation_data=dev,
            callbacks=[CurveCallback(directory)],
            teacher=teacher,
            **vars(recipe),
        )
        examples = task._labelled(*dev)
        scores = task.outputs.metrics(examples, task._logits(examples))
        collapse = task._collapse(examples)
        return task, search.Trial(recipe, task.main_metric, scores, collapse)

    def read(self, directory):
        """Load the trained task."""
        return load_task(directory)

    def make(self):
        """Create an untrained `FineTunedTask`."""
        return self.task_class.from_pretrained(**self.arguments)

    def finish(self, task):
        """Modify the best model before it is saved. By default, do nothing."""

    def labelled(self, data):
        """Convert a data split to the arguments of `evaluate`."""
        return (data,)

    def is_last(self, data):
        """Return True for the last split, whose predictions are written."""
        return data is self.splits.all()[-1]

    def answer(self, task, split, data, directory):
        """Predict a split, evaluate it and write its predictions if needed.

        Args:
            task: `FineTunedTask`, trained.
            split: str, name of the split.
            data: the data of the split.
            directory: `pathlib.Path` of an existing directory.

        Returns:
            A tuple `(report, mistakes)`: a JSON-serializable dict with
            `scores`, or None without labels; and a list of JSON-serializable
            dicts with the mistakes.
        """
        raise NotImplementedError


def write_json_lines(path, rows):
    """Write dicts as JSON lines."""
    text = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows)
    write_whole(path, text)


class CurveCallback(keras.callbacks.Callback):
    """Callback that writes training losses and validation metrics to a file.

    The loss is the mean since the start of the epoch, as in Keras. An earlier
    curve in the directory is overwritten.
    """

    def __init__(self, directory):
        super().__init__()
        self._curve = Curve(directory, -1)
        self._step = 0

    def on_train_batch_end(self, batch, logs=None):
        self._step += 1
        is_last = batch + 1 == self.params["steps"]
        if is_last or self._step % _STEPS_BETWEEN_LOSSES == 0:
            self._curve.add(self._step, "train", {"loss": float(logs["loss"])})

    def on_epoch_end(self, epoch, logs=None):
        metrics = {
            name.removeprefix("val_"): float(value)
            for name, value in logs.items()
            if name.startswith("val_")
        }
        if metrics:
            self._curve.add(self._step, "eval", metrics)
