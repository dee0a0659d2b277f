"""Fine-tuning for text classification and regression."""

from keras_bert.cli.fine_tuning.fine_tuning_run import FineTuningRun
from keras_bert.cli.fine_tuning.fine_tuning_run import write_json_lines
from keras_bert.cli.fine_tuning.reports import classifier_report
from keras_bert.cli.fine_tuning.reports import regressor_report
from keras_bert.cli.fine_tuning.reports import several_labels_report
from keras_bert.cli.splits.splits import label_names
from keras_bert.tasks.text_classifier import TextClassifier
from keras_bert.tasks.text_regressor import TextRegressor


class ClassificationRun(FineTuningRun):
    """Fine-tuning run for text classification or regression.

    Args:
        splits: `Splits` of `Table`.
        arguments: dict of arguments of `from_pretrained`.
        is_regression: bool, whether labels are numbers.

    Raises:
        ValueError: a label is not a number and `is_regression` is True, or a
            label does not occur in the train split.
    """

    def __init__(self, splits, arguments, is_regression=False):
        super().__init__(splits, arguments)
        self._is_regression = is_regression
        for table in splits.all():
            if "label" in table.columns:
                self.labelled(table)
        self._labels = None if is_regression else label_names(splits)

    def make(self):
        if self._is_regression:
            return TextRegressor.from_pretrained(**self.arguments)
        classifier = TextClassifier.from_pretrained(
            labels=self._labels,
            multi_label=self.splits.is_multi_label,
            **self.arguments,
        )
        if self.splits.is_multi_label:
            classifier.main_metric = "micro_f1"
        if self.splits.glue:  # The last metric is the main one.
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
            answers = zip(data.numbers, task.predict(data.texts()), strict=True)
            write_json_lines(
                directory / f"predictions-{split}.jsonl",
                [{"line": line, "prediction": x} for line, x in answers],
            )
        if "label" not in data.columns:
            return None, []
        report = classifier_report
        if self.splits.is_multi_label:
            report = several_labels_report
        elif self._is_regression:
            report = regressor_report
        locations = [data.where(index) for index in range(len(data))]
        return report(task, locations, *self.labelled(data), self.splits.glue)


def _number(label, where):
    try:
        return float(label)
    except ValueError:
        raise ValueError(
            f"{where}, must have a numeric label with --regression. Received: "
            f"{label!r}."
        ) from None
