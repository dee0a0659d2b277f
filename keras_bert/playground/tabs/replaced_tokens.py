"""Tab that shows replaced token detection."""

import collections

from keras import ops

from keras_bert.playground.markup import element
from keras_bert.playground.markup import joined
from keras_bert.playground.markup import note
from keras_bert.playground.markup import percent
from keras_bert.playground.markup import piece
from keras_bert.playground.markup import ranking
from keras_bert.playground.markup import shade
from keras_bert.playground.pieces import split_into_pieces
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField

_HEAD = "replaced_token_head"
_NUM_PIECES = 128
_TEXT = "The cat sat on the mat because it was purple."


# `probabilities` are the probabilities that a piece was replaced.
JudgedText = collections.namedtuple("JudgedText", "tokens probabilities note")


def judge_text(model, text):
    """Predict for each piece of a text whether it was replaced."""
    pieces = split_into_pieces(model, model.preprocess(_NUM_PIECES), text)
    pretrained = model.pretrained
    states = pretrained.encoder(pieces.inputs)["sequence_output"]
    shares = ops.sigmoid(pretrained.heads[_HEAD](states))[0]
    shares = ops.convert_to_numpy(shares).tolist()
    return JudgedText(pieces.tokens, shares, pieces.note)


def judged_picture(judged):
    """Render a `JudgedText` as `Html`."""
    pairs = [*zip(judged.tokens, judged.probabilities, strict=True)]
    shown = [
        piece(token, style=shade(-share), title=percent(share))
        for token, share in pairs
    ]
    num_replaced = sum(share > 0.5 for _, share in pairs)
    count = f"{num_replaced} of {len(pairs)} pieces are predicted as replaced."
    return joined(
        element("div", *shown, class_="block"),
        element("p", count),
        note(judged.note),
        ranking("Replaced piece", pairs),
    )


TAB = Tab(
    name="replaced_tokens",
    title="Replaced tokens",
    description="A discriminator learns to detect pieces that another model "
    "has replaced. Enter a text with a word that does not fit.",
    fields=lambda model: [TextField("text", "Text", _TEXT)],
    answer=judge_text,
    picture=judged_picture,
    missing_part=lambda model: (
        "" if model.has(_HEAD) else "a discriminator's head"
    ),
)
