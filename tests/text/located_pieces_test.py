import numpy as np

from keras_bert.text import BertPreprocessor
from keras_bert.text.packing import locate_pieces

_TEXTS = ["the Cats", "", "中 cat cat cat cat"]
_PAIRS = ["cat", "the", "the cat the cat the cat"]


def _located(tokenizer, pairs=None):
    preprocess = BertPreprocessor(tokenizer, seq_length=9)
    found = locate_pieces(preprocess, _TEXTS, pairs)
    return preprocess, {name: x.numpy() for name, x in found.items()}


def test_inputs_are_those_of_the_preprocessor(tokenizer):
    for pairs in (None, _PAIRS):
        preprocess, found = _located(tokenizer, pairs)
        for name, values in preprocess(_TEXTS, pairs).items():
            np.testing.assert_array_equal(found[name], values)


def test_offsets_cut_the_pieces_out_of_their_texts(tokenizer):
    _, found = _located(tokenizer, _PAIRS)
    for row, texts in enumerate(zip(_TEXTS, _PAIRS)):
        numbers = found["text_numbers"][row]
        special = np.isin(found["input_ids"][row], [0, 2, 3])
        np.testing.assert_array_equal(numbers == 0, special)
        for number, text in enumerate(texts, 1):
            places = np.flatnonzero(numbers == number)
            pieces = b"".join(
                text.encode()[found["starts"][row, x] : found["ends"][row, x]]
                for x in places
            )
            # Longer texts are cut.
            assert text.replace(" ", "").encode().startswith(pieces)
            assert bool(len(places)) == bool(text)
