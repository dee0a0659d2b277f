"""Tab that compares mask filling with left-to-right generation."""

import collections

import numpy as np
from keras import ops

from keras_bert import features
from keras_bert.playground.markup import element
from keras_bert.playground.markup import ranking
from keras_bert.playground.markup import sides
from keras_bert.playground.tab import ChoiceField
from keras_bert.playground.tab import NumberField
from keras_bert.playground.tab import Tab
from keras_bert.playground.tabs import tasks

_NUM_PIECES = 8
# Map sampling choices to temperatures.
_CHOICES = {"most probable": 0.0, "sampled": 1.0}


# `filled` and `next` contain pairs (piece, probability); `written` is the
# generated continuation of `left`, the text before the mask.
Directions = collections.namedtuple(
    "Directions", "left right mask filled next written"
)


def compare_directions(model, text, choice, seed):
    """Fill a mask and generate a continuation of the text before it."""
    mask = model.vocabulary.roles["mask"]
    left, *rest = text.split(mask)
    if len(rest) != 1 or not left.strip():
        raise ValueError(
            f"Put one {mask} into the text, after the words to continue."
        )
    (filled,) = tasks.fill(model, text)
    generator = model.generator
    (written,) = generator.generate(
        [left.rstrip()], seed=seed, temperature=_CHOICES[choice]
    )
    following = _next_pieces(generator, left.rstrip())
    return Directions(left, rest[0], mask, filled, following, written)


def _next_pieces(generator, text):
    """Return the most probable next pieces of a text with probabilities."""
    row = {key: x.numpy() for key, x in generator.preprocess([text]).items()}
    last = row[features.INPUT_MASK.name].sum(axis=1, keepdims=True) - 1
    inputs = {name: row[name] for name in generator.input_names}
    inputs[features.MASKED_LM_POSITIONS.name] = last.astype(np.int32)
    tokens = generator.preprocess.tokenizer.vocabulary.tokens
    logits = generator.model(inputs)["mlm_logits"][0, 0, : len(tokens)]
    shares = ops.convert_to_numpy(ops.softmax(logits))
    best = np.argsort(-shares)[:_NUM_PIECES]
    return [(tokens[index], float(shares[index])) for index in best]


def directions_picture(found):
    """Render a `Directions` as `Html`."""
    mask = element("mark", found.mask)
    unseen = element("s", found.mask + found.right, class_="note")
    written = element("mark", found.written)
    both = [
        [
            element("h3", "From both sides"),
            element("div", found.left, mask, found.right, class_="prose"),
            ranking("Piece for the mask", found.filled),
        ],
        [
            element("h3", "From the left side only"),
            element("div", found.left, unseen, class_="prose"),
            ranking("Next piece", found.next),
            element("h3", "Generated continuation"),
            element("div", found.left, written, class_="prose"),
        ],
    ]
    return sides(both)


def _fields(model):
    choices = tuple(_CHOICES)
    return [
        *tasks.fill_fields(model),
        ChoiceField("choice", "Next token", choices[0], choices),
        NumberField("seed", "Sampling seed", 1, 0, 100),
    ]


def _missing_part(model):
    if model.generator is None:
        return "a left-to-right model (left_to_right_dir)"
    return "" if tasks.can_fill(model) else "a masked-LM head"


TAB = Tab(
    name="left_to_right",
    title="Left to right",
    description="A masked language model sees both sides of a mask. A "
    "left-to-right model such as GPT-1 sees only the text before it.",
    fields=_fields,
    answer=compare_directions,
    picture=directions_picture,
    missing_part=_missing_part,
)
