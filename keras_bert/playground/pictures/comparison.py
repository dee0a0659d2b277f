"""The pictures of two models side by side."""

from keras_bert.playground.pictures.markup import element


def comparison_picture(sides):
    """A list of `Side` as `Html`."""
    return element("div", *map(_side, sides), class_="sides")


def _side(side):
    refusal = element("p", side.refusal, class_="refusal")
    shown = refusal if side.refusal else side.tab.picture(side.answer)
    return element("section", element("h3", side.title), shown)
