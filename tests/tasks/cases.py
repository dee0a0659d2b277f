"""A case of every fine-tuned task: its options, examples and texts."""

import typing

import keras

from keras_bert import tasks
from tests import tiny

LONG = "the dog eats meat and seeds " * 3  # The model takes 12 tokens.
TEXTS = ["the dog", "a cat sees", "meat and fish", LONG, "", "seeds"]
_NUMBERS = [0, 0, 1, 0, 1, 1]
_PAIRS = [(text, "a bird") for text in TEXTS]
_CHOICES = [(text, ["the bird", "eats meat"]) for text in TEXTS]
WORDS = [text.split() for text in TEXTS]
_TAGS = [["B-X" if word in "dog cat" else "O" for word in x] for x in WORDS]
_SQUAD = tiny.squad(
    ("the dog eats meat", {"1": ("eats", "meat")}),
    (f"the cat sees fish. {LONG}", {"2": ("sees", "fish")}),
)
_QUESTIONS = [("eats", text) for text in TEXTS]


class Case(typing.NamedTuple):
    """A task.

    Args:
        kind: name of the class.
        options: arguments of the class.
        examples: arguments of `fit`.
        asked: texts for `predict`.
    """

    kind: str
    options: dict
    examples: tuple
    asked: list = TEXTS


_TAGGED, _LABELLED = (WORDS, _TAGS), (TEXTS, _NUMBERS)
_LABELS, _ENTITIES = {"labels": ["x", "y"]}, {"labels": ["O", "B-X", "I-X"]}
_LSTM = {"lstm_size": 4, "dropout": 0.0}
_SEVERAL = [["x"], ["x", "y"], ["y"], [], ["x"], ["y"]]
CASES = {
    "classifier": Case("TextClassifier", _LABELS, _LABELLED),
    "of_pairs": Case("TextClassifier", _LABELS, (_PAIRS, _NUMBERS), _PAIRS),
    "several": Case(
        "TextClassifier", {**_LABELS, "multi_label": True}, (TEXTS, _SEVERAL)
    ),
    "windows": Case("TextClassifier", {**_LABELS, "windows": "max"}, _LABELLED),
    "regressor": Case("TextRegressor", {}, (TEXTS, [1.5, 2, 3, 4, 5, 6])),
    "ranker": Case("PairRanker", {}, (_PAIRS, _NUMBERS), _PAIRS),
    "tagger": Case("TokenClassifier", _ENTITIES, _TAGGED),
    "chooser": Case("MultipleChoice", {}, (_CHOICES, _NUMBERS), _CHOICES),
    "answerer": Case(
        "QuestionAnswerer", {"doc_stride": 3}, (_SQUAD,), _QUESTIONS
    ),
    "features": Case("FeatureTextClassifier", {**_LABELS, **_LSTM}, _LABELLED),
    "feature_tagger": Case(
        "FeatureTokenClassifier", {**_ENTITIES, **_LSTM}, _TAGGED
    ),
}


def create(name, **config):
    """Create the task of a case with a tiny BERT.

    Args:
        name: str, a key of `CASES`.
        **config: changes to the config of `tiny.make_bert`.
    """
    keras.utils.set_random_seed(1)
    case = CASES[name]
    task = getattr(tasks, case.kind)(tiny.make_bert(**config), **case.options)
    if name == "of_pairs":  # Otherwise training decides it.
        task.settings["is_pair"] = True
    return task
