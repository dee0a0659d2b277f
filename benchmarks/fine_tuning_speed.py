"""Fine-tunes a classifier here and with transformers, in turn.

    python benchmarks/fine_tuning_speed.py --model_dir=minilm \\
        --train_file=train.tsv --dev_file=dev.tsv --test_file=test.tsv \\
        --text_columns=0 --label_column=1 --peer_python=hf/bin/python

Whole processes run in turn, one for each seed. Each fine-tunes a few steps to
warm up, then the published weights for all epochs, tokenisation included, and
labels the test file, sorted by length. Both have the same recipe; medians and
deviations over the seeds are printed, and each run's figures as a JSON line.
Without a peer ours runs alone.
"""

import json
import pathlib
import resource
import statistics
import sys
import tempfile
import time

import keras
import measuring
from absl import app
from absl import flags

import keras_bert

_MODEL_DIR = flags.DEFINE_string(
    "model_dir", None, "Checkpoint of Hugging Face.", required=True
)
_FILES = {
    split: flags.DEFINE_string(
        f"{split}_file", None, "Labelled texts, as TSV.", required=True
    )
    for split in ("train", "dev", "test")
}
_TEXT_COLUMNS = flags.DEFINE_list(
    "text_columns", ["0"], "One or two columns, by name or number."
)
_LABEL_COLUMN = flags.DEFINE_string("label_column", "1", "Likewise.")
_PEER_PYTHON = flags.DEFINE_string(
    "peer_python", None, "Python with torch and transformers."
)
_EPOCHS = flags.DEFINE_integer("epochs", 3, "Passes over the examples.")
_RATE = flags.DEFINE_float("learning_rate", 5e-5, "After the warm-up.")
_SEEDS = flags.DEFINE_integer("seeds", 3, "Runs of each.")
_PRECISION = flags.DEFINE_enum(
    "precision", "bfloat16", ["float32", "bfloat16"], "Of the products."
)
_OURS = flags.DEFINE_string(
    "ours", None, "Run ours once, in this process: DATA_DIR,SEED."
)

_PEER = pathlib.Path(__file__).with_name("fine_tuning_hugging_face.py")
_POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16"}


def main(_):
    if _OURS.value:
        directory, seed = _OURS.value.rsplit(",", 1)
        print(json.dumps(_measure_ours(pathlib.Path(directory), int(seed))))
        return
    with tempfile.TemporaryDirectory() as directory:
        _write_data(pathlib.Path(directory))
        results = {}
        for seed in range(_SEEDS.value):
            for name, command in _commands(directory, seed).items():
                line = measuring.output(command)
                results.setdefault(name, []).append(json.loads(line))
                print(seed, name, line, flush=True)
    for name, runs in results.items():
        print(name, "  ".join(_summary(key, runs) for key in runs[0]))


def _commands(directory, seed):
    ours = f"--ours={directory},{seed}"
    commands = {"keras_bert": [sys.executable, *sys.argv, ours]}
    if _PEER_PYTHON.value:
        commands["transformers"] = [
            *(_PEER_PYTHON.value, str(_PEER), _MODEL_DIR.value, directory),
            *(str(seed), str(_EPOCHS.value), str(_RATE.value)),
            _PRECISION.value,
        ]
    return commands


def _summary(key, runs):
    values = [run[key] for run in runs]
    text = f"{key} {statistics.median(values):.4g}"
    if len(values) > 1:
        text += f" (mean {statistics.mean(values):.4g} ± "
        text += f"{statistics.stdev(values):.2g})"
    return text


def _write_data(directory):
    """The texts and the labels, as numbers, for both sides."""
    columns = [_column(name) for name in _TEXT_COLUMNS.value]
    texts = dict(zip(("text", "text_pair"), columns))
    label = {"label": _column(_LABEL_COLUMN.value)}
    for split, flag in _FILES.items():
        table = keras_bert.data.read_table(flag.value, texts, label)
        rows = [*zip(*(table.columns[name] for name in texts))]
        values = {
            "texts": rows if len(texts) == 2 else [row for (row,) in rows],
            "labels": [int(label) for label in table.columns["label"]],
        }
        (directory / f"{split}.json").write_text(json.dumps(values))


def _column(name):
    return int(name) if name.isdigit() else name


def _measure_ours(directory, seed):
    keras.config.set_dtype_policy(_POLICIES[_PRECISION.value])
    data = {
        split: json.loads((directory / f"{split}.json").read_text())
        for split in _FILES
    }
    texts, labels = data["train"]["texts"], data["train"]["labels"]
    recipe = {"learning_rate": _RATE.value, "seed": seed, "verbose": 0}
    _classifier(labels).fit(texts[:64], labels[:64], epochs=1, **recipe)
    keras.utils.set_random_seed(seed)
    classifier = _classifier(labels)
    start = time.perf_counter()
    classifier.fit(texts, labels, epochs=_EPOCHS.value, **recipe)
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    classifier.predict(data["test"]["texts"])
    predict_seconds = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "train_per_s": len(texts) * _EPOCHS.value / seconds,
        "predict_per_s": len(data["test"]["texts"]) / predict_seconds,
        "peak_rss_mb": usage.ru_maxrss // 1024,
        **{
            split: classifier.evaluate(**data[split])["accuracy"]
            for split in ("dev", "test")
        },
    }


def _classifier(labels):
    names = [str(label) for label in sorted({*labels})]
    return keras_bert.TextClassifier.from_pretrained(
        _MODEL_DIR.value, labels=names
    )


if __name__ == "__main__":
    app.run(main)
