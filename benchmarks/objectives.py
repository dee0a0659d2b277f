"""Compare pre-training objectives at the same number of operations.

    python benchmarks/objectives.py --input_dir=novels --data_dir=data \\
        --output_dir=runs/objectives --minutes=6
    python benchmarks/objectives.py --output_dir=runs/objectives --report

Every fifth text of --input_dir is held out; its first 200,000 characters are
evaluated. All models are 128 wide, read sequences of 64 word pieces of one
vocabulary, and compute as many matrix products as a processor of
--operations_per_second computes in --minutes. Each row follows the published
recipe of its objective at this size, without dropout and with a larger initial
range and rate. Models whose positions are learned at the hidden size start with
--mimetic_initialization, because the first plateau would hide other differences
in such short runs. The student learns from the RoBERTa row with the same seed;
the operations of its teacher's predictions are included, the teacher's training
is not.

A trained model is scored by

- the held-out masked-LM loss with 15 % of the tokens masked (only masked LMs);
- a linear probe: ridge regression on frozen mean vectors, SST-2 test accuracy;
- fine-tuning on SST-2 (dev accuracy) and on MRPC (test accuracy) with a head on
  the first and the last token.

Seeds are run in rounds: the first seed of all rows, then the second. Each run
adds a JSON line to rows.jsonl in --output_dir. The same command resumes an
interrupted program; finished runs are not repeated. --report prints the table
and writes the plot from these lines.
"""

import dataclasses
import json
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import time

import fine_tuning_tasks
import keras
import numpy as np
from absl import app
from absl import flags
from absl import logging
from flops import pretraining_flops

import keras_bert
from keras_bert.checkpoints.family import read_config
from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.pretraining.objectives.objectives import OBJECTIVES

_INPUT_DIR = flags.DEFINE_string("input_dir", None, "Folder with .txt files.")
_DATA_DIR = flags.DEFINE_string(
    "data_dir", None, "Directory with SST-2 and MRPC."
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "Output directory.", required=True
)
_MINUTES = flags.DEFINE_float(
    "minutes", 6, "Compute budget of a run in minutes."
)
_RATE = flags.DEFINE_float(
    "operations_per_second", 5e10, "Operations per second of compute."
)
_SEEDS = flags.DEFINE_integer(
    "seeds", 3, "Number of seeds per row.", lower_bound=1
)
_ROWS = flags.DEFINE_list("rows", None, "Rows to run; by default all.")
_VOCAB_SIZE = flags.DEFINE_integer("vocab_size", 8000, "Vocabulary size.")
_MAX_EXAMPLES = flags.DEFINE_integer(
    "max_examples",
    None,
    "Maximum number of examples per split; by default all.",
)
_REPORT = flags.DEFINE_bool(
    "report", False, "Only print the table and write the plot."
)
_PLOT_FILE = flags.DEFINE_string(
    "plot_file", None, "Plot file; by default objectives.svg in --output_dir."
)

_ROOT = pathlib.Path(__file__).parents[1]
_SEQ_LENGTH, _BATCH_SIZE = 64, 48
_TEACHER = "RoBERTa"
_EVALUATED = "full_sentences"
_EVALUATED_SIZE = 200_000  # In characters, of each text.


@dataclasses.dataclass(frozen=True)
class _Row:
    """Model, objective and recipe of a row; one in seven tokens is masked."""

    objective: str
    config: str = "bert_tiny"
    packing: str = "full_sentences"
    recipe: str = "--learning_rate=2e-3"
    num_layers: int = 2
    num_predictions: int = 10
    is_masked_lm: bool = True
    is_mimetic: bool = True


def _flagfile(name, learning_rate=2e-3):
    flagfile = f"configs/{name}_pretraining.flags"
    return f"--flagfile={flagfile} --learning_rate={learning_rate}"


