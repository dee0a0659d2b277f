"""A whole fine-tuning for single texts or pairs, and the files it leaves."""

import dataclasses
import importlib.util
import json
import pathlib

import numpy as np
from absl import logging

from keras_bert.data.labelled.splits import label_names
from keras_bert.tasks.fine_tuning.curve_callback import CurveCallback
from keras_bert.tasks.fine_tuning.search import summary
from keras_bert.tasks.fine_tuning.search import try_recipes
from keras_bert.tasks.scores.glue_submission import write_glue_submission
from keras_bert.tasks.scores.label_pictures import draw_calibration
from keras_bert.tasks.scores.label_pictures import draw_confusion
from keras_bert.tasks.scores.metrics import glue_scores
from keras_bert.tasks.scores.metrics import spearman
from keras_bert.tasks.scores.reports import classifier_report
from keras_bert.tasks.scores.reports import regressor_report
from keras_bert.tasks.text_classifier import TextClassifier
from keras_bert.tasks.text_regressor import TextRegressor


@dataclasses.dataclass(frozen=True)
class ClassificationRun:
    """Fine-tunes on the splits of a data set and reports on them.

    Args:
        splits: `Splits`.
        init_dir: str, the checkpoint to begin with.
        is_regression: bool, whether labels are numbers to predict.
        arguments: dict, of `from_pretrained`: lengths and casing.

    Raises:
        ValueError: a label is no number, though `is_regression`.
        ModuleNotFoundError: the scores need a package that is not there.
    """

    splits: object
    init_dir: str
    is_regression: bool
    arguments: dict

    def __post_init__(self):
        """What would be at fault after the training is so before it."""
        for table in [*self.splits.dev.values(), *self.splits.test.values()]:
            if "label" in table.columns:
                self._examples(table)
        if self.splits.glue:
            labels = list(self.splits.glue.label_names) or [0.0, 1.0]
            glue_scores(self.splits.glue.name, labels, labels)
        elif self.is_regression:
            spearman([0.0, 1.0], [0.0, 1.0])

    def train(self, recipes, directory):
        """Fine-tunes by each recipe, the curves going to a directory.

        Args:
            recipes: list of `Recipe`.
            directory: `pathlib.Path`, existing.

        Returns:
            The best task and a dict for JSON, as of `summary`.
        """

        def callbacks(number):
            place = directory
            if len(recipes) > 1:
                place = directory / f"run-{number + 1}"
                place.mkdir()
            return [CurveCallback(place)]

        dev = next(iter(self.splits.dev.values()))
        task, trials = try_recipes(
            self._task(),
            recipes,
            self._examples(self.splits.train),
            self._examples(dev),
            callbacks,
        )
        return task, summary(trials, task.main_metric)

    def write(self, task, about, directory):
        """Writes the model, its scores and its answers.

        Args:
            task: the task that `train` gave.
            about: dict for JSON, what else to write into eval.json.
            directory: `pathlib.Path`, existing.

        Returns:
            A dict by split of the scores.
        """
        task.save(directory / "model")
        reports = {}
        for split, table in {**self.splits.dev, **self.splits.test}.items():
            if "label" in table.columns:
                reports[split], mistakes = self._report(task, table)
                _write_lines(directory / f"errors-{split}.jsonl", mistakes)
                _draw(reports[split], task, split, directory)
        _write_json(directory / "eval.json", {"splits": reports, **about})
        for split, table in self.splits.test.items():
            self._write_answers(task, split, table, directory)
        return {split: report["scores"] for split, report in reports.items()}

    def _task(self):
        """A function that makes a fresh task."""
        if self.is_regression:
            return lambda: TextRegressor.from_pretrained(
                self.init_dir, **self.arguments
            )
        labels = label_names(self.splits)

        def make():
            classifier = TextClassifier.from_pretrained(
                self.init_dir, labels=labels, **self.arguments
            )
            if self.splits.glue:  # By its last metric tasks are compared.
                classifier.main_metric = self.splits.glue.metrics[-1]
            return classifier

        return make

    def _examples(self, table):
        labels = table.columns["label"]
        if not self.is_regression:
            return table.texts(), labels
        return table.texts(), [
            _number(label, table.where(index))
            for index, label in enumerate(labels)
        ]

    def _report(self, task, table):
        report = regressor_report if self.is_regression else classifier_report
        values, mistakes = report(
            task, *self._examples(table), self.splits.glue
        )
        # Rows by their lines, where people find them.
        return values, [
            {"place": table.where(mistake.pop("row")), **mistake}
            for mistake in mistakes
        ]

    def _write_answers(self, task, split, table, directory):
        answers = task.predict(table.texts())
        _write_lines(
            directory / f"predictions-{split}.jsonl",
            [
                {"line": number, "prediction": answer}
                for number, answer in zip(table.numbers, answers)
            ],
        )
        glue = self.splits.glue
        if glue and split in glue.submissions:
            if not self.is_regression:
                answers = [answer["label"] for answer in answers]
            write_glue_submission(glue.name, split, answers, directory)


def _number(label, where):
    try:
        return float(label)
    except ValueError:
        raise ValueError(
            f"{where}, must have a number as its label, for --regression. "
            f"Received: {label!r}."
        ) from None


def _draw(report, task, split, directory):
    if "confusion_matrix" not in report:
        return
    if importlib.util.find_spec("matplotlib") is None:
        logging.warning("No pictures are drawn: pip install matplotlib.")
        return
    draw_confusion(
        np.array(report["confusion_matrix"]),
        task.labels,
        directory / f"confusion-{split}.png",
    )
    draw_calibration(
        report["calibration"]["bins"], directory / f"calibration-{split}.png"
    )


def _write_json(path, values):
    text = json.dumps(values, indent=2, ensure_ascii=False)
    pathlib.Path(path).write_text(text + "\n", encoding="utf-8")


def _write_lines(path, rows):
    text = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows)
    pathlib.Path(path).write_text(text, encoding="utf-8")
