"""Many texts as points of a plane."""

import dataclasses

import numpy as np

from keras_bert.playground.default_texts import LINES
from keras_bert.playground.given import given_lines
from keras_bert.playground.pictures.embeddings import map_picture
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.playground.unit_vectors import unit_vectors

_MOST_TEXTS = 100
_NUM_NEAREST = 3


@dataclasses.dataclass(frozen=True)
class TextMap:
    """Texts on a plane.

    Args:
        texts: list of str.
        places: float array `(num_texts, 2)`, the two principal components.
        shares: list of two floats, their shares of the variance.
        nearest: list with a list for each text of pairs of the index of
            another text and the cosine, the nearest first.
    """

    texts: list
    places: np.ndarray
    shares: list
    nearest: list


def map_texts(model, text):
    """Embeds lines of text and lays them out by principal components.

    Args:
        model: `ShownModel`.
        text: str, a text a line.

    Returns:
        `TextMap`

    Raises:
        ValueError: there are fewer than three lines, or too many.
    """
    texts = given_lines(text, "The map", _MOST_TEXTS)
    if len(texts) < 3:
        raise ValueError(
            "A map needs three texts or more, one a line. "
            f"Received: {len(texts)}."
        )
    vectors = unit_vectors(model, texts)
    places, shares = _principal_components(vectors)
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -np.inf)
    order = np.argsort(-cosines, axis=1)[:, : min(_NUM_NEAREST, len(texts) - 1)]
    nearest = [
        [(int(other), float(cosines[index, other])) for other in others]
        for index, others in enumerate(order)
    ]
    return TextMap(texts, places, shares, nearest)


def _principal_components(vectors):
    centred = vectors - vectors.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    variances = sizes**2
    total = max(float(variances.sum()), 1e-12)
    places = left[:, :2] * sizes[:2]
    return places, [float(x) / total for x in variances[:2]]


def _fields(model):
    return [TextField("text", "Texts, one a line", LINES, 12)]


TAB = Tab(
    name="text_map",
    title="Map of texts",
    about="Many texts as vectors, laid out so that the plane shows as much of "
    "their differences as a plane can (principal components).",
    fields=_fields,
    answer=map_texts,
    picture=map_picture,
)
