"""Fine-tune a model and smaller students, with and without distillation.

    python benchmarks/distillation.py --model_dir=minilm --data_dir=data \\
        --output_dir=runs/distillation

One teacher is fine-tuned on each of SST-2 and MRPC. Its students start from
--num_layers of its layers and from its head. They learn the same examples with
the same recipe, from the labels only ("labels") or also from the teacher
("teacher"), with --seeds seeds, and are scored after the last epoch. The data
and recipes are the same as in `fine_tune.py`.

Each model adds a line to rows.jsonl in --output_dir after it is scored on the
test split; finished models are not repeated. Speeds are measured on predictions
for the test split, including tokenization. Student and teacher alternate, so
that a busy machine slows both. The program ends with the means and standard
deviations over the seeds.
"""

import json
import os
import pathlib
import statistics
import time

import fine_tuning_tasks
import keras
import tensorflow as tf
from absl import app
from absl import flags

import keras_bert

_MODEL_DIR = flags.DEFINE_string(
    "model_dir", None, "Checkpoint of the encoder.", required=True
)
_DATA_DIR = flags.DEFINE_string(
    "data_dir", None, "Directory with a folder for each dataset.", required=True
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir",
    None,
    "Output directory for models and rows.jsonl.",
    required=True,
)
_TASK = flags.DEFINE_multi_enum(
    "task", ["sst2", "mrpc"], ["sst2", "mrpc"], "Dataset to use."
)
_NUM_LAYERS = flags.DEFINE_integer("num_layers", 3, "Number of student layers.")
_SEEDS = flags.DEFINE_integer("seeds", 3, "Number of seeds.", lower_bound=1)
_EPOCHS = flags.DEFINE_integer(
    "epochs", None, "Number of epochs; by default the value in the recipe."
)
_MAX_EXAMPLES = flags.DEFINE_integer(
    "max_examples",
    None,
    "Maximum number of examples per split; by default all.",
)

_KINDS = ("labels", "teacher")
_METRICS = {"sst2": "accuracy", "mrpc": "f1"}
_ROUNDS = 3


def main(_):
    cores = len(os.sched_getaffinity(0))
    tf.config.threading.set_intra_op_parallelism_threads(1)
    output = pathlib.Path(_OUTPUT_DIR.value)
    output.mkdir(parents=True, exist_ok=True)
    for name in _TASK.value:
        rows = _Rows(name, output / "rows.jsonl", cores)
        teacher = rows.teacher(output / f"teacher-{name}")
        for seed in range(_SEEDS.value):
            for kind in _KINDS:
                rows.student(kind, seed, teacher)
        rows.print()


class _Rows:
    """Results of a task, stored in a file with one row per model."""

    def __init__(self, name, path, cores):
        self._name, self._path, self._cores = name, path, cores
        self._splits = fine_tuning_tasks.read_splits(
            name, _DATA_DIR.value, _MAX_EXAMPLES.value
        )
        recipe = fine_tuning_tasks.TASKS[name]
        self._epochs = _EPOCHS.value or recipe.epochs
        self._rate = recipe.learning_rate
        lines = path.read_text().splitlines() if path.exists() else []
        self._done = [*map(json.loads, lines)]
        self._rows = []

    def teacher(self, directory):
        context = self._context("the teacher itself", 0)
        if self._is_known(context):
            return keras_bert.tasks.load_task(directory)
        keras.utils.set_random_seed(0)
        task = keras_bert.TextClassifier.from_pretrained(
            _MODEL_DIR.value,
            labels=fine_tuning_tasks.label_names("texts", self._splits),
        )
        seconds = self._fit(task, 0)
        task.save(directory, overwrite=True)
        self._add(context, task, seconds)
        return task

    def student(self, kind, seed, teacher):
        context = self._context(kind, seed)
        if not self._is_known(context):
            keras.utils.set_random_seed(seed)
            task = teacher.smaller(_NUM_LAYERS.value)
            taught_by = teacher if kind == "teacher" else None
            seconds = self._fit(task, seed, taught_by)
            self._add(context, task, seconds, teacher)

    def _context(self, kind, seed):
        return {
            "task": self._name,
            "learned_from": kind,
            "seed": seed,
            "epochs": self._epochs,
            "max_examples": _MAX_EXAMPLES.value,
        }

    def _is_known(self, context):
        known = [x for x in self._done if context.items() <= x.items()]
        self._rows += known[:1]
        return bool(known)

    def _fit(self, task, seed, teacher=None):
        start = time.perf_counter()
        task.fit(
            *self._splits["train"],
            teacher=teacher,
            epochs=self._epochs,
            learning_rate=self._rate,
            seed=seed,
            parallel_parts=self._cores,
            verbose=0,
        )
        return time.perf_counter() - start

    def _add(self, context, task, seconds, teacher=None):
        texts, labels = self._splits["test"]
        answers = [answer["label"] for answer in task.predict(texts)]
        row = {
            **context,
            "num_train": len(self._splits["train"][0]),
            "num_layers": task.pretrained.config.num_hidden_layers,
            "parameters": task.model.count_params(),
            "train_seconds": round(seconds, 1),
            **fine_tuning_tasks.scores("texts", texts, labels, answers),
        }
        if teacher is not None:
            pairs = [
                (_seconds(task, texts), _seconds(teacher, texts))
                for _ in range(_ROUNDS)
            ]
            own, theirs = map(min, zip(*pairs, strict=True))
            row["texts_per_s"] = len(texts) / own
            row["teachers_texts_per_s"] = len(texts) / theirs
        self._rows.append(row)
        print(json.dumps(row), flush=True)
        with self._path.open("a") as file:
            file.write(json.dumps(row) + "\n")

    def print(self):
        metric = _METRICS[self._name]
        (first, *students) = self._rows
        speed = _mean(students, "teachers_texts_per_s")
        print(
            *(self._name, "its teacher", f"{first['num_layers']} layers"),
            f"{first['parameters']:,} parameters",
            f"{metric} {100 * first[metric]:.1f}",
            f"{speed:.0f} texts/s",
            sep="  ",
        )
        for kind in _KINDS:
            rows = [row for row in students if row["learned_from"] == kind]
            times = [
                row["texts_per_s"] / row["teachers_texts_per_s"] for row in rows
            ]
            print(
                *(self._name, kind, f"{rows[0]['num_layers']} layers"),
                f"{rows[0]['parameters']:,} parameters",
                f"{metric} {_spread([100 * row[metric] for row in rows])}",
                f"{_mean(rows, 'texts_per_s'):.0f} texts/s",
                f"{_spread(times)} times its teacher's",
                f"{100 * _mean(rows, metric) / first[metric]:.1f} % kept",
                sep="  ",
                flush=True,
            )


def _seconds(task, texts):
    start = time.perf_counter()
    task.predict(texts)
    return time.perf_counter() - start


def _mean(rows, name):
    return statistics.fmean(row[name] for row in rows)


def _spread(values):
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.fmean(values):.1f} ± {deviation:.1f}"


if __name__ == "__main__":
    app.run(main)
