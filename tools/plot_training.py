"""Draws the curves of one or several pre-training runs into a PNG.

python tools/plot_training.py --run_dir=runs/a,runs/b --output_file=a.png
"""

import json
import pathlib

import matplotlib.figure
from absl import flags

from keras_bert import command_line
from keras_bert.files import whole_file

_RUN_DIR = flags.DEFINE_list(
    "run_dir", None, "Output directories of run_pretraining.", required=True
)
_OUTPUT_FILE = flags.DEFINE_string(
    "output_file", None, "The PNG.", required=True
)

_PANELS = ("mlm_loss", "mlm_accuracy", "nsp_loss", "nsp_accuracy")


def main():
    figure = matplotlib.figure.Figure(figsize=(10, 7), layout="constrained")
    for panel, name in zip(figure.subplots(2, 2).flat, _PANELS):
        for number, run_dir in enumerate(_RUN_DIR.value):
            _draw(panel, name, pathlib.Path(run_dir), f"C{number}")
        panel.set(title=name.replace("_", " "), xlabel="step")
        panel.grid(alpha=0.3)
        panel.legend()
    with whole_file(_OUTPUT_FILE.value) as name:
        figure.savefig(name, format="png", dpi=100)


def _draw(panel, name, run_dir, color):
    path = run_dir / "metrics.jsonl"
    points = [json.loads(line) for line in path.read_text().splitlines()]
    for split, style in (("train", "-"), ("eval", "o")):
        curve = [(p["step"], p[name]) for p in points if p["split"] == split]
        if curve:
            label = f"{run_dir.name} {split}"
            panel.plot(*zip(*curve), style, color=color, label=label)


if __name__ == "__main__":
    command_line.run(main)
