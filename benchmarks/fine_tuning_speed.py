"""Times fine-tuning and labelling here and with other libraries, in turn.

    python benchmarks/fine_tuning_speed.py --model_dir=minilm \\
        --data_dir=data --peer_python=hf/bin/python \\
        --keras_hub_python=hub/bin/python

MODEL_DIR is a BERT in Hugging Face's form, DATA_DIR as of
`fine_tuning_quality.py`. Whole processes run in turn. Each fine-tunes a few
steps to warm up, then on all of SST-2's train split, in batches of 32 texts of
at most 128 tokens, and then labels the test split; tokenization is in both
times. Ours and transformers' batches hold texts of like length, KerasHub's are
padded to 128 tokens, as it does by default. A pipeline of transformers labels
too; the best of its batch sizes counts. Prints every run, and at last the
medians with how many times a peer's speed is ours.
"""

import dataclasses
import json
import pathlib
import sys
import tempfile

import fine_tuning_scores
import fine_tuning_tasks
import measuring
from absl import app
from absl import flags

_MODEL_DIR = flags.DEFINE_string(
    "model_dir", None, "Checkpoint of Hugging Face.", required=True
)
_DATA_DIR = flags.DEFINE_string(
    "data_dir", None, "Where the folder sst2 is.", required=True
)
_PEER_PYTHON = flags.DEFINE_string(
    "peer_python", None, "Python with torch and transformers."
)
_KERAS_HUB_PYTHON = flags.DEFINE_string(
    "keras_hub_python", None, "Python with keras-hub and safetensors."
)
_PRECISION = flags.DEFINE_enum(
    "precision", "bfloat16", ["float32", "bfloat16"], "Of the products."
)
_EPOCHS = flags.DEFINE_integer("epochs", 3, "Of each run.", lower_bound=1)
_ROUNDS = flags.DEFINE_integer("rounds", 3, "Runs of each.", lower_bound=1)
_MAX_EXAMPLES = flags.DEFINE_integer(
    "max_examples", None, "Of each split, to try things.", lower_bound=1
)

_HERE = pathlib.Path(__file__).parent
_OURS = "keras_bert"


def main(_):
    task = dataclasses.replace(
        fine_tuning_tasks.TASKS["sst2"], epochs=_EPOCHS.value
    )
    splits = fine_tuning_tasks.read_splits(
        "sst2", _DATA_DIR.value, _MAX_EXAMPLES.value
    )
    del splits["dev"]
    runs = {name: [] for name in _programs()}
    with tempfile.TemporaryDirectory() as directory:
        fine_tuning_tasks.write_task(directory, task, splits)
        for number in range(_ROUNDS.value):
            for name, program in _programs().items():
                arguments = [_MODEL_DIR.value, directory, str(number)]
                line = measuring.output(
                    [*program, *arguments, _PRECISION.value]
                )
                runs[name].append(_figures(json.loads(line), splits["test"]))
                print(number, name, runs[name][-1], flush=True)
    for figure in ("train_per_s", "predict_per_s", "peak_mib"):
        for line in _comparison(figure, runs):
            print(line)


def _programs():
    """Those that are asked for: a dict from names to commands."""
    programs = {_OURS: [sys.executable, _HERE / "fine_tuning_ours.py"]}
    if _PEER_PYTHON.value:
        for name, file in (
            ("transformers", "fine_tuning_hugging_face.py"),
            ("transformers' pipeline", "hugging_face_pipeline.py"),
        ):
            programs[name] = [_PEER_PYTHON.value, _HERE / file]
    if _KERAS_HUB_PYTHON.value:
        file = _HERE / "fine_tuning_keras_hub.py"
        programs["KerasHub"] = [_KERAS_HUB_PYTHON.value, file]
    return programs


def _figures(result, test):
    """What a process printed, with a score in place of its predictions."""
    predictions = result.pop("predictions", None)
    if predictions:
        found = fine_tuning_scores.scores("texts", *test, predictions["test"])
        result["accuracy"] = found["accuracy"]
    return result


def _comparison(figure, runs):
    """A line on the figure for each program that has it."""
    medians = {
        name: measuring.median([run[figure] for run in several])
        for name, several in runs.items()
        if figure in several[0]
    }
    for name, value in medians.items():
        ratio = medians[_OURS] / value
        yield f"{figure}  {name}: {value:.0f}, ours is {ratio:.2f} times that"


if __name__ == "__main__":
    app.run(main)
