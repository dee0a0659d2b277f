"""Stress one loaded SavedModel with requests from many threads.

    python benchmarks/studies/serving_soak.py --model_dir=served/texts/1 \\
        --text_file=sentences.txt --minutes=10

MODEL_DIR is a SavedModel of a `TextEmbedder` in float32. It is loaded as in
TensorFlow Serving. Each thread sends requests of 1 to 32 random texts, some
shortened or joined to vary the length. It compares each vector with the vector
of the same text in a separate request; in bfloat16, the third digit would
depend on the other texts of the batch. The memory is read every few seconds.
The program prints the requests, the faults and the peak memory of each minute.
It fails if there was an error, a different vector, or memory growth after the
second minute; until then TensorFlow caches new shapes.
"""

import pathlib
import random
import sys
import threading
import time

import numpy as np
import tensorflow as tf
from absl import app
from absl import flags

sys.path.append(str(pathlib.Path(__file__).parents[1]))

import serving  # noqa: E402

_MODEL_DIR = flags.DEFINE_string(
    "model_dir", None, "SavedModel directory.", required=True
)
_TEXT_FILE = flags.DEFINE_string(
    "text_file", None, "File with one text per line.", required=True
)
_MINUTES = flags.DEFINE_float(
    "minutes", 10.0, "Duration in minutes, at least 3.", lower_bound=3.0
)
_THREADS = flags.DEFINE_integer(
    "threads", 8, "Number of client threads.", lower_bound=1
)
_NUM_TEXTS = flags.DEFINE_integer("num_texts", 512, "Number of distinct texts.")

_MINUTE_S = 60.0
_GROWTH_MIB = 32.0
# Vectors differ slightly with the number of texts in a request.
_TOLERANCE = 1e-5


class _Soak:
    """Client requests with their count and faults.

    Args:
        embed: function from a list of texts to an array of vectors.
        texts: list of str.
        until: float, end time on the clock of `time.monotonic()`.
    """

    def __init__(self, embed, texts, until):
        self.num_requests = 0
        self.faults = []
        self._embed = embed
        self._texts = texts
        self._expected = np.concatenate([embed([text]) for text in texts])
        self._until = until
        self._lock = threading.Lock()

    def send(self, seed):
        rng = random.Random(seed)
        while time.monotonic() < self._until:
            count = rng.randint(1, 32)
            indices = rng.choices(range(len(self._texts)), k=count)
            try:
                vectors = self._embed([self._texts[index] for index in indices])
                error = np.abs(vectors - self._expected[indices]).max()
                fault = (
                    None if error < _TOLERANCE else f"vector differs by {error}"
                )
            except tf.errors.OpError as failure:
                fault = str(failure)
            with self._lock:
                self.num_requests += 1
                if fault is not None:
                    self.faults.append(fault)


def main(_):
    embed = serving.load_saved_model(_MODEL_DIR.value)
    start = time.monotonic()
    soak = _Soak(embed, _mixed_texts(), start + 60 * _MINUTES.value)
    threads = [
        threading.Thread(target=soak.send, args=[seed])
        for seed in range(_THREADS.value)
    ]
    for thread in threads:
        thread.start()
    memory = []
    while any(thread.is_alive() for thread in threads):
        time.sleep(5)
        memory.append((time.monotonic() - start, serving.memory_mib("VmRSS")))
    minutes = _peak_by_minute(memory)
    growth = max(minutes[2:]) - minutes[1]
    print(
        f"{soak.num_requests} requests, {len(soak.faults)} faults, "
        f"{growth:.0f} MiB growth of the peak after the second minute"
    )
    print("MiB by minute:", *(f"{mib:.0f}" for mib in minutes))
    for fault in soak.faults[:5]:
        print(fault)
    if soak.faults or growth > _GROWTH_MIB:
        sys.exit(1)


def _peak_by_minute(memory):
    """Return the peak of each minute from (seconds, MiB) pairs."""
    peaks = {}
    for seconds, mib in memory:
        minute = int(seconds // _MINUTE_S)
        peaks[minute] = max(mib, peaks.get(minute, 0.0))
    return [peaks[minute] for minute in sorted(peaks)]


def _mixed_texts():
    """Return texts of one to a few hundred words."""
    rng = random.Random(0)
    lines = serving.read_texts(_TEXT_FILE.value)
    texts = []
    for number in range(_NUM_TEXTS.value):
        text = lines[number % len(lines)]
        kind = number % 4
        if kind == 1:
            text = text.split()[0]
        elif kind == 2:
            text = " ".join(rng.choices(lines, k=8))
        texts.append(text)
    return texts


if __name__ == "__main__":
    app.run(main)
