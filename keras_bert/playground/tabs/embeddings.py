"""Tabs that show text embeddings: similarity and map of texts."""

import collections

import numpy as np

from keras_bert.playground.default_texts import LINES
from keras_bert.playground.default_texts import SENTENCE
from keras_bert.playground.markup import bar
from keras_bert.playground.markup import element
from keras_bert.playground.markup import joined
from keras_bert.playground.markup import percent
from keras_bert.playground.markup import picker
from keras_bert.playground.markup import strip
from keras_bert.playground.markup import table
from keras_bert.playground.tab import LinesField
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField

_WIDTH, _HEIGHT, _EDGE = 400, 300, 20
_NUM_NEAREST = 3


Similarity = collections.namedtuple("Similarity", "cosine vectors")


def compare_texts(model, first, second):
    """Embed two texts and return their `Similarity`."""
    vectors = model.unit_vectors([first, second])
    return Similarity(float(vectors[0] @ vectors[1]), vectors)


def similarity_picture(similarity):
    """Render a `Similarity` as `Html`."""
    most = float(np.abs(similarity.vectors).max()) or 1.0
    strips = [
        [name, strip(vector, most, f"The vector of the {name.lower()} text")]
        for name, vector in zip(
            ("First", "Second"), similarity.vectors, strict=True
        )
    ]
    cosine = similarity.cosine
    return joined(
        element("h3", "Cosine"),
        bar(cosine, f"{cosine:.3f}"),
        table(
            ["Text", f"Vector of size {similarity.vectors.shape[1]}"], strips
        ),
    )


SIMILARITY = Tab(
    name="similarity",
    title="Similarity",
    description="Each text becomes a vector; the cosine of two vectors "
    "measures the similarity of the texts.",
    fields=lambda model: [
        TextField("first", "First text", SENTENCE),
        TextField(
            "second", "Second text", "Raises an exception without a file."
        ),
    ],
    answer=compare_texts,
    picture=similarity_picture,
)


# `points` has shape `(num_texts, 2)`, the first two principal components;
# `shares` are their shares of the variance; `nearest` contains for each text
# pairs (index of another text, cosine), the nearest first.
TextMap = collections.namedtuple("TextMap", "texts points shares nearest")


def map_texts(model, texts):
    """Project texts to two principal components and return a `TextMap`."""
    vectors = model.unit_vectors(texts)
    points, shares = _principal_components(vectors)
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -np.inf)  # Exclude the text itself.
    order = np.argsort(-cosines, axis=1)[:, : min(_NUM_NEAREST, len(texts) - 1)]
    nearest = [
        [(int(other), float(cosines[index, other])) for other in others]
        for index, others in enumerate(order)
    ]
    return TextMap(texts, points, shares, nearest)


def map_picture(text_map):
    """Render a `TextMap` as `Html`."""
    points = _scaled(text_map.points)
    items = []
    for index, text in enumerate(text_map.texts):
        nearest = [
            [element("b", other + 1), text_map.texts[other], f"{cosine:.2f}"]
            for other, cosine in text_map.nearest[index]
        ]
        plane = _plane(points, index, [x for x, _ in text_map.nearest[index]])
        panel = joined(plane, table(["", "Nearest texts", "Cosine"], nearest))
        label = element("span", element("b", index + 1), f" {text[:60]}")
        items.append((label, panel))
    shares = " and ".join(percent(share) for share in text_map.shares)
    return joined(
        element("p", f"The axes show {shares} of the variance."),
        picker(items, class_="pick texts"),
    )


def _scaled(points):
    """Scale coordinates to the picture, with one scale for both axes."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.array([_WIDTH - 2 * _EDGE, _HEIGHT - 2 * _EDGE])
    scale = (room / np.maximum(high - low, 1e-12)).min()
    middle = (low + high) / 2
    return (points - middle) * scale + np.array([_WIDTH, _HEIGHT]) / 2


def _plane(points, chosen, nearest):
    marks = []
    for other in nearest:
        (x1, y1), (x2, y2) = points[[chosen, other]].round(1).tolist()
        marks.append(element("line", x1=x1, y1=y1, x2=x2, y2=y2))
    # The selected point is drawn last, on top.
    for index in sorted(range(len(points)), key=lambda x: x == chosen):
        x, y = points[index].round(1).tolist()
        kind = "chosen" if index == chosen else None
        point = element("circle", cx=x, cy=y, r=8, class_=kind)
        number = element("text", index + 1, x=x, y=round(y + 3, 1))
        marks.append(element("g", point, number, data_pick=index))
    return element(
        "svg",
        *marks,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        aria_label="The texts as points; similar texts are near each other",
        class_="plane",
    )


def _principal_components(vectors):
    centred = vectors - vectors.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    variances = sizes**2
    total = max(float(variances.sum()), 1e-12)
    points = left[:, :2] * sizes[:2]
    return points, [float(x) / total for x in variances[:2]]


MAP = Tab(
    name="text_map",
    title="Map of texts",
    description="Text vectors, projected to the two principal components with "
    "the largest variance.",
    fields=lambda model: [
        LinesField("texts", "Texts, one per line", LINES, 12, min_lines=3)
    ],
    answer=map_texts,
    picture=map_picture,
)
