"""The entities of a text, such as names."""

import dataclasses

from keras_bert.playground.default_texts import NAMES
from keras_bert.playground.given import given_text
from keras_bert.playground.pictures.spans import entities_picture
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.tasks.token_classifier import TokenClassifier


@dataclasses.dataclass(frozen=True)
class TaggedText:
    """A text with what was found in it.

    Args:
        text: str.
        labels: list of str, all that there can be.
        entities: list of dicts with `text`, `label`, `start` and `end`, as
            of `TokenClassifier`.
    """

    text: str
    labels: list
    entities: list


def tag_text(model, text):
    """Tags a text.

    Args:
        model: `ShownModel` of a `TokenClassifier`.
        text: str.

    Returns:
        `TaggedText`

    Raises:
        ValueError: the text is empty or too long.
    """
    text, task = given_text(text), model.task
    (entities,) = task.predict([text])
    names = [label.partition("-")[2] or label for label in task.labels]
    return TaggedText(text, sorted({*names} - {"O"}), entities)


def _lacking(model):
    if isinstance(model.task, TokenClassifier):
        return ""
    return "a model that was fine-tuned to tag words"


def _fields(model):
    return [TextField("text", "Text", NAMES, 4)]


TAB = Tab(
    name="tagging",
    title="Tagging",
    about="The words that the fine-tuned model has a label for.",
    fields=_fields,
    answer=tag_text,
    picture=entities_picture,
    lacking=_lacking,
)
