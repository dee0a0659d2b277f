"""Tab that compares two models on the same input."""

import collections
import pathlib

from keras_bert.locations import TINY_MODEL
from keras_bert.playground.default_texts import SENTENCE
from keras_bert.playground.markup import element
from keras_bert.playground.markup import sides
from keras_bert.playground.playground_model import load_playground_model
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


# Result of `tab` for one of the models, or the error message in `refusal`.
Side = collections.namedtuple("Side", "title tab answer refusal")


def compare(model, directory, what, text, pair):
    """Run two models on the same input and return a list of two `Side`s.

    Mask tokens are replaced by the mask token of each model.
    """
    if not directory:
        raise ValueError(
            "Enter the directory of another model, such as demo-output/bert, "
            "which `make demo` creates."
        )
    other = load_playground_model(directory)
    masks = [x.vocabulary.roles.get("mask") for x in (model, other)]
    theirs = text.replace(*masks) if all(masks) else text
    inputs = (model, text), (other, theirs)
    return [_side(which, _TABS[what], words, pair) for which, words in inputs]


def _side(model, tab, text, pair):
    title = f"{model.name}: {model.description()}"
    given = {"text": text, "pair": pair} if pair else {"text": text}
    try:
        if missing_part := tab.missing_part(model):
            raise ValueError(f"{tab.title} requires {missing_part}.")
        if missing := given.keys() - _names(tab, model):
            raise ValueError(
                f"{tab.title} is unavailable: this model has no input "
                f"{' and '.join(missing)}."
            )
        return Side(title, tab, tab.ask(model, **given), "")
    except ValueError as error:
        return Side(title, tab, None, f"{error}")


def _names(tab, model):
    return {field.name for field in tab.fields(model)}


def comparison_picture(compared):
    """Render a list of `Side` as `Html`."""
    return sides(
        [
            element("h3", x.title),
            element("p", x.refusal, class_="refusal")
            if x.refusal
            else x.tab.picture(x.answer),
        ]
        for x in compared
    )


def _able(model):
    """Return the titles of the available tabs that accept a single text."""
    return tuple(
        title
        for title, tab in _TABS.items()
        if not tab.missing_part(model) and "text" in _names(tab, model)
    )


def _fields(model):
    able = _able(model)
    return [
        TextField(
            "directory", "Other model", _default_other(model), is_optional=True
        ),
        ChoiceField("what", "What to compare", able[0], able),
        TextField("text", "Text", SENTENCE),
        TextField("pair", "Second text, if any", "", is_optional=True),
    ]


def _default_other(model):
    """Return the directory of the tiny model or of the demo, or ""."""
    for path in (TINY_MODEL, pathlib.Path("demo-output/bert")):
        if path.is_dir() and not path.samefile(model.directory):
            return str(path)
    return ""


TAB = Tab(
    name="compare",
    title="Compare",
    description="The model of this page and another model, side by side on the "
    "same text.",
    fields=_fields,
    answer=compare,
    picture=comparison_picture,
    missing_part=lambda model: "" if _able(model) else "something to compare",
)
