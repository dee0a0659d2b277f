"""Tables of the pieces that a model expects."""

from keras_bert.playground.pictures.markup import bar
from keras_bert.playground.pictures.markup import element
from keras_bert.playground.pictures.markup import joined
from keras_bert.playground.pictures.markup import table


def filling_picture(fillings):
    """What `FillMask` gives, as `Html`."""
    return joined(
        element("div", _one(number, filling), class_="block")
        for number, filling in enumerate(fillings, 1)
    )


def _one(number, filling):
    rows = [
        [
            element("span", item["token"], class_="piece"),
            bar(item["probability"]),
        ]
        for item in filling
    ]
    return joined(
        [element("h3", f"Mask {number}"), table(["Piece", "Probability"], rows)]
    )
