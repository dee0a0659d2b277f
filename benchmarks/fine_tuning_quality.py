"""Fine-tunes here and with transformers, in turn, on real data.

    python benchmarks/fine_tuning_quality.py --task=sst2 --task=mrpc \\
        --model_dir=minilm --data_dir=data --output_file=quality.jsonl \\
        --peer_python=hf/bin/python

--data_dir has a folder for each data set, with its published files: sst2,
mrpc, wnut17, codah, and squad for both `squad`, of the questions that have an
answer, and `squad_v2`, of all. `sst2_features` and `mrpc_features` learn a head
of LSTMs on a frozen encoder. Each seed of each library is a whole process.
Both have the same recipe: AdamW with decay 0.01, warm-up over a tenth of the
steps, the gradient's norm clipped to 1, 32 examples of like length in a step,
and the last epoch counts, not the best on the development split. Both are
scored by the same program.

Each run is a line of --output_file, where a run that stands there already is
not repeated; at last means and deviations over the seeds are printed. Without
a peer ours runs alone.
"""

import dataclasses
import json
import pathlib
import statistics
import sys
import tempfile

import fine_tuning_scores
import fine_tuning_tasks
import measuring
from absl import app
from absl import flags

_TASK = flags.DEFINE_multi_enum(
    "task", None, [*fine_tuning_tasks.TASKS], "Data set.", required=True
)
_MODEL_DIR = flags.DEFINE_string(
    "model_dir", None, "Checkpoint of Hugging Face.", required=True
)
_DATA_DIR = flags.DEFINE_string(
    "data_dir", None, "Where the data sets are.", required=True
)
_OUTPUT_FILE = flags.DEFINE_string(
    "output_file", None, "JSON lines; runs are added.", required=True
)
_PEER_PYTHON = flags.DEFINE_string(
    "peer_python", None, "Python with torch and transformers."
)
_SEEDS = flags.DEFINE_integer("seeds", 3, "Runs of each.", lower_bound=1)
_PRECISION = flags.DEFINE_enum(
    "precision", "bfloat16", ["float32", "bfloat16"], "Of the products."
)
_EPOCHS = flags.DEFINE_integer(
    "epochs", None, "Of each run; the recipe's by default.", lower_bound=1
)
_MAX_EXAMPLES = flags.DEFINE_integer(
    "max_examples", None, "Of each split, to try things.", lower_bound=1
)

_HERE = pathlib.Path(__file__).parent


def main(_):
    output = pathlib.Path(_OUTPUT_FILE.value)
    done = output.read_text().splitlines() if output.exists() else []
    done = [*map(json.loads, done)]
    for name in _TASK.value:
        runs = _runs(name, done, output)
        for library in dict.fromkeys(run["library"] for run in runs):
            own = [run for run in runs if run["library"] == library]
            print(name, library, *_summary(own), sep="  ", flush=True)


def _runs(name, done, output):
    """All runs of a task, those that are missing in `done` run now."""
    task = fine_tuning_tasks.TASKS[name]
    epochs = _EPOCHS.value or task.epochs
    task = dataclasses.replace(task, epochs=epochs)
    splits = fine_tuning_tasks.read_splits(
        name, _DATA_DIR.value, _MAX_EXAMPLES.value
    )
    programs = {"keras_bert": [sys.executable, _HERE / "fine_tuning_ours.py"]}
    if _PEER_PYTHON.value:
        peer = _HERE / "fine_tuning_hugging_face.py"
        programs["transformers"] = [_PEER_PYTHON.value, peer]
    runs = []
    with tempfile.TemporaryDirectory() as directory:
        fine_tuning_tasks.write_task(directory, task, splits)
        for seed in range(_SEEDS.value):
            for library, program in programs.items():
                about = {
                    "task": name,
                    "library": library,
                    "seed": seed,
                    "precision": _PRECISION.value,
                    "epochs": epochs,
                    "max_examples": _MAX_EXAMPLES.value,
                }
                known = [r for r in done if about.items() <= r.items()]
                runs.append(
                    known[0]
                    if known
                    else _run(about, program, directory, task.kind, splits)
                )
                line = json.dumps(runs[-1])
                print(line, flush=True)
                if not known:
                    with output.open("a") as file:
                        file.write(line + "\n")
    return runs


def _run(about, program, directory, kind, splits):
    """One process, and the scores of what it predicts."""
    arguments = [_MODEL_DIR.value, directory, about["seed"], about["precision"]]
    result = json.loads(measuring.output([*map(str, program + arguments)]))
    found = {}
    for split, predictions in sorted(result.pop("predictions").items()):
        values = fine_tuning_scores.scores(kind, *splits[split], predictions)
        found.update({f"{split}_{key}": x for key, x in values.items()})
    return {**about, **found, **result}


def _summary(runs):
    """The mean of each figure and its deviation over the seeds."""
    for key, value in runs[0].items():
        values = [run[key] for run in runs]
        if key.endswith("has_collapsed"):
            yield f"{key} {sum(values)} of {len(values)}"
        elif isinstance(value, float) or key == "peak_mib":
            text = f"{key} {statistics.mean(values):.4g}"
            if len(values) > 1:
                text += f" ± {statistics.stdev(values):.2g}"
            yield text


if __name__ == "__main__":
    app.run(main)
