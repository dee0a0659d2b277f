"""Compare fine-tuning with this library and with others on real data.

    python benchmarks/fine_tune.py --library=ours --library=hugging_face \\
        --task=sst2 --task=mrpc --model_dir=minilm --data_dir=data \\
        --hugging_face_python=hf/bin/python --output_file=quality.jsonl

--data_dir has a folder of published files for each dataset: sst2, mrpc,
wnut17, codah and squad. The task `squad` uses the answerable questions,
`squad_v2` all questions. `sst2_features` and `mrpc_features` train an LSTM head
on a frozen encoder. Libraries:

- ours: each batch is split into one part per core;
- hugging_face: the same recipe with transformers and torch. Both train on
  batches of 32 examples of similar length with AdamW, weight decay 0.01, warmup
  over a tenth of the steps and gradients clipped to norm 1, and are scored
  after the last epoch;
- hugging_face_pipeline: its pipeline labels the test split with the fastest of
  several batch sizes (texts only);
- keras_hub: KerasHub's defaults, padded to the full length (texts only).

Each seed of each library runs in its own process, and the libraries alternate.
A process fine-tunes a few steps to warm up, then fine-tunes MODEL_DIR with the
recipe and predicts; both times include tokenization. The same code scores all
libraries. Each run adds a line to --output_file; finished runs are not
repeated. The program ends with the means and standard deviations over the
seeds, and the ratio of our median to the median of each library.

Only the standard library is imported before a library is chosen, so that the
Python of a peer needs only the peer.
"""

import argparse
import dataclasses
import json
import logging
import os
import pathlib
import random
import resource
import statistics
import sys
import tempfile
import time

_POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16"}
_BATCH_SIZE = 32
_PREDICTION_BATCH_SIZE = 64
_NUM_WARM_UP = 64
_FIGURES = "train_per_s", "predict_per_s", "peak_mib"


def main():
    args = _arguments().parse_args()
    if args.work_dir:
        print(json.dumps(_measured(args)))
        return
    output = args.output_file and pathlib.Path(args.output_file)
    done = []
    if output and output.exists():
        done = [*map(json.loads, output.read_text().splitlines())]
    for name in args.task or ["sst2"]:
        runs = _runs(name, args, done, output)
        for library, own in runs.items():
            print(name, library, *_summary(own), sep="  ", flush=True)
        for line in _ratios(runs):
            print(name, line)


def _arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--library", action="append", choices=[*_LIBRARIES])
    parser.add_argument("--task", action="append", help="default: sst2")
    parser.add_argument("--model_dir", required=True, help="BERT checkpoint")
    parser.add_argument("--data_dir", help="folders of the datasets")
    parser.add_argument("--output_file", help="JSON lines of the runs")
    parser.add_argument(
        "--hugging_face_python", help="Python with transformers"
    )
    parser.add_argument("--keras_hub_python", help="Python with keras_hub")
    parser.add_argument("--seeds", type=int, default=3, help="runs per library")
    parser.add_argument("--precision", choices=_POLICIES, default="bfloat16")
    parser.add_argument("--epochs", type=int, help="default: from the recipe")
    parser.add_argument("--max_examples", type=int, help="maximum per split")
    parser.add_argument("--work_dir", help="measure one library here")
    parser.add_argument("--seed", type=int, default=0, help="with --work_dir")
    return parser


def _runs(name, args, done, output):
    """Return the runs of a task by library; start the missing ones."""
    import fine_tuning_tasks

    task = fine_tuning_tasks.TASKS[name]
    task = dataclasses.replace(task, epochs=args.epochs or task.epochs)
    splits = fine_tuning_tasks.read_splits(
        name, args.data_dir, args.max_examples
    )
    runs = {library: [] for library in args.library or ["ours"]}
    with tempfile.TemporaryDirectory() as directory:
        fine_tuning_tasks.write_task(directory, task, splits)
        for seed in range(args.seeds):
            for library, own in runs.items():
                context = {
                    "task": name,
                    "library": library,
                    "seed": seed,
                    "precision": args.precision,
                    "epochs": task.epochs,
                    "max_examples": args.max_examples,
                }
                known = [r for r in done if context.items() <= r.items()]
                run = known[0] if known else None
                if run is None:
                    found = _run(library, args, directory, seed)
                    scores = _scores(task.kind, splits, found)
                    run = {**context, **scores, **found}
                line = json.dumps(run)
                print(line, flush=True)
                own.append(run)
                if output and not known:
                    with output.open("a") as file:
                        file.write(line + "\n")
    return runs


def _run(library, args, directory, seed):
    import measuring

    python = _LIBRARIES[library][1](args)
    command = [
        python,
        __file__,
        f"--library={library}",
        f"--model_dir={args.model_dir}",
        f"--work_dir={directory}",
        f"--precision={args.precision}",
        f"--seed={seed}",
    ]
    return json.loads(measuring.output(command))


def _scores(kind, splits, found):
    """Return the scores of a run; remove its predictions."""
    import fine_tuning_tasks

    scores = {}
    for split, predictions in sorted(found.pop("predictions", {}).items()):
        values = fine_tuning_tasks.scores(kind, *splits[split], predictions)
        scores.update({f"{split}_{key}": x for key, x in values.items()})
    return scores


def _summary(runs):
    """Yield the mean and standard deviation of each figure over the seeds."""
    for key, value in runs[0].items():
        values = [run[key] for run in runs]
        if key.endswith("has_collapsed"):
            yield f"{key} {sum(values)} of {len(values)}"
        elif isinstance(value, float) or key == "peak_mib":
            text = f"{key} {statistics.mean(values):.4g}"
            if len(values) > 1:
                text += f" ± {statistics.stdev(values):.2g}"
            yield text


