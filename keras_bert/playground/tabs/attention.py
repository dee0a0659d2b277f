"""How much the pieces of a text take of each other."""

import dataclasses

import numpy as np
from keras import ops

from keras_bert.playground.default_texts import PAIR
from keras_bert.playground.default_texts import SENTENCE
from keras_bert.playground.given import given_number
from keras_bert.playground.given import given_pair
from keras_bert.playground.given import given_text
from keras_bert.playground.pictures.attention import attention_picture
from keras_bert.playground.pieces import cut
from keras_bert.playground.tab import NumberField
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField

_NUM_PIECES = 40


@dataclasses.dataclass(frozen=True)
class Attention:
    """The attention weights of all heads.

    Args:
        tokens: list of str.
        weights: float array `(num_layers, num_heads, num_pieces,
            num_pieces)`, queries before keys.
        entropies: float array `(num_layers, num_heads)` in bits, the mean
            over the queries.
        layer: int, the one to look at, from 0.
        head: int, likewise.
        note: str.
    """

    tokens: list
    weights: np.ndarray
    entropies: np.ndarray
    layer: int
    head: int
    note: str


def attend(model, text, pair="", layer=1, head=1):
    """Computes the attention weights of a text or a pair.

    Args:
        model: `ShownModel`.
        text: str.
        pair: str, "" for none.
        layer: int, from 1.
        head: int, from 1.

    Returns:
        `Attention`

    Raises:
        ValueError: the text is empty or too long, or there is no such head.
    """
    num_layers, num_heads = _sizes(model)
    layer = given_number(layer, "The layer", 1, num_layers)
    head = given_number(head, "The head", 1, num_heads)
    text, pair = given_text(text), given_pair(pair)
    pieces = cut(model, model.preprocess(_NUM_PIECES), text, pair)
    found = model.pretrained.backbone.attention_weights(pieces.inputs)
    weights = np.stack(
        [ops.convert_to_numpy(ops.cast(x, "float32"))[0] for x in found]
    )
    return Attention(
        pieces.tokens,
        weights,
        _entropies(weights),
        layer - 1,
        head - 1,
        pieces.note,
    )


def _entropies(weights):
    bits = -np.log2(np.maximum(weights, 1e-30))
    return (weights * bits).sum(axis=-1).mean(axis=-1)


def _sizes(model):
    config = model.pretrained.config
    return config.depth, config.sizes["N"]


def _lacking(model):
    blocks = model.pretrained.backbone.blocks
    attentions = [getattr(block, "self_attention", None) for block in blocks]
    if all(hasattr(x, "attention_weights") for x in attentions):
        return ""
    return "attention layers that tell their weights"


def _fields(model):
    num_layers, num_heads = _sizes(model)
    fields = [
        TextField("text", "Text", SENTENCE),
        TextField("pair", "Second text, if any", PAIR),
    ]
    # A slider needs two ends.
    if num_layers > 1:
        fields.append(NumberField("layer", "Layer", 1, 1, num_layers))
    if num_heads > 1:
        fields.append(NumberField("head", "Head", 1, 1, num_heads))
    return fields


TAB = Tab(
    name="attention",
    title="Attention",
    about="In each head of each layer, every piece takes a share of all "
    "pieces. Choose a piece to see where its shares come from.",
    fields=_fields,
    answer=attend,
    picture=attention_picture,
    lacking=_lacking,
)