_ALL = {
    "BERT": _Row("mlm_nsp", packing="segment_pairs"),
    "no NSP": _Row("mlm", packing="segment_pairs"),
    _TEACHER: _Row("mlm", recipe=_flagfile("roberta")),
    "ALBERT": _Row(
        "mlm_sop",
        "albert_tiny",
        "sentence_order",
        _flagfile("albert", 5e-3),
        is_mimetic=False,
    ),
    "ELECTRA": _Row(
        "electra",
        "electra_tiny",
        recipe=_flagfile("electra"),
        is_masked_lm=False,
        is_mimetic=False,
    ),
    "SpanBERT": _Row("mlm_sbo"),
    "ModernBERT": _Row(
        "mlm",
        "modernbert_tiny",
        recipe=_flagfile("modernbert"),
        num_predictions=20,
        is_mimetic=False,
    ),
    "left to right": _Row(
        "left_to_right", num_predictions=_SEQ_LENGTH, is_masked_lm=False
    ),
    "distilled half": _Row("distillation", num_layers=1),
    "XLNet": _Row("plm", "xlnet_tiny", is_masked_lm=False, is_mimetic=False),
}
# Values of the demo's model, which leaves the first plateau early.
_COMMON = {
    "attention_probs_dropout_prob": 0.0,
    "hidden_dropout_prob": 0.0,
    "dropout": 0.0,
    "initializer_range": 0.05,
}
_SCORES = {
    "mlm_loss": "masked-LM loss",
    "mlm_accuracy": "masked-LM accuracy, %",
    "probe": "SST-2 probe, %",
    "sst2": "SST-2, %",
    "mrpc": "MRPC, %",
}


def main(_):
    logging.set_verbosity(logging.WARNING)
    path = pathlib.Path(_OUTPUT_DIR.value, "rows.jsonl")
    if not _REPORT.value:
        (path.parent / "runs").mkdir(parents=True, exist_ok=True)
        _run_all(path)
    _report(_read_rows(path))


def _rows():
    """Return the rows that the installed library can train."""
    known = {
        name: row
        for name, row in _ALL.items()
        if row.objective in OBJECTIVES
        and (_ROOT / f"configs/{row.config}.json").exists()
    }
    names = _ROWS.value or known
    if not known.keys() >= {*names}:
        raise ValueError(
            f"--rows must be among {', '.join(known)}. Received: {names}."
        )
    return {name: known[name] for name in names}


def _run_all(path):
    for flag in (_INPUT_DIR, _DATA_DIR):
        if flag.value is None:
            raise ValueError(f"--{flag.name} is required without --report.")
    splits = {
        name: fine_tuning_tasks.read_splits(
            name, _DATA_DIR.value, _MAX_EXAMPLES.value
        )
        for name in ("sst2", "mrpc")
    }
    data = path.parent / "data"
    _learn_vocabulary(data)
    for seed in range(_SEEDS.value):
        for name, row in _rows().items():
            context = {"row": name, "seed": seed, "minutes": _MINUTES.value}
            if any(context.items() <= x.items() for x in _read_rows(path)):
                continue
            found = context | _run_row(name, row, seed, data, splits)
            with path.open("a") as file:
                file.write(json.dumps(found) + "\n")
            print(json.dumps(found), flush=True)


def _read_rows(path):
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def _run_row(name, row, seed, data, splits):
    """Pre-train and score one model; return its figures."""
    place = _place(name, seed)
    config = read_config(_ROOT / f"configs/{row.config}.json")
    changes = {
        config.size_keys["L"]: row.num_layers,
        config.size_keys["V"]: _VOCAB_SIZE.value,
        **{name: x for name, x in _COMMON.items() if hasattr(config, name)},
    }
    config = dataclasses.replace(config, **changes)
    steps = _steps(row, config)
    start = time.perf_counter()
    _pretrain(row, config, steps, seed, place, data)
    figures = {
        "steps": steps,
        "seconds": round(time.perf_counter() - start),
        "parameters": _read(place).encoder.count_params(),
    }
    if row.is_masked_lm:
        figures |= _held_out(place, data)
    figures["probe"] = _probe(place, splits["sst2"])
    for task, examples in splits.items():
        figures[task] = _fine_tuned(place, examples, seed)
    keras.utils.clear_session()
    return figures


def _place(name, seed):
    folder = f"{name.replace(' ', '_')}-{seed}-{_MINUTES.value:g}"
    return pathlib.Path(_OUTPUT_DIR.value, "runs", folder)


