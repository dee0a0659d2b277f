"""Texts to the inputs of a model, and where their words stand."""

import tensorflow as tf

from keras_bert import features
from keras_bert.tasks.tags.word_pieces import words_with_offsets
from keras_bert.text.packing import pack
from keras_bert.text.preprocessor import Preprocessor

STARTS, ENDS = "starts", "ends"


class WordPreprocessor(Preprocessor):
    """Packs single texts with the offsets of their words.

    Args: as of `Preprocessor`.

    Call arguments:
        texts: string tensor or list `(batch_size,)`.

    Returns:
        A dict of int32 `(batch_size, seq_length)` tensors: those of
        `Preprocessor`, and `starts` and `ends`, where a word begins and ends
        in its text, in bytes, at the first piece of the word; 0 elsewhere.
    """

    def __call__(self, texts):
        inputs, _ = self.encode(texts)
        return inputs

    def encode(self, texts):
        ids, starts, ends = words_with_offsets(self.tokenizer, texts)
        inputs = {
            **self.pack(ids),
            STARTS: self._beside(starts),
            ENDS: self._beside(ends),
        }
        return inputs, self.are_cut(ids)

    def _beside(self, offsets):
        """Offsets laid out as the pieces, with 0 at special tokens."""
        packed = pack(
            self.template,
            tf.cast(offsets, tf.int32),
            None,
            self.seq_length,
            lambda token: 0,
            self.truncation,
        )
        return packed[features.INPUT_IDS.name]
