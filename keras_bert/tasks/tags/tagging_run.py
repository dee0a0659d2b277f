"""A whole fine-tuning for the words of sentences, and the files it leaves."""

from keras_bert.data.labelled.conll import conll_text
from keras_bert.data.labelled.tag_schemes import is_plain
from keras_bert.tasks.fine_tuning.fine_tuning_run import FineTuningRun
from keras_bert.tasks.tags.entity_scores import entity_scores
from keras_bert.tasks.tags.tagging_report import tagging_report
from keras_bert.tasks.token_classifier import TokenClassifier

PREDICTIONS = "predictions.conll"


class TaggingRun(FineTuningRun):
    """Learns to tag words; `PREDICTIONS` are those of the last split.

    Args:
        splits: `Splits` of `TaggedSentences`.
        arguments: dict, of `from_pretrained`.

    Raises:
        ValueError: the tags follow no scheme.
        ModuleNotFoundError: the scores need a package that is not there.
    """

    def __init__(self, splits, arguments):
        super().__init__(splits, arguments)
        self._labels = TokenClassifier.labels_of(*splits.all())
        if not is_plain(self._labels):
            entity_scores([["B-X"]], [["B-X"]])

    def make(self):
        return TokenClassifier.from_pretrained(
            labels=self._labels, **self.arguments
        )

    def labelled(self, data):
        return (data,)

    def answer(self, task, split, data, directory):
        probabilities = task.probabilities(data.words)
        if data is self.splits.all()[-1]:
            tags = task.tags_of(probabilities)
            text = conll_text(data.words, data.tags, tags)
            (directory / PREDICTIONS).write_text(text, encoding="utf-8")
        return tagging_report(task, data, probabilities)
