"""A pair of texts in its segments, and what the model says of it."""

from keras_bert.playground.pictures.markup import bar
from keras_bert.playground.pictures.markup import element
from keras_bert.playground.pictures.markup import joined
from keras_bert.playground.pictures.markup import table


def pair_picture(pair):
    """A `DrawnPair` as `Html`."""
    chips = [
        element("span", token, class_=f"piece segment{segment}")
        for token, segment in zip(pair.tokens, pair.segments)
    ]
    legend = [
        element("span", f"segment {n}", class_=f"piece segment{n}")
        for n in (0, 1)
    ]
    rows = [
        [label, bar(share), "drawn" if label == pair.label else ""]
        for label, share in pair.probabilities.items()
    ]
    return joined(
        [
            element("p", *legend),
            element("div", *chips, class_="text"),
            element("h3", "What the model says"),
            table(["Pair", "Probability", ""], rows),
        ]
    )
