"""Plot the training curves of pre-training runs.

    keras-bert plot_training --run_dir=runs/a,runs/b --output_file=a.png

The format depends on the extension of --output_file: .png, .svg or .pdf.
"""

import itertools
import json
import pathlib

from keras_bert import command_line
from keras_bert import lazy
from keras_bert.cli import shared_flags
from keras_bert.files.outputs import new_file

PROGRAM = command_line.Program(__doc__)

_RUN_DIR = PROGRAM.list(
    "run_dir", None, "Output directories of run_pretraining.", required=True
)
_OUTPUT_FILE = PROGRAM.required(
    "output_file", "Output file for the plot: .png, .svg or .pdf."
)
_OVERWRITE = shared_flags.overwrite(PROGRAM)

_FORMATS = (".png", ".svg", ".pdf")
_PANELS = ("mlm_loss", "mlm_accuracy", "nsp_loss", "nsp_accuracy")


def main():
    paths = [pathlib.Path(path, "metrics.jsonl") for path in _RUN_DIR.value]
    ending = pathlib.Path(_OUTPUT_FILE.value).suffix
    if ending not in _FORMATS:
        raise ValueError(
            f"--output_file must end in {', '.join(_FORMATS)}. Received: "
            f"{_OUTPUT_FILE.value!r}."
        )
    curves = {path.parent: _read_points(path) for path in paths}
    # Imported late, so that --help is fast.
    figures = lazy.import_package("matplotlib.figure", "A plot")
    figure = figures.Figure(figsize=(10, 7), layout="constrained")
    points = [*itertools.chain(*curves.values())]
    # Not every objective has next sentences.
    names = [name for name in _PANELS if any(name in x for x in points)]
    panels = figure.subplots((len(names) + 1) // 2, 2, squeeze=False).flat
    for panel, name in zip(panels, names, strict=False):
        for number, (run_dir, points) in enumerate(curves.items()):
            _draw(panel, name, points, run_dir.name, f"C{number}")
        panel.set(title=name.replace("_", " "), xlabel="step")
        panel.grid(alpha=0.3)
        panel.legend()
    output = _OUTPUT_FILE.value
    with new_file(output, {}, paths, _OVERWRITE.value) as name:
        figure.savefig(name, format=ending[1:], dpi=100)


def _read_points(path):
    """Return the points of a run; a truncated last line is ignored."""
    if not path.is_file():
        raise ValueError(
            "--run_dir must name output directories of run_pretraining with "
            f"{path.name}. Received: {str(path.parent)!r}."
        )
    text = path.read_text(encoding="utf-8", errors="replace")
    *lines, _ = text.split("\n")
    points = [
        _read_point(line, f"{path}, line {number}")
        for number, line in enumerate(lines, start=1)
    ]
    if not points:
        raise ValueError(
            f"{path} must contain metrics. Received: none. run_pretraining "
            "writes them every --log_steps steps."
        )
    return points


def _read_point(line, location):
    try:
        point = json.loads(line)
        drawn = {name: float(point[name]) for name in _PANELS if name in point}
        step, split = int(point["step"]), point["split"]
    except (ValueError, TypeError, KeyError):
        drawn = {}
    if not drawn:
        raise ValueError(
            f"{location}, must be a JSON object with `step`, `split` and "
            f"numbers such as `{_PANELS[0]}`. Received: {line[:80]!r}."
        )
    return {"step": step, "split": split, **drawn}


def _draw(panel, name, points, run, color):
    for split, style in (("train", "-"), ("eval", "o")):
        curve = [
            (point["step"], point[name])
            for point in points
            if point["split"] == split and name in point
        ]
        if curve:
            panel.plot(
                *zip(*curve, strict=True),
                style,
                color=color,
                label=f"{run} {split}",
            )
