"""What label a text gets, and which pieces speak for it."""

import dataclasses

from keras_bert.playground.given import given_pair
from keras_bert.playground.given import given_text
from keras_bert.playground.pictures.classification import label_picture
from keras_bert.playground.pieces import cut
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.tasks.occlusion import occlusion
from keras_bert.tasks.text_classifier import TextClassifier
from keras_bert.tasks.text_regressor import TextRegressor


@dataclasses.dataclass(frozen=True)
class Labelled:
    """A text with its label, or its score.

    Args:
        probabilities: dict of float by label; empty of a regression.
        given: list of str, the labels that the text gets.
        score: float of a regression, or None.
        chosen: str, the label that the shares are for; "score" of a
            regression.
        tokens: list of str.
        shares: list of float, what each piece adds to the logit.
        note: str.
    """

    probabilities: dict
    given: list
    score: float | None
    chosen: str
    tokens: list
    shares: list
    note: str


def label_text(model, text, pair=""):
    """Labels a text or a pair, and hides each piece in turn.

    Args:
        model: `ShownModel` of a `TextClassifier` or `TextRegressor`.
        text: str.
        pair: str; "" where the model takes single texts.

    Returns:
        `Labelled`

    Raises:
        ValueError: a text is empty or too long, or a second one is missing
            or too many.
    """
    task = model.task
    text, pair = given_text(text), given_pair(pair)
    if task.is_pair and pair is None:
        raise ValueError("This model labels pairs. Write a second text.")
    if task.is_pair is False and pair is not None:
        raise ValueError("This model labels single texts, not pairs.")
    given = [text] if pair is None else [(text, pair)]
    shares = occlusion(task, text, pair)
    pieces = cut(model, task.preprocess, text, pair)
    if isinstance(task, TextRegressor):
        told = {}, [], task.predict(given)[0], "score"
        place = 0
    else:
        asked = task.asked(given)
        logits = task.logits(asked)
        row = task.probabilities_of(logits)[0]
        place = int(row.argmax())
        probabilities = dict(zip(task.labels, row.tolist()))
        labels = _labels(task.predictions(asked, logits)[0])
        told = probabilities, labels, None, task.labels[place]
    return Labelled(
        *told,
        pieces.tokens,
        shares[:, place].tolist(),
        _note(task, pieces),
    )


def _labels(answer):
    """The labels of an answer, which is one label or a list of some."""
    several = answer if isinstance(answer, list) else [answer]
    return [one["label"] for one in several]


def _note(task, pieces):
    if pieces.note and task.settings["windows"]:
        return (
            "The answer is that of the whole text, read in windows; what "
            f"pieces add is told of the first {len(pieces)}."
        )
    return pieces.note


def _lacking(model):
    if isinstance(model.task, TextClassifier | TextRegressor):
        return ""
    return "a model that was fine-tuned to label texts"


def _fields(model):
    fields = [TextField("text", "Text", "A delight from beginning to end.")]
    if model.task.is_pair is not False:
        fields.append(TextField("pair", "Second text", "I enjoyed all of it."))
    return fields


TAB = Tab(
    name="classification",
    title="Classification",
    about="The answer of the fine-tuned model, and how much of it falls away "
    "when a piece is hidden behind a mask.",
    fields=_fields,
    answer=label_text,
    picture=label_picture,
    lacking=_lacking,
)
