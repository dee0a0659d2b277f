"""Small ELMo with a softmax over words, which the library lacks.

`elmo_training.py` trains it and `three_ways.py` runs it. The layers come from
`keras_bert.models.ElmoBackbone`; both directions share the character embeddings
and the softmax (arXiv 1802.05365, section 3.1).
"""

import pathlib
import re

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from keras_bert.models import ElmoBackbone
from keras_bert.models import ElmoOptions
from keras_bert.template import Template
from keras_bert.text import WordTokenizer
from keras_bert.text.preprocessor import Preprocessor

# Including the softmax, about as many weights as the tiny BERT.
_OPTIONS = ElmoOptions(
    filters=((1, 16), (2, 32), (3, 64), (4, 64)),
    activation="relu",
    n_highway=1,
    embedding=16,
    n_characters=262,
    max_characters_per_token=16,
    dim=160,
    projection_dim=128,
    cell_clip=3.0,
    proj_clip=3.0,
    n_layers=2,
    use_skip_connections=True,
)
_SEQ_LENGTH = 32
NUM_WORDS = _SEQ_LENGTH - 2  # Without the two special tokens of a row.
WEIGHTS = "elmo.weights.h5"


class WordModels:
    """Two language models, one for each direction.

    Args:
        vocabulary: `Vocabulary` of word pieces.

    Attributes:
        words: list of str, the pieces that are whole words. The models choose
            among them; their inputs can be any words.
        model: functional model from the inputs of `ElmoBackbone` to logits,
            float `(batch_size, seq_length, 2, num_words)`: each word predicted
            from its left context, then from its right context.
        preprocess: `Preprocessor` of texts split by `cut_words`.
    """

    def __init__(self, vocabulary):
        self.words = [x for x in vocabulary.tokens if re.fullmatch(r"\w+", x)]
        backbone = ElmoBackbone(_OPTIONS)
        left, right = ops.split(backbone.states[-1], 2, axis=-1)
        # The states of its neighbors predict a word.
        left = ops.pad(left[:, :-1], [(0, 0), (1, 0), (0, 0)])
        right = ops.pad(right[:, 1:], [(0, 0), (0, 1), (0, 0)])
        softmax = keras.layers.Dense(len(self.words), name="softmax")
        logits = softmax(ops.stack([left, right], axis=2))
        self.model = keras.Model(backbone.inputs, logits)
        self.preprocess = Preprocessor(
            WordTokenizer(_OPTIONS.max_characters_per_token),
            Template(pair="cls A sep B", segments=False),
            _SEQ_LENGTH,
        )

    @classmethod
    def load(cls, directory, vocabulary):
        """Load a model that `elmo_training.py` wrote."""
        models = cls(vocabulary)
        models.model.load_weights(pathlib.Path(directory) / WEIGHTS)
        return models

    def probabilities(self, texts, places):
        """Return the probabilities of the words at a position of each text.

        Args:
            texts: list of str, split by `cut_words`.
            places: list of int, index of the word in each text.

        Returns:
            float32 `(num_texts, 2, num_words)`, one for each direction.
        """
        found = []
        for start in range(0, len(texts), 64):
            rows = slice(start, start + 64)
            logits = self.model(self.preprocess(texts[rows]))
            chosen = (
                np.array(places[rows]) + 1
            )  # After the first special token.
            logits = tf.gather(logits, chosen, axis=1, batch_dims=1)
            found.append(tf.nn.softmax(logits).numpy())
        return np.concatenate(found)


def cut_words(text):
    """Lowercase a text and separate words and punctuation by spaces."""
    return " ".join(re.findall(r"\w+|[^\w\s]", text.lower()))
