"""Tab that shows the masking of a text and the predictions."""

import collections

import numpy as np

from keras_bert import features
from keras_bert.playground.default_texts import SENTENCE
from keras_bert.playground.pieces import split_into_pieces
from keras_bert.playground.tab import ChoiceField
from keras_bert.playground.tab import NumberField
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.playground.tabs.masking_picture import masking_picture
from keras_bert.pretraining.records.filling import word_starts
from keras_bert.pretraining.records.mask_outcomes import OUTCOMES
from keras_bert.pretraining.records.mask_outcomes import PLAIN
from keras_bert.pretraining.records.mask_outcomes import prediction_outcomes
from keras_bert.pretraining.records.masking import mask_tokens
from keras_bert.pretraining.records.masking_rules import MaskingRules

_NUM_PIECES = 128
_MAX_DRAWS = 1000
_UNITS = ("pieces", "whole words")
_TOP_K = 3


# `original` is the piece of the text, which is the label; `shown` is the piece
# of the masked input; `outcome` is "plain", "masked", "random" or "kept".
# `expected` contains pairs (piece, probability), and `probability` is the
# probability of `original`; they are () and None for plain pieces and for
# models without a masked-LM head.
MaskedPiece = collections.namedtuple(
    "MaskedPiece",
    "position original shown outcome expected probability",
    defaults=((), None),
)


# `pieces` are from the first draw, `counts` are the outcomes of all draws, and
# `curve` contains their fractions after increasing numbers of draws.
MaskedText = collections.namedtuple("MaskedText", "pieces counts curve note")


def mask_text(model, text, rate, unit, seed, num_draws):
    """Mask a text as in `create_pretraining_data` and return a `MaskedText`.

    Args:
        model: `PlaygroundModel`.
        text: str.
        rate: float from 0 to 1, fraction of the pieces to predict.
        unit: str, "pieces" or "whole words".
        seed: int, random seed.
        num_draws: int, number of maskings to sample.
    """
    if rate == 0:
        raise ValueError(
            "At a mask rate of 0 nothing is masked, so there is nothing to "
            "predict. Choose a rate above 0."
        )
    pieces = split_into_pieces(model, model.preprocess(_NUM_PIECES), text)
    if not any(pieces.text_numbers):
        raise ValueError("The text has no piece that can be masked.")
    rng = np.random.default_rng(seed)
    once = _draw(model, pieces, rate, unit, rng, 1)
    # Use a different seed, so that the shown draw does not depend on
    # `num_draws`.
    rng = np.random.default_rng((seed, 1))
    _, draws = _draw(model, pieces, rate, unit, rng, num_draws)
    counts = {name: x.sum(axis=1) for name, x in draws.items()}
    return MaskedText(
        _shown(model, pieces, *once),
        {name: int(x.sum()) for name, x in counts.items()},
        _curve(counts),
        pieces.note,
    )


def _draw(model, pieces, rate, unit, rng, count):
    """Mask the pieces `count` times.

    Returns:
        A dict of arrays with the keys of the record schema, and the outcomes
        from `prediction_outcomes`.
    """
    vocabulary = model.vocabulary
    mask_id = vocabulary.id_of(vocabulary.roles["mask"])
    maskable = np.array([pieces.text_numbers] * count) > 0
    ids = np.repeat(pieces.inputs[features.INPUT_IDS.name], count, axis=0)
    continues = np.array(vocabulary.is_continuation)[ids]
    values = mask_tokens(
        ids,
        maskable,
        MaskingRules(rate, int(maskable[0].sum()), mask_id, len(vocabulary)),
        rng,
        word_starts(maskable, continues) if unit == _UNITS[1] else None,
    )
    names = (
        features.INPUT_IDS,
        features.MASKED_LM_POSITIONS,
        features.MASKED_LM_IDS,
        features.MASKED_LM_WEIGHTS,
    )
    drawn = {name.name: x for name, x in zip(names, values, strict=True)}
    return drawn, prediction_outcomes(drawn, mask_id)


def _shown(model, pieces, drawn, outcomes):
    ids = drawn[features.INPUT_IDS.name]
    positions = drawn[features.MASKED_LM_POSITIONS.name]
    outcomes = {
        int(positions[0, index]): name
        for name, is_it in outcomes.items()
        for index in np.flatnonzero(is_it[0])
    }
    expected = {}
    if model.has("masked_lm_head") and outcomes:
        where = np.array([sorted(outcomes)], np.int32)
        inputs = {**pieces.inputs, features.INPUT_IDS.name: ids}
        rows = model.fill_mask.probabilities_at(inputs, where).numpy()[0]
        expected = dict(zip(where[0].tolist(), rows, strict=True))
    tokens = model.vocabulary.tokens
    shown = []
    for position, original in enumerate(pieces.tokens):
        guess = ()
        if position in expected:
            row = expected[position]
            best = np.argsort(-row)[:_TOP_K]
            right = float(row[model.vocabulary.id_of(original)])
            guess = [(tokens[x], float(row[x])) for x in best], right
        outcome = outcomes.get(position, PLAIN)
        seen = tokens[ids[0, position]]
        shown.append(MaskedPiece(position, original, seen, outcome, *guess))
    return shown


def _curve(counts, num_points=60):
    """Return the outcome frequencies after increasing numbers of samples."""
    sums = {name: np.cumsum(counts[name]) for name in OUTCOMES}
    totals = np.maximum(sum(sums.values()), 1)
    indices = np.linspace(0, len(totals) - 1, min(num_points, len(totals)))
    return [
        {name: float(sums[name][index] / totals[index]) for name in OUTCOMES}
        for index in indices.astype(int)
    ]


TAB = Tab(
    name="masking",
    title="Masking",
    description="BERT learns to predict masked pieces. 80 % of them are "
    "replaced by [MASK], 10 % by a random piece, and 10 % are unchanged.",
    fields=lambda model: [
        TextField("text", "Text", SENTENCE),
        NumberField("rate", "Mask rate", 0.15, 0.0, 1.0, 0.01),
        ChoiceField("unit", "Masking unit", _UNITS[0], _UNITS),
        NumberField("seed", "Seed", 1, 0, 100),
        NumberField("num_draws", "Draws to count", 100, 1, _MAX_DRAWS),
    ],
    answer=mask_text,
    picture=masking_picture,
)
