import numpy as np

from keras_bert.text import BertPreprocessor
from keras_bert.text.packing import locate_pieces

_TEXTS = ["the Cats", "", "中 cat cat cat cat"]
_PAIRS = ["cat", "the", "the cat the cat the cat"]


def test_inputs_are_those_of_the_preprocessor(tokenizer):
    preprocess = BertPreprocessor(tokenizer, seq_length=9)
    for columns in ([_TEXTS], [_TEXTS, _PAIRS]):
        found = locate_pieces(preprocess, *columns)
        packed = preprocess(*columns)
        mask = packed["input_mask"].numpy() == 1
        for name, values in packed.items():
            np.testing.assert_array_equal(found.inputs[name], values[mask])


def test_offsets_cut_the_pieces_out_of_their_texts(tokenizer):
    preprocess = BertPreprocessor(tokenizer, seq_length=9)
    inputs, lengths, _ = locate_pieces(preprocess, _TEXTS, _PAIRS)
    special = np.isin(inputs["input_ids"], [0, 2, 3])
    np.testing.assert_array_equal(inputs["text_numbers"] == 0, special)
    ends = np.cumsum(lengths)[:-1]
    rows = (
        np.split(inputs[name], ends)
        for name in ("text_numbers", "starts", "ends")
    )
    for numbers, starts, ends, *texts in zip(*rows, _TEXTS, _PAIRS):
        for number, text in enumerate(texts, 1):
            places = np.flatnonzero(numbers == number)
            pieces = b"".join(
                text.encode()[starts[x] : ends[x]] for x in places
            )
            # Longer texts are truncated.
            assert text.replace(" ", "").encode().startswith(pieces)
            assert bool(len(places)) == bool(text)
