"""Two models on the same input."""

import dataclasses
import pathlib

from keras_bert.locations import TINY_MODEL
from keras_bert.playground.default_texts import SENTENCE
from keras_bert.playground.markup import element
from keras_bert.playground.markup import sides
from keras_bert.playground.shown_model import shown_model
from keras_bert.playground.tab import ChoiceField
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.playground.tabs import attention
from keras_bert.playground.tabs import input_representation
from keras_bert.playground.tabs import tasks

_TABS = {
    tab.title: tab
    for tab in (input_representation.TAB, attention.TAB, tasks.TAB)
}


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


def compare(model, directory, what, text, pair):
    """Ask two models the same; a list of two `Side`.

    In a text with masks, each model sees the mask of its own vocabulary.
    """
    if not directory:
        raise ValueError(
            "Name the directory of another model, such as demo-output/bert, "
            "which `make demo` makes."
        )
    other = shown_model(directory)
    masks = [x.vocabulary.roles.get("mask") for x in (model, other)]
    theirs = text.replace(*masks) if all(masks) else text
    return [
        _side(model, _TABS[what], text, pair),
        _side(other, _TABS[what], theirs, pair),
    ]


def _side(model, tab, text, pair):
    title = f"{model.name}: {model.described()}"
    given = {"text": text, "pair": pair} if pair else {"text": text}
    try:
        if lacking := tab.lacking(model):
            raise ValueError(f"{tab.title} needs {lacking}.")
        if missing := given.keys() - _names(tab, model):
            raise ValueError(
                f"{tab.title} of this model has no {' and '.join(missing)}."
            )
        return Side(title, tab, tab.ask(model, **given), "")
    except ValueError as error:
        return Side(title, tab, None, f"{error}")


def _names(tab, model):
    return {field.name for field in tab.fields(model)}


def comparison_picture(compared):
    """A list of `Side` as `Html`."""
    return sides([element("h3", x.title), _drawn(x)] for x in compared)


def _drawn(side):
    if side.refusal:
        return element("p", side.refusal, class_="refusal")
    return side.tab.picture(side.answer)


def _able(model):
    """Return the titles of the tabs that one text is enough for."""
    return tuple(
        title
        for title, tab in _TABS.items()
        if not tab.lacking(model) and "text" in _names(tab, model)
    )


def _fields(model):
    able = _able(model)
    return [
        TextField(
            "directory", "Another directory", _another(model), is_optional=True
        ),
        ChoiceField("what", "What to compare", able[0], able),
        TextField("text", "Text", SENTENCE),
        TextField("pair", "Second text, if any", "", is_optional=True),
    ]


def _another(model):
    """A directory at first: the tiny model, or else the demo's."""
    for path in (TINY_MODEL, pathlib.Path("demo-output/bert")):
        if path.is_dir() and not path.samefile(model.directory):
            return str(path)
    return ""


TAB = Tab(
    name="compare",
    title="Compare",
    about="The model of this page and another one, named by its directory, "
    "side by side on the same text.",
    fields=_fields,
    answer=compare,
    picture=comparison_picture,
    lacking=lambda model: "" if _able(model) else "something to compare",
)