def _steps(row, config):
    per_example = pretraining_flops(
        config, row.objective, _SEQ_LENGTH, row.num_predictions
    )
    if row.objective == "distillation":
        layers = {"num_hidden_layers": _ALL[_TEACHER].num_layers}
        teacher = dataclasses.replace(config, **layers)
        # The teacher only predicts: a forward pass is a third of a step.
        per_example += (
            pretraining_flops(teacher, "mlm", _SEQ_LENGTH, _SEQ_LENGTH) / 3
        )
    available = 60 * _MINUTES.value * _RATE.value
    return max(round(available / (_BATCH_SIZE * per_example)), 2)


def _learn_vocabulary(data):
    """Divide the texts and learn the vocabulary of all rows."""
    if (data / "vocab.txt").exists():
        return
    texts = sorted(pathlib.Path(_INPUT_DIR.value).glob("*.txt"))
    texts = [text for text in texts if text.name != "SOURCE.txt"]
    if len(texts) < 5:
        raise ValueError(
            "--input_dir must contain at least 5 .txt files. "
            f"Received: {_INPUT_DIR.value!r} with {len(texts)}."
        )
    for number, text in enumerate(texts):
        split = data / ("eval" if number % 5 == 4 else "train")
        split.mkdir(parents=True, exist_ok=True)
        # A part of each held-out text is enough, and evaluated in seconds.
        size = _EVALUATED_SIZE if split.name == "eval" else None
        kept = text.read_text(encoding="utf-8")[:size]
        (split / text.name).write_text(kept, encoding="utf-8")
    _run(
        "tools/learn_vocabulary.py --kind=wordpiece --compact_ids",
        vocab_size=_VOCAB_SIZE.value,
        input_file=f"{data}/train/*.txt",
        output_file=data / "vocab.txt",
    )


def _records(data, split, packing):
    """Return the glob pattern of the records; create them if missing."""
    records = data / f"{split}-{packing}"
    if not any(records.glob("*.tfrecord")):
        _run(
            "tools/create_pretraining_data.py --split_sentences "
            "--masking=dynamic --dupe_factor=1",
            input_file=f"{data}/{split}/*.txt",
            packing=packing,
            max_seq_length=_SEQ_LENGTH,
            output_dir=records,
            vocab_file=data / "vocab.txt",
        )
    return f"{records}/*.tfrecord"


def _pretrain(row, config, steps, seed, place, data):
    config_file = _config_file(place)
    config.to_json(config_file)
    more = {}
    if row.objective == "distillation":
        more["teacher_dir"] = _place(_TEACHER, seed)
        if not more["teacher_dir"].exists():
            raise ValueError(f"Run the row {_TEACHER} before its student.")
    _run(
        f"tools/run_pretraining.py {row.recipe} --precision=float32",
        objective=row.objective,
        max_predictions_per_seq=min(row.num_predictions, 20),
        train_batch_size=_BATCH_SIZE,
        num_train_steps=steps,
        num_warmup_steps=steps // 10,
        mimetic_initialization=row.is_mimetic,
        random_seed=seed,
        save_checkpoints_steps=steps,
        log_steps=100,
        bert_config_file=config_file,
        vocab_file=data / "vocab.txt",
        input_file=_records(data, "train", row.packing),
        output_dir=place,
        **more,
    )


def _held_out(place, data):
    """Return the held-out loss and accuracy of a masked LM."""
    records = _records(data, "eval", _EVALUATED)
    evaluation = place.with_name(f"{place.name}-evaluation")
    _run(
        "tools/run_pretraining.py --objective=mlm --masked_lm_prob=0.15 "
        "--max_predictions_per_seq=10 --num_train_steps=1 --num_warmup_steps=0 "
        "--precision=float32",
        init_checkpoint=place,
        input_file=records,
        eval_file=records,
        output_dir=evaluation,
    )
    lines = (evaluation / "metrics.jsonl").read_text().splitlines()
    points = [json.loads(line) for line in lines]
    first = next(point for point in points if point["split"] == "eval")
    shutil.rmtree(evaluation)
    return {
        "mlm_loss": first["mlm_loss"],
        "mlm_accuracy": 100 * first["mlm_accuracy"],
    }


