"""Similarity of two texts: the cosine of their vectors."""

import dataclasses

import numpy as np

from keras_bert.playground.default_texts import SENTENCE
from keras_bert.playground.markup import bar
from keras_bert.playground.markup import element
from keras_bert.playground.markup import joined
from keras_bert.playground.markup import strip
from keras_bert.playground.markup import table
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.playground.valid_input import valid_text


@dataclasses.dataclass(frozen=True)
class Similarity:
    """Two texts as vectors.

    Args:
        cosine: float from -1 to 1.
        vectors: float array `(2, dim)`, of length 1.
    """

    cosine: float
    vectors: object


def compare_texts(model, first, second):
    """Embed two texts and compare them, as a `Similarity`."""
    texts = [
        valid_text(first, "The first text"),
        valid_text(second, "The second text"),
    ]
    vectors = model.unit_vectors(texts)
    return Similarity(float(vectors[0] @ vectors[1]), vectors)


def similarity_picture(similarity):
    """A `Similarity` as `Html`."""
    most = float(np.abs(similarity.vectors).max()) or 1.0
    strips = [
        [name, strip(vector, most, f"The vector of the {name.lower()} text")]
        for name, vector in zip(("First", "Second"), similarity.vectors)
    ]
    cosine = similarity.cosine
    return joined(
        [
            element("h3", "Cosine"),
            bar(cosine, f"{cosine:.3f}"),
            table(["Text", f"Vector of {similarity.vectors.shape[1]}"], strips),
        ]
    )


TAB = Tab(
    name="similarity",
    title="Similarity",
    about="Each text becomes a vector; the cosine of two says how alike the "
    "model finds the texts.",
    fields=lambda model: [
        TextField("first", "First text", SENTENCE),
        TextField("second", "Second text", "A kitten rests on a warm rug."),
    ],
    answer=compare_texts,
    picture=similarity_picture,
)
