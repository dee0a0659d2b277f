"""Labels with their probabilities, and the pieces that speak for one."""

from keras_bert.playground.pictures.markup import bar
from keras_bert.playground.pictures.markup import element
from keras_bert.playground.pictures.markup import joined
from keras_bert.playground.pictures.markup import note
from keras_bert.playground.pictures.markup import table


def label_picture(labelled):
    """A `Labelled` as `Html`."""
    if labelled.score is not None:
        answer = element("p", element("b", f"{labelled.score:.3f}"))
    else:
        ranked = sorted(labelled.probabilities.items(), key=lambda x: -x[1])
        answer = table(
            ["Label", "Probability", ""],
            [
                [label, bar(share), "given" if label in labelled.given else ""]
                for label, share in ranked
            ],
        )
    what = "logit" if labelled.probabilities else "score"
    return joined(
        [
            note(labelled.note),
            answer,
            element("h3", f"What each piece adds to {labelled.chosen}"),
            _pieces(labelled),
            note(
                "Blue speaks for it, orange against it. The number is how far "
                f"the {what} falls when the piece is hidden."
            ),
        ]
    )


def _pieces(labelled):
    most = max(max(map(abs, labelled.shares)), 1e-12)
    chips = []
    for token, share in zip(labelled.tokens, labelled.shares):
        color = "59,130,246" if share >= 0 else "234,88,12"
        style = f"background:rgba({color},{0.8 * abs(share) / most:.2f})"
        number = element("small", f"{round(share, 2) + 0.0:+.2f}")
        piece = element("span", token, class_="piece", style=style)
        chips.append(element("span", piece, number, class_="share"))
    return element("div", *chips, class_="text")
