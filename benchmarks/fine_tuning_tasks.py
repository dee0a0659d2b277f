"""Data sets of `fine_tune.py`, their recipes and their scores."""

import collections
import dataclasses
import json
import pathlib
from collections.abc import Callable

import numpy as np

import keras_bert
from keras_bert.tasks.answers.squad_scores import squad_scores
from keras_bert.tasks.labelled.entities import OUTSIDE
from keras_bert.tasks.scores import confusion_matrix
from keras_bert.tasks.scores import label_scores
from keras_bert.tasks.tags.entity_scores import entity_scores

# The share of one answer, so large that nothing else was learned.
_COLLAPSED = 0.95


@dataclasses.dataclass(frozen=True)
class FineTuning:
    """What is learned from, and how.

    Args:
        kind: str, what a model is given: "texts", "words", "choices",
            "questions", or "features", texts whose encoder is frozen.
        read: function of a directory, that of its files, that gives a dict
            from "train", "dev" and "test", or some, to pairs of lists: the
            inputs and their labels, both fit for JSON.
        epochs: int.
        learning_rate: float.
        seq_length: int, longer inputs are cut, or cut into windows.
    """

    kind: str
    read: Callable
    epochs: int
    learning_rate: float = 5e-5
    seq_length: int = 128


def _sst2(directory):
    """Sentences; the labels are "0" and "1"."""
    return {
        split: _texts(directory / f"{split}.tsv", {"text": 0}, 1)
        for split in ("train", "dev", "test")
    }


def _mrpc(directory):
    """Pairs of sentences. The original corpus has no development split."""
    columns = {"text": "#1 String", "text_pair": "#2 String"}
    return {
        split: _texts(
            directory / f"msr_paraphrase_{split}.txt", columns, "Quality"
        )
        for split in ("train", "test")
    }


def _texts(path, columns, label):
    table = keras_bert.tasks.read_table(path, columns, {"label": label})
    return table.texts(), table.columns["label"]


def _wnut17(directory):
    """Lists of words; the labels are lists of tags."""
    files = {
        "train": "wnut17train.conll",
        "dev": "emerging.dev.conll",
        "test": "emerging.test.annotated",
    }
    sentences = {
        split: keras_bert.tasks.read_conll(directory / name)
        for split, name in files.items()
    }
    return {split: (x.words, x.tags) for split, x in sentences.items()}


def _codah(directory):
    """Pairs of a text and its endings; the labels are places of endings."""
    splits = {}
    for split in ("train", "dev"):
        questions = keras_bert.tasks.read_codah(
            directory / f"fold_0.{split}.tsv"
        )
        splits[split] = (
            [(question.context, question.choices) for question in questions],
            [question.label for question in questions],
        )
    return splits


def _squad_v2(directory):
    """Pairs of a question and its context; the labels are lists of answers.

    An answer is a pair of a text and its place. What is learned from is a
    half of the published development file; the other half is "dev".
    """
    train = keras_bert.tasks.read_squad(directory / "train_half/dev-v2.0.json")
    dev = keras_bert.tasks.read_squad(directory / "dev-v2.0.rebuilt.json")
    known = {question.context for question in train}
    dev = [question for question in dev if question.context not in known]
    return {"train": _questions(train), "dev": _questions(dev)}


def _questions(questions):
    pairs = [(question.question, question.context) for question in questions]
    return pairs, [question.answers for question in questions]


def _squad(directory):
    """As `_squad_v2`, of the questions that have an answer."""
    splits = {}
    for split, (pairs, answers) in _squad_v2(directory).items():
        is_kept = [bool(several) for several in answers]
        splits[split] = tuple(
            [value for value, kept in zip(column, is_kept, strict=True) if kept]
            for column in (pairs, answers)
        )
    return splits


_FEATURES_RATE = 1e-3
_SQUAD = {"epochs": 3, "learning_rate": 1e-4, "seq_length": 320}

TASKS = {
    "sst2": FineTuning("texts", _sst2, epochs=3),
    "mrpc": FineTuning("texts", _mrpc, epochs=5),
    "sst2_features": FineTuning("features", _sst2, 3, _FEATURES_RATE),
    "mrpc_features": FineTuning("features", _mrpc, 5, _FEATURES_RATE),
    "wnut17": FineTuning("words", _wnut17, epochs=5),
    "codah": FineTuning("choices", _codah, epochs=3),
    "squad": FineTuning("questions", _squad, **_SQUAD),
    "squad_v2": FineTuning("questions", _squad_v2, **_SQUAD),
}


