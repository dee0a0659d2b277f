"""Asks one loaded SavedModel from many threads, for long.

    python benchmarks/serving_soak.py --model_dir=served/texts/1 \\
        --text_file=sentences.txt --minutes=10

MODEL_DIR is a SavedModel of a `TextEmbedder` in float32, loaded as TensorFlow
Serving does. Each thread sends requests of 1 to 32 random texts, some cut or
joined to other lengths, and compares each answer with what the text got alone
before; in bfloat16 it would depend on the texts beside it in the third digit.
Memory is read every few seconds. Prints requests, faults and the most memory of
each minute, and fails if there was an error, an answer other than that, or
growth after the second minute. Until then TensorFlow meets new shapes and keeps
something for each.
"""

import random
import sys
import threading
import time

import numpy as np
import serving
import tensorflow as tf
from absl import app
from absl import flags

_MODEL_DIR = flags.DEFINE_string(
    "model_dir", None, "The SavedModel.", required=True
)
_TEXT_FILE = flags.DEFINE_string(
    "text_file", None, "Texts, one a line.", required=True
)
_MINUTES = flags.DEFINE_float(
    "minutes", 10.0, "How long, 3 at least.", lower_bound=3.0
)
_THREADS = flags.DEFINE_integer("threads", 8, "Clients.", lower_bound=1)
_NUM_TEXTS = flags.DEFINE_integer("num_texts", 512, "Different texts.")

_MINUTE_S = 60.0
_GROWTH_MIB = 32.0
# The sums of a row depend on how many rows are computed together.
_TOLERANCE = 1e-5


class _Soak:
    """Threads that ask, and what they saw.

    Args:
        embed: function from an array of texts to vectors.
        texts: list of str.
        until: float, when to stop, by `time.monotonic()`.
    """

    def __init__(self, embed, texts, until):
        self.num_requests = 0
        self.faults = []
        self._embed = embed
        self._texts = texts
        self._expected = np.concatenate([embed([text]) for text in texts])
        self._until = until
        self._lock = threading.Lock()

    def ask(self, seed):
        choose = random.Random(seed)
        while time.monotonic() < self._until:
            count = choose.randint(1, 32)
            places = choose.choices(range(len(self._texts)), k=count)
            try:
                vectors = self._embed([self._texts[place] for place in places])
                error = np.abs(vectors - self._expected[places]).max()
                fault = None if error < _TOLERANCE else f"{error} off"
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
        threading.Thread(target=soak.ask, args=[seed])
        for seed in range(_THREADS.value)
    ]
    for thread in threads:
        thread.start()
    memory = []
    while any(thread.is_alive() for thread in threads):
        time.sleep(5)
        memory.append((time.monotonic() - start, serving.memory_mib("VmRSS")))
    minutes = _most_by_minute(memory)
    growth = max(minutes[2:]) - minutes[1]
    print(
        f"{soak.num_requests} requests, {len(soak.faults)} faults, "
        f"{growth:.0f} MiB more at most than in the second minute"
    )
    print("MiB by minute:", *(f"{mib:.0f}" for mib in minutes))
    for fault in soak.faults[:5]:
        print(fault)
    if soak.faults or growth > _GROWTH_MIB:
        sys.exit(1)


def _most_by_minute(memory):
    """The greatest of each minute, from pairs of seconds and MiB."""
    most = {}
    for seconds, mib in memory:
        minute = int(seconds // _MINUTE_S)
        most[minute] = max(mib, most.get(minute, 0.0))
    return [most[minute] for minute in sorted(most)]


def _mixed_texts():
    """Texts of one word up to some hundreds."""
    choose = random.Random(0)
    lines = serving.read_texts(_TEXT_FILE.value)
    texts = []
    for number in range(_NUM_TEXTS.value):
        text = lines[number % len(lines)]
        kind = number % 4
        if kind == 1:
            text = text.split()[0]
        elif kind == 2:
            text = " ".join(choose.choices(lines, k=8))
        texts.append(text)
    return texts


if __name__ == "__main__":
    app.run(main)
