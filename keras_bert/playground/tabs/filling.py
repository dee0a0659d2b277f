"""The most probable pieces for the masks of a text."""

from keras_bert.playground.markup import bar
from keras_bert.playground.markup import element
from keras_bert.playground.markup import joined
from keras_bert.playground.markup import table
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.playground.valid_input import valid_text


def fill(model, text):
    """Fill the masks of a text: a list with an item for each mask."""
    mask = model.vocabulary.roles["mask"]
    if mask not in valid_text(text):
        raise ValueError(f"Put {mask} into the text.")
    try:
        return model.fill_mask(text)
    except ValueError:
        raise ValueError(
            f"Put {mask} further to the front: the model reads the first "
            f"{model.pretrained.sequence_length()} pieces of a text."
        ) from None


def filling_picture(fillings):
    """Answers of `FillMask` as `Html`."""
    return joined(
        element("div", _one(number, filling), class_="block")
        for number, filling in enumerate(fillings, 1)
    )


def _one(number, filling):
    pairs = [(item["token"], item["probability"]) for item in filling]
    title = element("h3", f"Mask {number}")
    return joined([title, pieces_table("Piece", pairs)])


def pieces_table(title, pairs):
    """Pairs of a piece and its probability, as `Html`."""
    rows = [
        [element("span", token, class_="piece"), bar(share)]
        for token, share in pairs
    ]
    return table([title, "Probability"], rows)


def _fields(model):
    mask = model.vocabulary.roles["mask"]
    return [
        TextField(
            "text",
            f"Text with {mask}",
            f"The function returns a {mask} of strings.",
        )
    ]


TAB = Tab(
    name="fill_mask",
    title="Fill mask",
    about="The most probable pieces for each mask of a text.",
    fields=_fields,
    answer=fill,
    picture=filling_picture,
    lacking=lambda model: (
        ""
        if model.has("masked_lm_head") and "mask" in model.vocabulary.roles
        else "a masked-LM head"
    ),
)