def _read(place):
    # Few objectives train the pooler, and no score uses it.
    paths = weight_shapes(read_config(_config_file(place)))
    missing = ["pooler"] if "pooler/kernel" in paths else []
    return keras_bert.from_pretrained(place, allow_missing=missing)


def _config_file(place):
    return place.with_name(f"{place.name}.json")


def _probe(place, splits):
    """Return the accuracy of ridge regression on frozen mean vectors."""
    embedder = keras_bert.TextEmbedder(
        _read(place), pooling="mean", seq_length=_SEQ_LENGTH, normalize=False
    )
    (x, y), (test_x, test_y) = (
        (embedder.embed(texts), np.array(labels) == "1")
        for texts, labels in (splits["train"], splits["test"])
    )
    mean, deviation = x.mean(0), x.std(0) + 1e-6
    x, test_x = (
        np.c_[(states - mean) / deviation, np.ones(len(states))]
        for states in (x, test_x)
    )
    penalty = 10 * np.eye(x.shape[1])
    weights = np.linalg.solve(x.T @ x + penalty, x.T @ (2.0 * y - 1))
    return 100 * float(np.mean((test_x @ weights > 0) == test_y))


def _fine_tuned(place, splits, seed):
    keras.utils.set_random_seed(seed)
    classifier = fine_tuning_tasks.EndsClassifier(
        _read(place),
        labels=fine_tuning_tasks.label_names("texts", splits),
        seq_length=_SEQ_LENGTH,
    )
    classifier.fit(
        *splits["train"], epochs=4, learning_rate=5e-4, seed=seed, verbose=0
    )
    split = "dev" if "dev" in splits else "test"
    return 100 * classifier.evaluate(*splits[split])["accuracy"]


def _report(rows):
    """Print the table and write the plot."""
    if not rows:
        raise ValueError(f"No rows.jsonl in --output_dir={_OUTPUT_DIR.value}.")
    minutes = {row["minutes"] for row in rows}
    grouped = {}
    for row in rows:
        label = row["row"]
        if len(minutes) > 1:
            label += f", {row['minutes']:g} minutes"
        grouped.setdefault(label, []).append(row)
    titles = ["objective", "parameters", "steps", "seeds", *_SCORES.values()]
    print("|", " | ".join(titles), "|")
    print("|", "---|" * len(titles), sep="")
    for label, runs in grouped.items():
        first = runs[0]
        cells = [label, f"{first['parameters']:,}", f"{first['steps']:,}"]
        cells += [str(len(runs)), *(_cell(runs, score) for score in _SCORES)]
        print("|", " | ".join(cells), "|")
    _plot(grouped)


def _cell(runs, score):
    values = [run[score] for run in runs if score in run]
    if not values:
        return ""
    digits = 2 if score == "mlm_loss" else 1
    text = f"{statistics.mean(values):.{digits}f}"
    if len(values) > 1:
        text += f" ± {statistics.stdev(values):.{digits}f}"
    return text


def _plot(grouped):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 4), layout="constrained")
    scores = [name for name in _SCORES if name != "mlm_accuracy"]
    panels = figure.subplots(1, len(scores), sharey=True)
    for panel, score in zip(panels, scores, strict=True):
        for number, runs in enumerate(grouped.values()):
            values = [run[score] for run in runs if score in run]
            if values:
                panel.plot(
                    values, [number] * len(values), f"C{number}o", alpha=0.5
                )
                panel.plot(statistics.mean(values), number, "k|", ms=16)
        panel.set(title=_SCORES[score])
        panel.set_yticks(range(len(grouped)), grouped)
        panel.grid(alpha=0.3)
    panels[0].invert_yaxis()
    figure.savefig(
        _PLOT_FILE.value or pathlib.Path(_OUTPUT_DIR.value, "objectives.svg")
    )


def _run(command, **more):
    flags_ = [f"--{name}={value}" for name, value in more.items()]
    finished = subprocess.run(
        [sys.executable, *shlex.split(command), *flags_],
        cwd=_ROOT,
        capture_output=True,
        text=True,
    )
    if finished.returncode:
        print(finished.stdout[-1000:], finished.stderr[-3000:])
        finished.check_returncode()


if __name__ == "__main__":
    app.run(main)
