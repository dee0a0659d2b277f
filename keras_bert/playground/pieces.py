"""Tokenization of texts into word pieces for the page."""

import collections

import numpy as np

from keras_bert import features
from keras_bert.text.templates import ENDS
from keras_bert.text.templates import STARTS
from keras_bert.text.templates import TEXT_NUMBERS
from keras_bert.text.templates import locate_pieces


class ShownPieces(
    collections.namedtuple(
        "ShownPieces", "inputs tokens text_numbers starts ends note"
    )
):
    """Word pieces of a text or a pair, with special tokens, without padding.

    Args:
        inputs: dict of int32 arrays `(1, num_pieces)`, the model inputs.
        tokens: list of str.
        text_numbers: list of int: 1 or 2 for the texts, 0 for special tokens.
        starts, ends: lists of int, byte offsets into the text.
        note: str, a warning if the text is truncated, otherwise "".
    """

    @property
    def segments(self):
        """Segment id of each piece; all 0 if the model has no segments."""
        segments = self.inputs.get(features.SEGMENT_IDS.name)
        if segments is None:
            return [0] * len(self.tokens)
        return segments[0].tolist()


def split_into_pieces(model, preprocess, text, pair=""):
    """Split a text or a pair into `ShownPieces` with a `Preprocessor`."""
    texts = [[text], [pair]] if pair else [[text]]
    rows = locate_pieces(preprocess, *texts)
    arrays = {name: x.numpy() for name, x in rows.inputs.items()}
    ids = arrays[features.INPUT_IDS.name].tolist()
    return ShownPieces(
        {name: arrays[name][np.newaxis] for name in model.input_names},
        [model.vocabulary.tokens[index] for index in ids],
        arrays[TEXT_NUMBERS].tolist(),
        arrays[STARTS].tolist(),
        arrays[ENDS].tolist(),
        _note(preprocess, text, pair, len(ids)),
    )


def _note(preprocess, text, pair, num_shown):
    texts = [text, pair] if pair else [text]
    total = preprocess.template.num_special(bool(pair))
    total += sum(len(row) for row in preprocess.tokenizer(texts).to_list())
    if total <= num_shown:
        return ""
    return f"The text is truncated to {num_shown} of {total:,} pieces."
