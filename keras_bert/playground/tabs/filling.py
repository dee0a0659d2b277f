"""What stands behind the masks of a text."""

from keras_bert.playground.given import given_text
from keras_bert.playground.pictures.filling import filling_picture
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField


def fill(model, text):
    """Fills the masks of a text.

    Args:
        model: `ShownModel` with a masked-LM head.
        text: str with at least one mask.

    Returns:
        A list with an item for each mask, as of `FillMask`.

    Raises:
        ValueError: the text is empty or too long, or a mask is missing or
            beyond what the model takes.
    """
    return model.fill_mask(given_text(text))


def _lacking(model):
    return "" if model.has("masked_lm_head") else "a masked-LM head"


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
    lacking=_lacking,
)
