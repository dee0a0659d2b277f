"""Scores of predicted tags, entity by entity or word by word."""

import itertools

from keras_bert.data.labelled.entities import OUTSIDE
from keras_bert.data.labelled.tag_schemes import IOB2
from keras_bert.data.labelled.tag_schemes import check_scheme
from keras_bert.tasks.scores import metrics_extra
from keras_bert.tasks.tags.sentences import check_lengths

# What seqeval reports beside the types.
_AVERAGES = ("micro avg", "macro avg", "weighted avg")


def entity_scores(tags, predictions):
    """Computes precision, recall and F1 of entities with seqeval.

    An entity is right if its type and all its words are. The mode of seqeval
    is "strict", the scheme IOB2: a predicted I- that continues no entity of
    its type is no entity. In the score of CoNLL-2003 it is one, which
    `to_iob2` of the predictions gives here.

    Args:
        tags: list with a list of str for each sentence, in IOB2.
        predictions: the same, predicted.

    Returns:
        A dict of `precision`, `recall` and `f1`, over the entities of all
        types together, `num_entities`, how many there are in `tags`, and
        `types`, a dict with the same four for each type. What would be
        divided by 0 is 0.0.

    Raises:
        ValueError: the tags are no IOB2, or not as many as the predictions;
            the index of the sentence is named.
        ModuleNotFoundError: seqeval is not installed.
    """
    check_lengths("predictions", predictions, tags)
    check_scheme(tags, IOB2)
    _check_prefixes(predictions)
    rows = itertools.chain(tags, predictions)
    if not any(tag.startswith("B-") for row in rows for tag in row):
        # seqeval has no report where there is no entity.
        return {**_figures(0.0, 0.0, 0.0, 0), "types": {}}
    with metrics_extra():
        import seqeval.metrics
        import seqeval.scheme
    report = seqeval.metrics.classification_report(
        [[*row] for row in tags],
        [[*row] for row in predictions],
        mode="strict",
        scheme=seqeval.scheme.IOB2,
        zero_division=0,
        output_dict=True,
    )
    figures = {name: _figures(*row.values()) for name, row in report.items()}
    types = {n: row for n, row in figures.items() if n not in _AVERAGES}
    return {**figures["micro avg"], "types": types}


def tag_accuracy(tags, predictions):
    """Computes the share of words whose tag is right.

    Args:
        tags, predictions: lists with a list of str for each sentence.

    Returns:
        A dict of `accuracy`.

    Raises:
        ValueError: there is no word, or the two differ in length; the index
            of the sentence is named.
    """
    check_lengths("predictions", predictions, tags)
    flat = itertools.chain.from_iterable
    right = [a == b for a, b in zip(flat(tags), flat(predictions), strict=True)]
    if not right:
        raise ValueError("`tags` must hold a word. Received: none.")
    return {"accuracy": sum(right) / len(right)}


def _check_prefixes(predictions):
    for index, row in enumerate(predictions):
        for tag in row:
            if tag != OUTSIDE and not (tag[:2] in ("B-", "I-") and tag[2:]):
                raise ValueError(
                    "`predictions` must be O, B-TYPE or I-TYPE. "
                    f"Received: {tag!r} at index {index}."
                )


def _figures(precision, recall, f1, num_entities):
    return {
        "precision": float(precision),
        "recall": float(recall),
        "f1": float(f1),
        "num_entities": int(num_entities),
    }
