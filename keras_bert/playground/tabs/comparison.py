"""Two models on the same input."""

import dataclasses
import pathlib

from keras_bert.locations import TINY_MODEL
from keras_bert.playground.default_texts import SENTENCE
from keras_bert.playground.markup import element
from keras_bert.playground.shown_model import shown_model
from keras_bert.playground.tab import ChoiceField
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.playground.tabs import attention
from keras_bert.playground.tabs import classification
from keras_bert.playground.tabs import filling
from keras_bert.playground.tabs import input_representation
from keras_bert.playground.tabs import tagging
from keras_bert.playground.valid_input import valid_pair
from keras_bert.playground.valid_input import valid_text

# Those that one text is enough for; the first ones also take a second.
_OF_PAIRS = (input_representation.TAB, attention.TAB, classification.TAB)
_TABS = {tab.title: tab for tab in (*_OF_PAIRS, filling.TAB, tagging.TAB)}


@dataclasses.dataclass(frozen=True)
class Side:
    """The answer of one of two models.

    Args:
        title: str, the model in a line.
        tab: `Tab` that answers.
        answer: as returned by `Tab.answer`; None if there is none.
        refusal: str, why there is none, or "".
    """

    title: str
    tab: Tab
    answer: object
    refusal: str


def compare(model, directory, what, text, pair=""):
    """Ask two models the same; a list of two `Side`.

    In a text with masks, each model sees the mask of its own vocabulary.
    """
    if what not in _TABS:
        raise ValueError(f"What to compare must be one of {', '.join(_TABS)}.")
    tab, inputs = _TABS[what], {"text": valid_text(text)}
    if (pair := valid_pair(pair)) is not None:
        if tab not in _OF_PAIRS:
            raise ValueError(
                f"{what} takes one text. Leave the second one empty."
            )
        inputs["pair"] = pair
    if not f"{directory}".strip():
        raise ValueError(
            "Name the directory of another model, such as demo-output/bert, "
            "which `make demo` makes."
        )
    other = shown_model(valid_text(directory, "The other directory"))
    theirs = {**inputs}
    if tab is filling.TAB:
        theirs["text"] = inputs["text"].replace(_mask(model), _mask(other))
    return [_side(model, tab, inputs), _side(other, tab, theirs)]


def _mask(model):
    return model.vocabulary.roles["mask"]


def _side(model, tab, inputs):
    title = f"{model.name}: {model.described()}"
    lacking = tab.lacking(model)
    if lacking:
        return Side(title, tab, None, f"{tab.title} needs {lacking}.")
    try:
        return Side(title, tab, tab.answer(model, **inputs), "")
    except ValueError as error:
        return Side(title, tab, None, f"{error}")


def comparison_picture(sides):
    """A list of `Side` as `Html`."""
    return element("div", *map(_drawn, sides), class_="sides")


def _drawn(side):
    refusal = element("p", side.refusal, class_="refusal")
    shown = refusal if side.refusal else side.tab.picture(side.answer)
    return element("section", element("h3", side.title), shown)


def _fields(model):
    able = tuple(x for x, tab in _TABS.items() if not tab.lacking(model))
    return [
        TextField("directory", "Another directory", _another(model)),
        ChoiceField("what", "What to compare", able[0], able),
        TextField("text", "Text", SENTENCE),
        TextField("pair", "Second text, if any", ""),
    ]


def _another(model):
    """A directory at first: the tiny model, or else the demo's."""
    for path in (TINY_MODEL, pathlib.Path("demo-output/bert")):
        if path.is_dir() and not path.samefile(model.directory):
            return str(path)
    return ""


def _lacking(model):
    is_able = any(not tab.lacking(model) for tab in _TABS.values())
    return "" if is_able else "something to compare"


TAB = Tab(
    name="compare",
    title="Compare",
    about="The model of this page and another one, named by its directory, "
    "side by side on the same text.",
    fields=_fields,
    answer=compare,
    picture=comparison_picture,
    lacking=_lacking,
)
