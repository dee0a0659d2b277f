"""How alike two texts are."""

import dataclasses

from keras_bert.playground.default_texts import SENTENCE
from keras_bert.playground.given import given_text
from keras_bert.playground.pictures.embeddings import similarity_picture
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.playground.unit_vectors import unit_vectors


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
    """Embeds two texts and compares them.

    Args:
        model: `ShownModel`.
        first: str.
        second: str.

    Returns:
        `Similarity`

    Raises:
        ValueError: a text is empty or too long.
    """
    texts = [
        given_text(first, "The first text"),
        given_text(second, "The second text"),
    ]
    vectors = unit_vectors(model, texts)
    return Similarity(float(vectors[0] @ vectors[1]), vectors)


def _fields(model):
    return [
        TextField("first", "First text", SENTENCE),
        TextField("second", "Second text", "A kitten rests on a warm rug."),
    ]


TAB = Tab(
    name="similarity",
    title="Similarity",
    about="Each text becomes a vector; the cosine of two tells how alike the "
    "model finds the texts.",
    fields=_fields,
    answer=compare_texts,
    picture=similarity_picture,
)
