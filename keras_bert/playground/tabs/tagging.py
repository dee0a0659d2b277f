"""The entities of a text, such as names."""

import dataclasses

from keras_bert.playground.default_texts import NAMES
from keras_bert.playground.markup import element
from keras_bert.playground.markup import joined
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.playground.tab import fine_tuned_to
from keras_bert.playground.valid_input import valid_text
from keras_bert.tasks.token_classifier import TokenClassifier

_NUM_COLORS = 8  # In the style sheet.


@dataclasses.dataclass(frozen=True)
class TaggedText:
    """A text with what was found in it.

    Args:
        text: str.
        labels: list of str, all that there can be.
        entities: list of dicts with `text`, `label`, `start` and `end`, as
            returned by `TokenClassifier`.
    """

    text: str
    labels: list
    entities: list


def tag_text(model, text):
    """Find the entities of a text, as a `TaggedText`."""
    text, task = valid_text(text), model.task
    (entities,) = task.predict([text])
    names = [label.partition("-")[2] or label for label in task.labels]
    return TaggedText(text, sorted({*names} - {"O"}), entities)


def entities_picture(tagged):
    """A `TaggedText` as `Html`."""
    colors = {
        label: f"color{place % _NUM_COLORS}"
        for place, label in enumerate(tagged.labels)
    }
    parts, end = [], 0
    for entity in tagged.entities:
        parts.append(tagged.text[end : entity["start"]])
        end = entity["end"]
        name = element("small", f" {entity['label']}")
        class_ = colors[entity["label"]]
        parts.append(element("mark", entity["text"], name, class_=class_))
    parts.append(tagged.text[end:])
    legend = [
        element("mark", label, class_=colors[label]) for label in tagged.labels
    ]
    found = len(tagged.entities)
    count = f"{found} found." if found else "Nothing was found."
    return joined(
        [
            element("div", *parts, class_="prose"),
            element("p", count),
            element("p", "Labels: ", *legend, class_="legend"),
        ]
    )


TAB = Tab(
    name="tagging",
    title="Tagging",
    about="The words that the fine-tuned model has a label for.",
    fields=lambda model: [TextField("text", "Text", NAMES, 4)],
    answer=tag_text,
    picture=entities_picture,
    lacking=fine_tuned_to("tag words", TokenClassifier),
)
