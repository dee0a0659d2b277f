"""Measure the memory that remains after rounds of load, fit and delete.

    python benchmarks/studies/fit_memory.py \\
        --model_dir=DIR --tasks=classifier,embedder

A new process for each task prints its resident memory in MiB after each round
and the seconds of the last `fit`.
"""

import subprocess
import sys

from absl import app
from absl import flags

_TASKS = flags.DEFINE_list(
    "tasks",
    [
        "classifier",
        "regressor",
        "tagger",
        "answers",
        "choices",
        "embedder",
        "cached",
        "several",
        "ranker",
        "few_shot",
        "denoising",
        "distillation",
        "keras",
    ],
    "Tasks to train.",
)
_MODEL_DIR = flags.DEFINE_string(
    "model_dir", None, "Directory of a model; the included one by default."
)
_ROUNDS = flags.DEFINE_integer("rounds", 10, "Number of rounds.")

_PROGRAM = """
import gc, sys, time
import numpy as np
import keras_bert as kb

name, directory, rounds = sys.argv[1:]
directory = directory or kb.TINY_MODEL
texts, names = ["a fine list", "the function fails"] * 8, ["p", "n"] * 8
numbers, labels = [0, 1] * 8, {"labels": ["p", "n"], "seq_length": 16}
pairs = [(f"{text} {n}", f"{text} now") for n, text in enumerate(texts)]
ranking = kb.losses.MultipleNegativesRankingLoss
squad = {"version": "1.1", "data": [{"title": "", "paragraphs": [{
    "context": texts[0],
    "qas": [{"id": "1", "question": "Which list?", "answers": [
        {"text": "fine", "answer_start": 2}]}],
}]}]}

def load(task, **arguments):
    return getattr(kb, task).from_pretrained(directory, **arguments)

def few_shot():
    return kb.FewShotClassifier(load("TextEmbedder"), labels=["p", "n"])

def classifier():
    return load("TextClassifier", **labels)

def embedder():
    return load("TextEmbedder")

def keras_fit(task, **unused):
    task.model.compile("sgd", "mse", jit_compile=False)
    targets = {"logits": np.zeros((16, 2))}
    task.model.fit(task.preprocess(texts), targets, verbose=0)

words = [text.split() for text in texts]
tags = [["O"] * len(each) for each in words]
triples = [(*pair, "no") for pair in pairs]
both = {"pairs": pairs, "triples": triples}
# How a task is loaded, and a function that trains it.
tasks = {
    "classifier": (classifier, lambda x, **r: x.fit(texts, names, **r)),
    "distillation": (
        classifier,
        lambda x, **r: x.fit(texts, names, teacher=classifier(), **r),
    ),
    "keras": (classifier, keras_fit),
    "regressor": (
        lambda: load("TextRegressor"),
        lambda x, **r: x.fit(pairs, numbers, **r),
    ),
    "ranker": (
        lambda: load("PairRanker"),
        lambda x, **r: x.fit(pairs, numbers, **r),
    ),
    "tagger": (
        lambda: load("TokenClassifier", labels=["O", "B-X", "I-X"]),
        lambda x, **r: x.fit(words, tags, **r),
    ),
    "answers": (
        lambda: load("QuestionAnswerer"),
        lambda x, **r: x.fit(squad, **r),
    ),
    "choices": (
        lambda: load("MultipleChoice"),
        lambda x, **r: x.fit([("a list", texts[:2])] * 4, [0, 1] * 2, **r),
    ),
    "embedder": (embedder, lambda x, **r: x.fit(pairs, **r)),
    "cached": (embedder, lambda x, **r: x.fit(pairs, mini_batch_size=4, **r)),
    "several": (
        embedder,
        lambda x, **r: x.fit(
            both, loss={name: ranking() for name in both}, **r
        ),
    ),
    "few_shot": (
        few_shot, lambda x, **r: x.fit(texts, names, num_iterations=1, **r)
    ),
    "denoising": (
        embedder, lambda x, **r: kb.tasks.fit_denoising(x, texts, **r)
    ),
}
make, fit = tasks[name]
for _ in range(int(rounds)):
    task = make()
    start = time.perf_counter()
    fit(task, epochs=1, batch_size=16, verbose=0)
    seconds = time.perf_counter() - start
    del task
    gc.collect()
    pages = int(open("/proc/self/statm").read().split()[1])
    print(pages // 256, end=" ", flush=True)
print(f"MiB; last fit {seconds:.1f} s")
"""


def main(_):
    for name in _TASKS.value:
        print(f"{name:12}", end=" ", flush=True)
        subprocess.run(
            [
                sys.executable,
                "-c",
                _PROGRAM,
                name,
                _MODEL_DIR.value or "",
                str(_ROUNDS.value),
            ],
            stderr=subprocess.DEVNULL,
            check=True,
        )


if __name__ == "__main__":
    app.run(main)
