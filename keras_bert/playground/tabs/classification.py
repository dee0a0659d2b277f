"""Labels of a text, and the pieces that speak for them."""

import dataclasses

from keras_bert.playground.markup import bar
from keras_bert.playground.markup import element
from keras_bert.playground.markup import joined
from keras_bert.playground.markup import note
from keras_bert.playground.markup import table
from keras_bert.playground.pieces import cut
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.playground.tab import fine_tuned_to
from keras_bert.playground.valid_input import valid_pair
from keras_bert.playground.valid_input import valid_text
from keras_bert.tasks.occlusion import occlusion
from keras_bert.tasks.text_classifier import TextClassifier
from keras_bert.tasks.text_regressor import TextRegressor

# The same in every text, so that pale means little.
_FULL_COLOR = 2


@dataclasses.dataclass(frozen=True)
class Labelled:
    """A text with its label, or its score.

    Args:
        probabilities: dict of float by label; empty for a regression.
        predicted: list of str, the labels that the text gets.
        score: float for a regression, or None.
        chosen: str, the label that the shares are for; "score" for a
            regression.
        tokens: list of str.
        shares: list of float, what each piece adds to the logit.
        note: str.
    """

    probabilities: dict
    predicted: list
    score: float | None
    chosen: str
    tokens: list
    shares: list
    note: str


def label_text(model, text, pair=""):
    """Label a text or a pair, and hide each piece in turn; a `Labelled`."""
    task = model.task
    text, pair = valid_text(text), valid_pair(pair)
    if task.is_pair and pair is None:
        raise ValueError("This model labels pairs. Write a second text.")
    if task.is_pair is False and pair is not None:
        raise ValueError("This model labels single texts, not pairs.")
    texts = [text] if pair is None else [(text, pair)]
    shares = occlusion(task, text, pair)
    pieces = cut(model, task.preprocess, text, pair)
    if isinstance(task, TextRegressor):
        answer = {}, [], task.predict(texts)[0], "score"
        place = 0
    else:
        asked = task.encode(texts)
        logits = task.logits(asked)
        row = task.probabilities_of(logits)[0]
        place = int(row.argmax())
        probabilities = dict(zip(task.labels, row.tolist(), strict=True))
        labels = _labels(task.decode(asked, logits)[0])
        answer = probabilities, labels, None, task.labels[place]
    return Labelled(
        *answer,
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
            f"pieces add is shown for the first {len(pieces)}."
        )
    return pieces.note


def label_picture(labelled):
    """A `Labelled` as `Html`."""
    if labelled.score is not None:
        answer = element("p", element("b", f"{labelled.score:.3f}"))
    else:
        predicted = labelled.predicted
        ranked = sorted(labelled.probabilities.items(), key=lambda x: -x[1])
        answer = table(
            ["Label", "Probability", ""],
            [
                [label, bar(x), "given" if label in predicted else ""]
                for label, x in ranked
            ],
        )
    what = "logit" if labelled.probabilities else "score"
    return joined(
        [
            note(labelled.note),
            answer,
            element("h3", f"What each piece adds to {labelled.chosen}"),
            _pieces(labelled),
            note(
                "Blue speaks for it, orange against it. The number is how far "
                f"the {what} falls when the piece is hidden; full colour is "
                f"{_FULL_COLOR} or more."
            ),
        ]
    )


def _pieces(labelled):
    chips = []
    for token, share in zip(labelled.tokens, labelled.shares, strict=True):
        color = "59,130,246" if share >= 0 else "234,88,12"
        shade = 0.8 * min(abs(share) / _FULL_COLOR, 1)
        style = f"background:rgba({color},{shade:.2f})"
        number = element("small", f"{round(share, 2) + 0.0:+.2f}")
        piece = element("span", token, class_="piece", style=style)
        chips.append(element("span", piece, number, class_="share"))
    return element("div", *chips, class_="text")


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
    lacking=fine_tuned_to("label texts", TextClassifier | TextRegressor),
)
