"""Fine-tuning for token classification."""

import numpy as np

from keras_bert.cli.fine_tuning.fine_tuning_run import FineTuningRun
from keras_bert.cli.fine_tuning.reports import calibration
from keras_bert.cli.fine_tuning.reports import confusion_report
from keras_bert.cli.fine_tuning.reports import worst_rows
from keras_bert.tasks.inputs.sentences import in_iob2
from keras_bert.tasks.inputs.sentences import tag_indices
from keras_bert.tasks.outputs.entity_scores import entity_scores
from keras_bert.tasks.readers.conll import conll_text
from keras_bert.tasks.token_classifier import TokenClassifier


class TaggingRun(FineTuningRun):
    """Fine-tuning run for token classification.

    The predictions for the last split are written to `predictions.conll`.

    Args:
        splits: `Splits` of `TaggedSentences`.
        arguments: dict of arguments of `from_pretrained`.

    Raises:
        ValueError: the tags follow no known scheme.
    """

    task_class = TokenClassifier

    def __init__(self, splits, arguments):
        labels = TokenClassifier.labels_of(*splits.all())
        super().__init__(splits, {"labels": labels, **arguments})

    def answer(self, task, split, data, directory):
        probabilities = task.probabilities(data.words)
        if self.is_last(data):
            tags = task.outputs.tags_of(probabilities)
            text = conll_text(data.words, data.tags, tags)
            path = directory / "predictions.conll"
            path.write_text(text, encoding="utf-8", newline="\n")
        return tagging_report(task.outputs, data, probabilities)


def tagging_report(output, sentences, probabilities):
    """Evaluate a token classifier.

    Args:
        output: `Tags` of the token classifier.
        sentences: `TaggedSentences`.
        probabilities: list of float arrays `(num_words, num_labels)`.

    Returns:
        A tuple `(report, mistakes)`: a JSON-serializable dict with `scores`,
        `labels` (a `label_table` of entity types or plain tags),
        `confusion_matrix` (only for plain tags) and the `calibration` over all
        words; and a list of dicts with the sentences that have wrong tags,
        sorted by decreasing confidence.
    """
    tags, names = sentences.tags, output.labels
    if not output.is_plain:
        tags = in_iob2(tags, sentences.where)
    label_indices = tag_indices(tags, names, sentences.where)
    flat = np.concatenate(probabilities)
    predicted, right = flat.argmax(1), np.concatenate(label_indices)
    if output.is_plain:
        report = confusion_report(right, predicted, names)
    else:
        report = _entity_report(tags, output.tags_of(probabilities))
    report["calibration"] = calibration(flat.max(1), predicted == right)
    mistakes = []
    for index, words in enumerate(sentences.words):
        predicted, confidences = (
            probabilities[index].argmax(1),
            probabilities[index].max(1),
        )
        wrong = worst_rows(
            predicted != label_indices[index],
            confidences,
            index=range(len(words)),
            word=words,
            label=[names[x] for x in label_indices[index]],
            prediction=[names[x] for x in predicted],
            probability=confidences.tolist(),
        )
        if wrong:
            indices = [row.pop("index") for row in wrong]
            mistakes.append(
                {
                    "place": sentences.where(index, indices[0]),
                    "probability": wrong[0]["probability"],
                    "wrong": wrong,
                    "text": " ".join(words),
                }
            )
    return report, sorted(mistakes, key=lambda x: -x["probability"])


def _entity_report(tags, predictions):
    scores = entity_scores(tags, predictions)
    names = ("precision", "recall", "f1")
    return {
        "scores": {name: scores[name] for name in names},
        "labels": [
            {
                "label": label,
                **{name: row[name] for name in names},
                "support": row["num_entities"],
            }
            for label, row in sorted(scores["types"].items())
        ],
    }
