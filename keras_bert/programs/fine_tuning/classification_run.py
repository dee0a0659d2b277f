"""A whole fine-tuning for single texts or pairs, and the files it leaves."""

from keras_bert.programs.fine_tuning.fine_tuning_run import FineTuningRun
from keras_bert.programs.fine_tuning.fine_tuning_run import write_json_lines
from keras_bert.programs.reports.reports import classifier_report
from keras_bert.programs.reports.reports import regressor_report
from keras_bert.programs.reports.reports import several_labels_report
from keras_bert.programs.splits.splits import label_names
from keras_bert.tasks.text_classifier import TextClassifier
from keras_bert.tasks.text_regressor import TextRegressor


class ClassificationRun(FineTuningRun):
    """Learns to label texts, or to give them numbers.

    Args:
        splits: `Splits`.
        arguments: dict, of `from_pretrained`.
        is_regression: bool, whether labels are numbers to predict.

    Raises:
        ValueError: a label is no number, though `is_regression`, or none of
            those to learn from.
    """

    def __init__(self, splits, arguments, is_regression=False):
        super().__init__(splits, arguments)
        self._is_regression = is_regression
        self._check()

    def _check(self):
        """Raises before the training what would be raised after it."""
        for table in self.splits.all():
            if "label" in table.columns:
                self.labelled(table)
        if not self._is_regression:
            label_names(self.splits)

    def make(self):
        if self._is_regression:
            return TextRegressor.from_pretrained(**self.arguments)
        classifier = TextClassifier.from_pretrained(
            labels=label_names(self.splits),
            multi_label=self.splits.is_multi_label,
            **self.arguments,
        )
        if self.splits.is_multi_label:
            classifier.main_metric = "micro_f1"
        if self.splits.glue:  # By its last metric tasks are compared.
            classifier.main_metric = self.splits.glue.metrics[-1]
        return classifier

    def labelled(self, data):
        labels = data.columns["label"]
        if self._is_regression:
            labels = [
                _number(label, data.where(index))
                for index, label in enumerate(labels)
            ]
        return data.texts(), labels

    def answer(self, task, split, data, directory):
        if split in self.splits.test:
            self._write_answers(task, split, data, directory)
        if "label" not in data.columns:
            return None, []
        report, mistakes = self._report(task, *self.labelled(data))
        # Rows by their lines, where people find them.
        return report, [
            {"place": data.where(mistake.pop("row")), **mistake}
            for mistake in mistakes
        ]

    def _report(self, task, texts, labels):
        if self.splits.is_multi_label:
            return several_labels_report(task, texts, labels)
        report = regressor_report if self._is_regression else classifier_report
        return report(task, texts, labels, self.splits.glue)

    def _write_answers(self, task, split, table, directory):
        answers = task.predict(table.texts())
        write_json_lines(
            directory / f"predictions-{split}.jsonl",
            [
                {"line": number, "prediction": answer}
                for number, answer in zip(table.numbers, answers, strict=True)
            ],
        )


def _number(label, where):
    try:
        return float(label)
    except ValueError:
        raise ValueError(
            f"{where}, must have a number as its label, for --regression. "
            f"Received: {label!r}."
        ) from None
