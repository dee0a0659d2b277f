"""Texts as vectors: two compared, and many on a map."""

import numpy as np

from keras_bert.playground.pictures.markup import bar
from keras_bert.playground.pictures.markup import element
from keras_bert.playground.pictures.markup import joined
from keras_bert.playground.pictures.markup import percent
from keras_bert.playground.pictures.markup import picker
from keras_bert.playground.pictures.markup import table
from keras_bert.playground.pictures.png import png_address

_WIDTH, _HEIGHT, _EDGE = 400, 300, 20


def similarity_picture(similarity):
    """A `Similarity` as `Html`."""
    most = float(np.abs(similarity.vectors).max()) or 1.0
    strips = [
        [name, element("img", **_strip(name, vector, most), class_="strip")]
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


def _strip(name, vector, most):
    address = png_address(vector[np.newaxis], most)
    return {"src": address, "alt": f"The vector of the {name.lower()} text"}


def map_picture(text_map):
    """A `TextMap` as `Html`."""
    places = _scaled(text_map.places)
    items = []
    for index, text in enumerate(text_map.texts):
        nearest = [
            [element("b", other + 1), text_map.texts[other], f"{cosine:.2f}"]
            for other, cosine in text_map.nearest[index]
        ]
        panel = [
            _plane(places, index, [x for x, _ in text_map.nearest[index]]),
            table(["", "Nearest texts", "Cosine"], nearest),
        ]
        label = element("span", element("b", index + 1), f" {text[:60]}")
        items.append((label, joined(panel)))
    shares = " and ".join(percent(share) for share in text_map.shares)
    return joined(
        [
            element("p", f"The axes show {shares} of the variance."),
            picker(items, class_="pick texts"),
        ]
    )


def _scaled(places):
    """Places in the picture, both axes by one scale."""
    low, high = places.min(axis=0), places.max(axis=0)
    room = np.array([_WIDTH - 2 * _EDGE, _HEIGHT - 2 * _EDGE])
    scale = (room / np.maximum(high - low, 1e-12)).min()
    middle = (low + high) / 2
    return (places - middle) * scale + np.array([_WIDTH, _HEIGHT]) / 2


def _plane(places, chosen, nearest):
    marks = []
    for other in nearest:
        (x1, y1), (x2, y2) = places[[chosen, other]].round(1).tolist()
        marks.append(element("line", x1=x1, y1=y1, x2=x2, y2=y2))
    # The chosen one is drawn last, on top.
    for index in sorted(range(len(places)), key=lambda x: x == chosen):
        x, y = places[index]
        kind = "chosen" if index == chosen else None
        place = {"cx": f"{x:.1f}", "cy": f"{y:.1f}"}
        marks.append(element("circle", **place, r=8, class_=kind))
        at = {"x": place["cx"], "y": f"{y + 3:.1f}"}
        marks.append(element("text", index + 1, **at))
    return element(
        "svg",
        *marks,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        aria_label="The texts as points, the nearer the more alike",
        class_="plane",
    )
