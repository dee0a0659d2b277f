"""Texts with stretches of them marked."""

from keras_bert.playground.pictures.markup import bar
from keras_bert.playground.pictures.markup import element
from keras_bert.playground.pictures.markup import joined
from keras_bert.playground.pictures.markup import note
from keras_bert.playground.pictures.markup import table

_NUM_COLORS = 8  # In the style sheet.


def answer_picture(answered):
    """An `AnsweredQuestion` as `Html`."""
    context, start, end = answered.context, answered.start, answered.end
    marked = [context[:start], context[end:]]
    if start < end:
        marked.insert(1, element("mark", context[start:end], class_="answer"))
    rows = [
        [text or element("i", "no answer"), bar(share)]
        for text, share in answered.best
    ]
    return joined(
        [
            element("div", *marked, class_="prose"),
            element("h3", "Best answers"),
            table(["Answer", "Probability among these"], rows),
            note(answered.note),
        ]
    )


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