def _ratios(runs):
    """Yield lines with the median of each library, and the ratio of ours."""
    for figure in _FIGURES:
        medians = {
            library: statistics.median(run[figure] for run in own)
            for library, own in runs.items()
            if figure in own[0]
        }
        for library, value in medians.items():
            line = f"{figure}  {library}: {value:.0f}"
            if "ours" in medians:
                line += f", ratio of ours {medians['ours'] / value:.2f}"
            yield line


def _measured(args):
    """Fine-tune and predict once in this process; return the figures."""
    recipe, splits = (
        json.loads(pathlib.Path(args.work_dir, name).read_text())
        for name in ("recipe.json", "splits.json")
    )
    (name,) = args.library
    if name == "hugging_face_pipeline":
        import hugging_face

        figures = hugging_face.pipeline_speed(
            args.model_dir, recipe, splits, args.precision
        )
        return {**figures, "peak_mib": _peak_mib()}
    library = _LIBRARIES[name][0](args.model_dir, recipe, args.precision)
    inputs, labels = splits.pop("train")
    some = inputs[:_NUM_WARM_UP], labels[:_NUM_WARM_UP]
    warm = library.make(0)
    library.fit(warm, *some, epochs=1, seed=0)
    library.predict(warm, some[0])
    model = library.make(args.seed)
    start = time.perf_counter()
    library.fit(model, inputs, labels, epochs=recipe["epochs"], seed=args.seed)
    fitted = time.perf_counter()
    predictions = {
        split: library.predict(model, questions)
        for split, (questions, _) in splits.items()
    }
    seconds = time.perf_counter() - fitted
    num_predicted = sum(len(questions) for questions, _ in splits.values())
    return {
        "train_per_s": len(inputs) * recipe["epochs"] / (fitted - start),
        "predict_per_s": num_predicted / seconds,
        "peak_mib": _peak_mib(),
        "predictions": predictions,
        "warnings": getattr(library, "warnings", []),
    }


def _peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


class _Ours:
    """Build, fit and run models of one task with this library."""

    def __init__(self, model_dir, recipe, precision):
        import absl.logging
        import keras
        import tensorflow as tf

        import keras_bert

        keras.config.set_dtype_policy(_POLICIES[precision])
        self.num_cores = len(os.sched_getaffinity(0))
        if self.num_cores > 1:
            tf.config.threading.set_intra_op_parallelism_threads(1)
        self.model_dir = model_dir
        self.rate, self.kind = recipe["learning_rate"], recipe["kind"]
        self.options = {"seq_length": recipe["seq_length"]}
        if recipe["labels"]:
            self.options["labels"] = recipe["labels"]
        self.task, self.key = {
            "texts": (keras_bert.TextClassifier, "label"),
            "features": (keras_bert.tasks.FeatureTextClassifier, "label"),
            "words": (keras_bert.TokenClassifier, None),
            "choices": (keras_bert.MultipleChoice, "choice"),
            "questions": (keras_bert.QuestionAnswerer, "answer"),
        }[self.kind]
        self.warnings = []
        handler = logging.Handler(logging.WARNING)
        handler.emit = lambda record: self.warnings.append(record.getMessage())
        absl.logging.get_absl_logger().addHandler(handler)

    def make(self, seed):
        import keras

        keras.utils.set_random_seed(seed)
        self.warnings.clear()
        return self.task.from_pretrained(self.model_dir, **self.options)

    def fit(self, model, inputs, labels, epochs, seed):
        from fine_tuning_tasks import squad_object

        data = [inputs, labels]
        if self.kind == "questions":
            data = [squad_object(inputs, labels)]
        model.fit(
            *data,
            epochs=epochs,
            learning_rate=self.rate,
            seed=seed,
            parallel_parts=self.num_cores,
            verbose=0,
        )

    def predict(self, model, inputs):
        if self.kind == "words":
            return model.predict_words(inputs)
        return [answer[self.key] for answer in model.predict(inputs)]


class _KerasHub:
    """Fit and run one KerasHub classifier; the warm-up run traces it."""

    def __init__(self, model_dir, recipe, precision):
        os.environ["KERAS_BACKEND"] = "tensorflow"
        import keras
        import keras_hub

        keras.config.set_dtype_policy(_POLICIES[precision])
        self.names = recipe["labels"]
        self.model = keras_hub.models.BertTextClassifier.from_preset(
            model_dir, num_classes=len(self.names)
        )
        self.model.preprocessor.sequence_length = recipe["seq_length"]

    def make(self, seed):
        return self.model

    def fit(self, model, inputs, labels, epochs, seed):
        # KerasHub does not shuffle.
        rows = [*zip(inputs, labels, strict=True)]
        random.Random(seed).shuffle(rows)
        texts = [text for text, _ in rows]
        ids = [self.names.index(label) for _, label in rows]
        model.fit(texts, ids, batch_size=_BATCH_SIZE, epochs=epochs, verbose=0)

    def predict(self, model, inputs):
        logits = model.predict(
            inputs, batch_size=_PREDICTION_BATCH_SIZE, verbose=0
        )
        return [self.names[index] for index in logits.argmax(axis=-1)]


def _hugging_face(*arguments):
    import hugging_face

    return hugging_face.HuggingFace(*arguments)


# For each library, its class and a function from arguments to its Python.
_LIBRARIES = {
    "ours": (_Ours, lambda args: sys.executable),
    "hugging_face": (_hugging_face, lambda args: args.hugging_face_python),
    "hugging_face_pipeline": (None, lambda args: args.hugging_face_python),
    "keras_hub": (_KerasHub, lambda args: args.keras_hub_python),
}


if __name__ == "__main__":
    main()
