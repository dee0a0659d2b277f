"""A whole fine-tuning for the words of sentences, and the files it leaves."""

import numpy as np

from keras_bert.data.labelled.conll import conll_text
from keras_bert.programs.fine_tuning.fine_tuning_run import FineTuningRun
from keras_bert.programs.reports.calibration import calibration
from keras_bert.tasks.scores import confusion_matrix
from keras_bert.tasks.scores import label_scores
from keras_bert.tasks.scores import label_table
from keras_bert.tasks.tags.entity_scores import entity_scores
from keras_bert.tasks.tags.sentences import in_iob2
from keras_bert.tasks.tags.sentences import tag_places
from keras_bert.tasks.token_classifier import TokenClassifier

PREDICTIONS = "predictions.conll"


class TaggingRun(FineTuningRun):
    """Learns to tag words; `PREDICTIONS` are those of the last split.

    Args:
        splits: `Splits` of `TaggedSentences`.
        arguments: dict, of `from_pretrained`.

    Raises:
        ValueError: the tags follow no scheme.
    """

    def __init__(self, splits, arguments):
        super().__init__(splits, arguments)
        self._labels = TokenClassifier.labels_of(*splits.all())

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


def tagging_report(tagger, sentences, probabilities):
    """Lists the scores and the mistakes of a tagger.

    Args:
        tagger: `TokenClassifier`.
        sentences: `TaggedSentences`.
        probabilities: list of arrays, those of their words.

    Returns:
        A dict for JSON: `scores`, `labels` (a `label_table` of the types of
        entities or of plain tags), of plain tags `confusion_matrix`, and
        `calibration`, over all words; and a list of dicts, the sentences with
        wrong tags, those with the most confident one first.
    """
    tags = sentences.tags
    if not tagger.is_plain:
        tags = in_iob2(tags, sentences.where)
    places = tag_places(tags, tagger.labels, sentences.where)
    flat = np.concatenate(probabilities)
    best, right = flat.argmax(1), np.concatenate(places)
    if tagger.is_plain:
        report = _of_words(best, right, tagger.labels)
    else:
        report = _of_entities(tags, tagger.tags_of(probabilities))
    report["calibration"] = calibration(flat.max(1), best == right)
    mistakes = [
        _mistake(tagger.labels, sentences, index, *row)
        for index, row in enumerate(zip(places, probabilities, strict=True))
        if (row[0] != row[1].argmax(1)).any()
    ]
    return report, sorted(mistakes, key=lambda x: -x["probability"])


def _of_words(best, right, names):
    matrix = confusion_matrix(right, best, len(names))
    return {
        "scores": label_scores(matrix),
        "labels": label_table(matrix, names),
        "confusion_matrix": matrix.tolist(),
    }


def _of_entities(tags, predictions):
    found = entity_scores(tags, predictions)
    names = ("precision", "recall", "f1")
    return {
        "scores": {name: found[name] for name in names},
        "labels": [
            {
                "label": label,
                **{name: row[name] for name in names},
                "support": row["num_entities"],
            }
            for label, row in sorted(found["types"].items())
        ],
    }


def _mistake(names, sentences, index, places, probabilities):
    """Lists a sentence's wrong tags, the most confident first."""
    best, sure = probabilities.argmax(1), probabilities.max(1)
    wrong = np.flatnonzero(best != places)
    order = wrong[np.argsort(-sure[wrong], kind="stable")].tolist()
    words = sentences.words[index]
    return {
        "place": sentences.where(index, order[0]),
        "probability": float(sure[order[0]]),
        "wrong": [
            {
                "word": words[word],
                "label": names[places[word]],
                "prediction": names[best[word]],
                "probability": float(sure[word]),
            }
            for word in order
        ],
        "text": " ".join(words),
    }