def read_splits(name, data_dir, max_examples=None):
    """Reads a data set.

    Args:
        name: str, one of `TASKS`.
        data_dir: str; the files are in the folder that the name begins with,
            "squad" for "squad_v2".
        max_examples: int, how many of each split are kept; None for all.

    Returns:
        A dict as of `FineTuning.read`.
    """
    folder = name.partition("_")[0]
    splits = TASKS[name].read(pathlib.Path(data_dir, folder))
    return {
        split: tuple(column[:max_examples] for column in columns)
        for split, columns in splits.items()
    }


def label_names(kind, splits):
    """The names of the outputs, a list of str; of places there are none.

    Args:
        kind: str, as of `FineTuning`.
        splits: dict, as of `read_splits`.
    """
    labels = [labels for _, labels in splits.values()]
    if kind in ("texts", "features"):
        return sorted({label for column in labels for label in column})
    if kind == "words":
        return keras_bert.TokenClassifier.labels_of(*map(list, labels))
    return []


def write_task(directory, task, splits):
    """Writes what the programs read that fine-tune and predict once.

    Args:
        directory: str, existing. It gets recipe.json, what `task` says and
            `labels`, the names as of `label_names`; and splits.json.
        task: `FineTuning`.
        splits: dict, as of `read_splits`.
    """
    recipe = dataclasses.asdict(task)
    del recipe["read"]
    recipe["labels"] = label_names(task.kind, splits)
    for name, values in (("recipe", recipe), ("splits", splits)):
        path = pathlib.Path(directory, f"{name}.json")
        path.write_text(json.dumps(values))


def scores(kind, inputs, labels, predictions):
    """The scores of a split.

    Args:
        kind: str, as of `FineTuning`.
        inputs: list, what was predicted from.
        labels: list, what is right.
        predictions: list: of labels, of lists of tags, of places of choices,
            or of texts.

    Returns:
        A dict of floats, and of `has_collapsed`, bool: whether the answers
        are almost all the same, though they should differ.
    """
    compute = {
        "texts": _label_scores,
        "features": _label_scores,
        "words": _tag_scores,
        "choices": _choice_scores,
        "questions": _answer_scores,
    }[kind]
    return {
        **compute(inputs, labels, predictions),
        "has_collapsed": _has_collapsed(kind, labels, predictions),
    }


def squad_object(pairs, answers):
    """Questions as the object that a file of SQuAD holds.

    Args:
        pairs: list of pairs of str, a question and its context.
        answers: list with a list for each of pairs of a text and its place;
            it is empty where there is no answer.

    Returns:
        A dict; the ids are the indices.
    """
    paragraphs = [
        {
            "context": context,
            "qas": [
                {
                    "id": str(index),
                    "question": question,
                    "answers": [
                        {"text": text, "answer_start": start}
                        for text, start in several
                    ],
                    "is_impossible": not several,
                }
            ],
        }
        for index, ((question, context), several) in enumerate(
            zip(pairs, answers, strict=True)
        )
    ]
    return {"data": [{"paragraphs": paragraphs}]}


def _label_scores(inputs, labels, predictions):
    names = sorted({*labels})
    matrix = confusion_matrix(
        [names.index(label) for label in labels],
        [names.index(label) for label in predictions],
        len(names),
    )
    found = label_scores(matrix)
    return {name: found[name] for name in ("accuracy", "f1")}


def _tag_scores(inputs, labels, predictions):
    found = entity_scores(labels, predictions)
    return {name: found[name] for name in ("precision", "recall", "f1")}


def _choice_scores(inputs, labels, predictions):
    return {"accuracy": float(np.mean(np.equal(labels, predictions)))}


def _answer_scores(inputs, labels, predictions):
    answers = {str(index): text for index, text in enumerate(predictions)}
    return squad_scores(squad_object(inputs, labels), answers)


def _has_collapsed(kind, labels, predictions):
    if kind == "words":
        # Most words are no entity, and are rightly said to be none.
        pairs = [
            (tag, found)
            for row, tags in zip(labels, predictions, strict=True)
            for tag, found in zip(row, tags, strict=True)
            if tag != OUTSIDE
        ]
        labels, predictions = zip(*pairs, strict=True)
    elif kind == "questions":
        labels = [tuple(several[0]) if several else "" for several in labels]
    return (
        _largest_share(predictions) >= _COLLAPSED
        and _largest_share(labels) < _COLLAPSED
    )


def _largest_share(values):
    """The share of the commonest of some values."""
    ((_, count),) = collections.Counter(values).most_common(1)
    return count / len(values)
