"""Packed texts, and where each of their pieces stands."""

import tensorflow as tf

from keras_bert import features
from keras_bert.text.packing import pack

STARTS, ENDS, TEXT_NUMBERS = "starts", "ends", "text_numbers"


def locate_pieces(preprocess, texts, pairs=None):
    """Packs texts or pairs as a model wants them, with offsets beside.

    Args:
        preprocess: `Preprocessor`.
        texts: string tensor or list `(batch_size,)`.
        pairs: string tensor or list `(batch_size,)`, the second texts, or
            None.

    Returns:
        A dict of int32 `(batch_size, seq_length)` tensors: what `preprocess`
        gives, and `text_numbers`, 1 at pieces of the first text, 2 at those
        of the second and 0 at special tokens and padding; `starts` and
        `ends`, offsets in bytes into that text, 0 where there is none.
    """
    columns = [texts] if pairs is None else [texts, pairs]
    found = [preprocess.tokenizer.tokenize_with_offsets(x) for x in columns]

    def beside(values):
        """Values of pieces laid out as the pieces, with 0 elsewhere."""
        values = [tf.cast(x, tf.int32) for x in values]
        packed = pack(
            preprocess.template,
            *(values if len(values) == 2 else [*values, None]),
            preprocess.seq_length,
            lambda token: 0,
            preprocess.truncation,
        )
        return packed[features.INPUT_IDS.name]

    numbers = [
        tf.ones_like(ids) * number for number, (ids, *_) in enumerate(found, 1)
    ]
    return {
        **preprocess.pack(*(ids for ids, _, _ in found)),
        TEXT_NUMBERS: beside(numbers),
        STARTS: beside([starts for _, starts, _ in found]),
        ENDS: beside([ends for _, _, ends in found]),
    }
