"""Datasets, recipes and scores of `fine_tune.py`."""

import collections
import dataclasses
import json
import pathlib
from collections.abc import Callable

import keras
import numpy as np
from keras import ops

import keras_bert
from keras_bert import features
from keras_bert.tasks.outputs.entity_scores import entity_scores
from keras_bert.tasks.outputs.scores import confusion_matrix
from keras_bert.tasks.outputs.scores import label_scores
from keras_bert.tasks.outputs.squad_scores import squad_scores
from keras_bert.tasks.readers.entities import OUTSIDE
from keras_bert.tasks.training.forward import Forward

# Share of the most frequent prediction above which a model has collapsed.
_COLLAPSED = 0.95


@dataclasses.dataclass(frozen=True)
class FineTuning:
    """Dataset and recipe of a fine-tuning task.

    Args:
        kind: str, kind of the inputs: "texts", "words", "choices",
            "questions", or "features" (texts for a frozen encoder).
        read: function that takes the directory of the files and returns a dict
            from split names ("train", "dev", "test") to pairs of lists: inputs
            and labels, serializable as JSON.
        epochs: int.
        learning_rate: float, peak learning rate.
        seq_length: int, maximum length in tokens; longer inputs are truncated
            or split into windows.
    """

    kind: str
    read: Callable
    epochs: int
    learning_rate: float = 5e-5
    seq_length: int = 128


def _sst2(directory):
    """Read sentences with labels "0" and "1"."""
    return {
        split: _texts(directory / f"{split}.tsv", {"text": 0}, 1)
        for split in ("train", "dev", "test")
    }


def _mrpc(directory):
    """Read pairs of sentences. The corpus has no development split."""
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
    """Read lists of words with lists of tags as labels."""
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
    """Read pairs of a text and its endings; labels are indices of endings."""
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
    """Read pairs of a question and its context; labels are lists of answers.

    An answer is a pair: its text, and the offset of its first character in the
    context. Half of the published development file is "train", the other half
    "dev".
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
    """Read the answerable questions of `_squad_v2`."""
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
    """Read a dataset.

    Args:
        name: str, one of `TASKS`.
        data_dir: str, directory of the datasets. The folder is the part of
            the name before "_", for example "squad" for "squad_v2".
        max_examples: int, maximum number of examples per split; None for all.

    Returns:
        A dict as returned by `FineTuning.read`.
    """
    folder = name.partition("_")[0]
    splits = TASKS[name].read(pathlib.Path(data_dir, folder))
    return {
        split: tuple(column[:max_examples] for column in columns)
        for split, columns in splits.items()
    }


def label_names(kind, splits):
    """Return the label names, a list of str; empty if labels are indices.

    Args:
        kind: str, `FineTuning.kind`.
        splits: dict, returned by `read_splits`.
    """
    labels = [labels for _, labels in splits.values()]
    if kind in ("texts", "features"):
        return sorted({label for column in labels for label in column})
    if kind == "words":
        return keras_bert.TokenClassifier.labels_of(*map(list, labels))
    return []


def write_task(directory, task, splits):
    """Write the input files of the processes that fine-tune and predict once.

    Args:
        directory: str, existing directory. The files are recipe.json, with the
            fields of `task` and the `labels` of `label_names`, and splits.json.
        task: `FineTuning`.
        splits: dict, returned by `read_splits`.
    """
    recipe = dataclasses.asdict(task)
    del recipe["read"]
    recipe["labels"] = label_names(task.kind, splits)
    for name, values in (("recipe", recipe), ("splits", splits)):
        path = pathlib.Path(directory, f"{name}.json")
        path.write_text(json.dumps(values))


def scores(kind, inputs, labels, predictions):
    """Return the scores of a split.

    Args:
        kind: str, `FineTuning.kind`.
        inputs: list of the inputs.
        labels: list of the correct labels.
        predictions: list of labels, lists of tags, indices of choices, or
            texts.

    Returns:
        A dict of floats, with `has_collapsed` (bool): whether almost all
        predictions are the same although the labels differ.
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
    """Return questions in the structure of a SQuAD file.

    Args:
        pairs: list of (question, context) pairs of str.
        answers: list with a list of (text, character offset) pairs for each
            question; this list is empty if the question has no answer.

    Returns:
        A dict; the id of a question is its index.
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
        # Most words are not part of an entity; ignore them.
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
    """Return the share of the most frequent value."""
    ((_, count),) = collections.Counter(values).most_common(1)
    return count / len(values)


class EndsClassifier(keras_bert.TextClassifier):
    """`TextClassifier` that reads the first and the last token.

    In a left-to-right model only the last token depends on the whole text.

    Args:
        pretrained: `PretrainedModel`.
        labels: list of str.
        has_lstm: bool, whether the head reads the last state of each
            direction of a BiLSTM over all tokens, as in the paper.
        **kwargs: other arguments of `TextClassifier`.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.1
    """

    def __init__(self, pretrained, labels, has_lstm=False, **kwargs):
        super().__init__(pretrained, labels=labels, **kwargs)
        backbone = self.pretrained.backbone
        mask = backbone.inputs[features.INPUT_MASK.name]
        if has_lstm:
            lstm = keras.layers.LSTM(self.pretrained.config.hidden_size)
            both = keras.layers.Bidirectional(lstm)
            ends = both(backbone.states[-1], mask=mask > 0)
        else:
            last = ops.sum(mask, axis=1, keepdims=True) - 1
            places = ops.concatenate([ops.zeros_like(last), last], axis=1)
            states = backbone.last_states(places)  # [B, 2, H]
            ends = keras.layers.Flatten()(states)
        head = keras_bert.layers.TaskHead(len(self.labels), name="ends")
        self.model = keras.Model(backbone.inputs, {"logits": head(ends)})
        self._forward = Forward(self.model)
