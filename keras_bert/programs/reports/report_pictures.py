"""The pictures of a report."""

import importlib.util
import pathlib

import numpy as np
from absl import logging

_MOST_NAMED = 12
_MOST_BARS = 40


def draw_report(report, split, directory):
    """Draws what a report holds, if matplotlib is there to draw.

    Args:
        report: dict, perhaps with `confusion_matrix` and `labels`, with
            `labels` only, and with `calibration`, as the functions of these
            names and `label_table` make them.
        split: str, for the names of the files.
        directory: str, existing.
    """
    if not {"labels", "calibration"} & {*report}:
        return
    if importlib.util.find_spec("matplotlib") is None:
        logging.warning("No pictures are drawn: pip install matplotlib.")
        return
    place = pathlib.Path(directory)
    if "confusion_matrix" in report:
        draw_confusion(
            np.array(report["confusion_matrix"]),
            [row["label"] for row in report["labels"]],
            place / f"confusion-{split}.png",
        )
    elif "labels" in report:
        draw_label_table(report["labels"], place / f"labels-{split}.png")
    if "calibration" in report:
        draw_calibration(
            report["calibration"]["bins"], place / f"calibration-{split}.png"
        )


def draw_confusion(matrix, names, path):
    """Draws a confusion matrix, each row as shares of its label, as a .png."""
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


def draw_label_table(rows, path):
    """Draws precision, recall and F1 of the most frequent labels as a .png."""
    from matplotlib.figure import Figure

    rows = sorted(rows, key=lambda row: -row["support"])[:_MOST_BARS]
    size = (6, 1.5 + 0.6 * len(rows))
    figure = Figure(figsize=size, layout="constrained")
    panel = figure.subplots()
    places = np.arange(len(rows))
    for number, name in enumerate(("precision", "recall", "f1")):
        values = [row[name] for row in rows]
        panel.barh(places + (number - 1) * 0.27, values, 0.25, label=name)
    names = [f"{row['label']} ({row['support']})" for row in rows]
    panel.set_yticks(places, names)
    panel.invert_yaxis()
    panel.set(xlim=(0, 1), xlabel="share")
    figure.legend(loc="outside upper center", ncols=3)
    figure.savefig(path, dpi=100)


def draw_calibration(bins, path):
    """Draws the share of right answers against the confidence as a .png."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 5), layout="constrained")
    panel = figure.subplots()
    panel.plot([0, 1], [0, 1], "--", color="gray", label="calibrated")
    confidences = [x["confidence"] for x in bins]
    accuracies = [x["accuracy"] for x in bins]
    panel.plot(confidences, accuracies, "o-", label="this model")
    for x in bins:
        panel.annotate(
            x["count"],
            (x["confidence"], x["accuracy"]),
            xytext=(-6, 5),
            textcoords="offset points",
            ha="right",
        )
    panel.set(
        xlabel="probability of the answer",
        ylabel="share of right answers",
        xlim=(0, 1.02),
        ylim=(-0.02, 1.02),
    )
    panel.legend()
    figure.savefig(path, dpi=100)
