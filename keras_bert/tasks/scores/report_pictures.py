"""The pictures of a report."""

import importlib.util
import pathlib

import numpy as np
from absl import logging

from keras_bert.tasks.scores.label_pictures import draw_calibration
from keras_bert.tasks.scores.label_pictures import draw_confusion
from keras_bert.tasks.scores.label_pictures import draw_label_table


def draw_report(report, split, directory):
    """Draws what a report holds, if matplotlib is there to draw.

    Args:
        report: dict, perhaps with `confusion_matrix` and `labels`, as of
            `confusion_matrix` and `label_table`, with `labels` only, and
            with `calibration`, as of `calibration`.
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
