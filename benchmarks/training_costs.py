"""Compare time and memory of several ways to fine-tune, and of transformers.

    python benchmarks/training_costs.py --model_dir=all-MiniLM-L6-v2 \\
        --text_file=texts.txt --output_file=costs.jsonl \\
        --transformers_python=peer/bin/python

Each line of --text_file is a text. All ways train a classifier in float32 on
the same batches of texts of similar length, and alternate. Each run is a
process of its own. The figures are the median number of examples per second
after the third step, and the peak memory that training adds to the process with
the loaded model. For keras_bert, `first` and `second` are the seconds of two
calls of `fit` with six texts. Each run adds a line to --output_file; finished
runs are not repeated. The program ends with the medians over the rounds.
"""

import argparse
import json
import pathlib
import resource
import sys
import time

import measuring

_WAYS = {
    "all weights": {},
    "two parallel parts": {"parallel_parts": 2},
    "recompute": {"recompute": True},
    "half of the layers frozen": {"num_frozen_layers": 3},
    "LoRA": {"lora_rank": 8},
    "LoRA, recompute": {"lora_rank": 8, "recompute": True},
    "transformers": None,
}
_NUM_STEPS = 12
_NUM_WARM_UP = 3


def main():
    args = _arguments().parse_args()
    if args.alone:
        print(json.dumps(_measured(args)))
        return
    path = pathlib.Path(args.output_file)
    lines = path.read_text().splitlines() if path.exists() else []
    runs = [json.loads(line) for line in lines]
    for number in range(args.rounds):
        for way in args.way or _WAYS:
            key = {
                "way": way,
                "round": number,
                "batch_size": args.batch_size,
                "num_words": args.num_words,
            }
            if any(key.items() <= run.items() for run in runs):
                continue
            is_ours = _WAYS[way] is not None
            python = sys.executable if is_ours else args.transformers_python
            command = [python, *sys.argv, f"--alone={way}"]
            runs.append({**key, **json.loads(measuring.output(command))})
            print(json.dumps(runs[-1]), flush=True)
            with path.open("a") as file:
                file.write(json.dumps(runs[-1]) + "\n")
    for way in _WAYS:
        own = [run for run in runs if run["way"] == way]
        names = ("per_s", "added_mib", "peak_mib", "first_s", "second_s")
        figures = [
            f"{name} {measuring.median([run[name] for run in own]):.3g}"
            for name in names
            if own and name in own[0]
        ]
        print(way, *figures, sep="  ")


def _arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--model_dir", required=True, help="BERT checkpoint")
    parser.add_argument("--text_file", required=True, help="a text per line")
    parser.add_argument("--output_file", required=True, help="JSON lines")
    parser.add_argument("--transformers_python", default=sys.executable)
    parser.add_argument("--way", action="append", choices=[*_WAYS])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument(
        "--num_words", type=int, default=20, help="words of each text"
    )
    parser.add_argument("--alone", help="measure one way in this process")
    return parser


def _measured(args):
    """Return the figures of one way."""
    words = pathlib.Path(args.text_file).read_text().split()
    count = args.batch_size * _NUM_STEPS
    texts = [
        " ".join(words[i * args.num_words : (i + 1) * args.num_words])
        for i in range(count)
    ]
    labels = [i % 2 for i in range(count)]
    options = _WAYS[args.alone]
    if options is None:
        return _of_transformers(args, texts, labels)
    return _of_keras_bert(args, texts, labels, options)


def _of_keras_bert(args, texts, labels, options):
    import keras

    from keras_bert import tasks
    from keras_bert.cli import shared_flags

    shared_flags.set_operation_threads(options.get("parallel_parts", 1))
    classifier = tasks.TextClassifier.from_pretrained(
        args.model_dir, labels=["0", "1"], seq_length=512
    )
    fixed = []
    for _ in range(2):
        start = time.perf_counter()
        classifier.fit(texts[:6], labels[:6], epochs=1, verbose=0, **options)
        fixed.append(time.perf_counter() - start)
    clock = _Clock(args.batch_size)

    class Steps(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            clock.step()

    before = _peak_mib()
    classifier.fit(
        texts,
        labels,
        epochs=1,
        batch_size=args.batch_size,
        callbacks=[Steps()],
        verbose=0,
        **options,
    )
    return {
        **clock.figures(before),
        "first_s": fixed[0],
        "second_s": fixed[1],
    }


def _of_transformers(args, texts, labels):
    import torch
    from transformers import AutoModelForSequenceClassification
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(args.model_dir)
    model = AutoModelForSequenceClassification.from_pretrained(args.model_dir)
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), 2e-5)
    texts = sorted(texts, key=len)
    clock, before = _Clock(args.batch_size), _peak_mib()
    for start in range(0, len(texts), args.batch_size):
        rows = slice(start, start + args.batch_size)
        batch = tokenizer(
            texts[rows], padding=True, truncation=True, return_tensors="pt"
        )
        loss = model(**batch, labels=torch.tensor(labels[rows])).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        clock.step()
    return clock.figures(before)


class _Clock:
    """Times of training steps."""

    def __init__(self, batch_size):
        self._batch_size = batch_size
        self._times = []

    def step(self):
        self._times.append(time.perf_counter())

    def figures(self, before):
        """Return the speed, and the peak memory compared with `before`."""
        times = self._times[_NUM_WARM_UP - 1 :]
        seconds = [b - a for a, b in zip(times, times[1:], strict=False)]
        return {
            "per_s": self._batch_size / measuring.median(seconds),
            "added_mib": _peak_mib() - before,
            "peak_mib": _peak_mib(),
        }


def _peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
