"""Two models on the same input."""

import dataclasses

from keras_bert.playground.default_texts import SENTENCE
from keras_bert.playground.given import given_pair
from keras_bert.playground.given import given_text
from keras_bert.playground.pictures.comparison import comparison_picture
from keras_bert.playground.shown_model import shown_model
from keras_bert.playground.tab import ChoiceField
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.playground.tabs import attention
from keras_bert.playground.tabs import classification
from keras_bert.playground.tabs import filling
from keras_bert.playground.tabs import input_representation
from keras_bert.playground.tabs import tagging

# Those that one text is enough for; the first ones also take a second.
_OF_PAIRS = (input_representation.TAB, attention.TAB, classification.TAB)
_TABS = {tab.title: tab for tab in (*_OF_PAIRS, filling.TAB, tagging.TAB)}


@dataclasses.dataclass(frozen=True)
class Side:
    """What one of two models makes of a text.

    Args:
        title: str, which model it is.
        tab: `Tab`, what it was asked.
        answer: what that gives; None if there is no answer.
        refusal: str, why there is none, or "".
    """

    title: str
    tab: Tab
    answer: object
    refusal: str


def compare(model, directory, what, text, pair=""):
    """Asks two models the same.

    In a text with masks, each model sees the mask of its own vocabulary.

    Args:
        model: `ShownModel`.
        directory: str, that of another model on this machine.
        what: str, the title of a tab.
        text: str.
        pair: str, "" for none.

    Returns:
        A list of two `Side`.

    Raises:
        ValueError: a text is empty or too long, there is no such model, or a
            second text where only one is taken.
    """
    if what not in _TABS:
        raise ValueError(f"What to compare must be one of {', '.join(_TABS)}.")
    tab, given = _TABS[what], {"text": given_text(text)}
    if (pair := given_pair(pair)) is not None:
        if tab not in _OF_PAIRS:
            raise ValueError(
                f"{what} takes one text. Leave the second one empty."
            )
        given["pair"] = pair
    other = shown_model(given_text(directory, "The other directory"))
    theirs = {**given}
    if tab is filling.TAB:
        theirs["text"] = given["text"].replace(_mask(model), _mask(other))
    return [_side(model, tab, given), _side(other, tab, theirs)]


def _mask(model):
    return model.vocabulary.roles["mask"]


def _side(model, tab, given):
    title = f"{model.directory}: {model.described()}"
    lacking = tab.lacking(model)
    if lacking:
        return Side(title, tab, None, f"{tab.title} needs {lacking}.")
    try:
        return Side(title, tab, tab.answer(model, **given), "")
    except ValueError as error:
        return Side(title, tab, None, f"{error}")


def _fields(model):
    able = tuple(x for x, tab in _TABS.items() if not tab.lacking(model))
    return [
        TextField("directory", "Another directory", model.directory, 1),
        ChoiceField("what", "What to compare", able[0], able),
        TextField("text", "Text", SENTENCE),
        TextField("pair", "Second text, if any", ""),
    ]


def _lacking(model):
    is_able = any(not tab.lacking(model) for tab in _TABS.values())
    return "" if is_able else "something to compare"


TAB = Tab(
    name="compare",
    title="Compare",
    about="The model of this page and another one, side by side on the same "
    "text.",
    fields=_fields,
    answer=compare,
    picture=comparison_picture,
    lacking=_lacking,
)
