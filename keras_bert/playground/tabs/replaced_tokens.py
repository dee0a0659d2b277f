"""The pieces that a discriminator takes for replaced."""

import collections

from keras import ops

from keras_bert.playground.markup import element
from keras_bert.playground.markup import joined
from keras_bert.playground.markup import note
from keras_bert.playground.markup import percent
from keras_bert.playground.markup import piece
from keras_bert.playground.markup import ranking
from keras_bert.playground.markup import shade
from keras_bert.playground.pieces import cut
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField

_HEAD = "replaced_token_head"
_NUM_PIECES = 128
_TEXT = "The cat sat on the mat because it was purple."


# `probabilities` are those that a piece was replaced.
JudgedText = collections.namedtuple("JudgedText", "tokens probabilities note")


def judge_text(model, text):
    """Judge each piece of a text, as a `JudgedText`."""
    pieces = cut(model, model.preprocess(_NUM_PIECES), text)
    pretrained = model.pretrained
    states = pretrained.encoder(pieces.inputs)["sequence_output"]
    shares = ops.sigmoid(pretrained.heads[_HEAD](states))[0]
    shares = ops.convert_to_numpy(shares).tolist()
    return JudgedText(pieces.tokens, shares, pieces.note)


def judged_picture(judged):
    """A `JudgedText` as `Html`."""
    pairs = [*zip(judged.tokens, judged.probabilities, strict=True)]
    shown = [
        piece(token, style=shade(-share), title=percent(share))
        for token, share in pairs
    ]
    found = sum(share > 0.5 for _, share in pairs)
    count = f"{found} of {len(pairs)} pieces are taken for replaced."
    return joined(
        element("div", *shown, class_="block"),
        element("p", count),
        note(judged.note),
        ranking("Piece that was replaced", pairs),
    )


TAB = Tab(
    name="replaced_tokens",
    title="Replaced tokens",
    about="A discriminator learns to find pieces that another model has put "
    "into a text. Write a word that does not belong there.",
    fields=lambda model: [TextField("text", "Text", _TEXT)],
    answer=judge_text,
    picture=judged_picture,
    lacking=lambda model: "" if model.has(_HEAD) else "a discriminator's head",
)
