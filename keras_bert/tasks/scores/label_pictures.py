"""Pictures of what a classifier does. They need matplotlib."""

import numpy as np

_MOST_NAMED = 12


def draw_confusion(matrix, names, path):
    """Draws a confusion matrix, each row as shares of its label.

    Args:
        matrix: int array `(num_labels, num_labels)`, as of
            `confusion_matrix`.
        names: list of str, the labels.
        path: str, a .png.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 5), layout="constrained")
    panel = figure.subplots()
    shares = matrix / np.maximum(matrix.sum(1, keepdims=True), 1)
    image = panel.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    figure.colorbar(image, label="share of the label")
    panel.set(xlabel="prediction", ylabel="label")
    if len(names) <= _MOST_NAMED:
        places = range(len(names))
        panel.set_xticks(places, names, rotation=45, ha="right")
        panel.set_yticks(places, names)
        for (row, column), count in np.ndenumerate(matrix):
            color = "white" if shares[row, column] > 0.5 else "black"
            panel.text(column, row, count, ha="center", color=color)
    figure.savefig(path, dpi=100)


def draw_calibration(bins, path):
    """Draws how often answers are right beside how sure the model is.

    Args:
        bins: list of dicts, as of `calibration`.
        path: str, a .png.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 5), layout="constrained")
    panel = figure.subplots()
    panel.plot([0, 1], [0, 1], "--", color="gray", label="calibrated")
    confidences = [x["confidence"] for x in bins]
    accuracies = [x["accuracy"] for x in bins]
    panel.plot(confidences, accuracies, "o-", label="this model")
    for x in bins:
        panel.annotate(x["count"], (x["confidence"], x["accuracy"]))
    panel.set(
        xlabel="probability of the answer",
        ylabel="share of right answers",
        xlim=(0, 1.02),
        ylim=(-0.02, 1.02),
    )
    panel.legend()
    figure.savefig(path, dpi=100)
