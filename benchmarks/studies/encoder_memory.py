"""Compare the time and peak memory of an encoder with transformers.

    python benchmarks/studies/encoder_memory.py --peer_python=hf/bin/python \\
        --config_file=configs/deberta_v3_small.json

A checkpoint with random weights is written in Hugging Face's format. New
processes on one core alternate; each loads it and encodes one batch of one
length, twice to warm up and then --steps times. The program prints medians over
the repetitions: the median CPU time of a step, and the peak memory of the
process after the imports, after loading and at the end. PEER_PYTHON needs torch
and transformers.
"""

import json
import pathlib
import sys
import tempfile

from absl import app
from absl import flags

sys.path.append(str(pathlib.Path(__file__).parents[1]))

import measuring  # noqa: E402

_CONFIG = flags.DEFINE_string(
    "config_file",
    str(pathlib.Path(__file__).parents[2] / "configs/deberta_v3_small.json"),
    "Config of the model.",
)
_PEER_PYTHON = flags.DEFINE_string(
    "peer_python", None, "Python with torch and transformers."
)
_LENGTHS = flags.DEFINE_list(
    "lengths", ["128", "512"], "Numbers of tokens per text."
)
_BATCH_SIZE = flags.DEFINE_integer(
    "batch_size", 1, "Number of texts per batch."
)
_STEPS = flags.DEFINE_integer("steps", 10, "Number of timed batches.")
_REPETITIONS = flags.DEFINE_integer(
    "repetitions", 3, "Number of runs per library."
)

_WRITE = """
import sys
import keras_bert
from keras_bert.checkpoints.family import read_config
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
config = read_config(sys.argv[1])
words = [f"word{i}" for i in range(config.vocab_size - len(SPECIAL_TOKENS))]
model = keras_bert.checkpoints.PretrainedModel.from_config(
    config,
    keras_bert.text.BertTokenizer(
        keras_bert.text.Vocabulary([*SPECIAL_TOKENS, *words])
    ),
    [],
)
keras_bert.save_pretrained(model, sys.argv[2], format="hf")
"""
_SHARED = """
import json, os, resource, statistics, sys, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import numpy as np
path, length, batch_size, steps = sys.argv[1], *map(int, sys.argv[2:])
ids = 5 + np.arange(batch_size * length).reshape(batch_size, length) % 1000
peaks = []
def note():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    peaks.append(usage.ru_maxrss / 1024)
def measure(encode):
    encode(), encode()
    times = []
    for _ in range(steps):
        start = time.process_time()
        encode()
        times.append(time.process_time() - start)
    note()
    print(json.dumps([statistics.median(times), *peaks]))
"""
_OURS = """
import keras_bert.checkpoints.pretrained
import tensorflow as tf
note()
model = keras_bert.from_pretrained(path)
note()
inputs = {"input_ids": ids, "input_mask": np.ones_like(ids)}
inputs = {k: tf.constant(x, tf.int32) for k, x in inputs.items()}
encoder = tf.function(lambda x: model.encoder(x)["sequence_output"])
measure(lambda: encoder(inputs).numpy())
"""
_THEIRS = """
import torch, transformers
note()
model = transformers.AutoModel.from_pretrained(path).float().eval()
note()
inputs = torch.from_numpy(ids)
def encode():
    with torch.inference_mode():
        model(input_ids=inputs, attention_mask=torch.ones_like(inputs))
measure(encode)
"""


def main(_):
    programs = {"keras_bert": [sys.executable, "-c", _SHARED + _OURS]}
    if _PEER_PYTHON.value:
        peer = [_PEER_PYTHON.value, "-c", _SHARED + _THEIRS]
        programs["transformers"] = peer
    with tempfile.TemporaryDirectory() as directory:
        write = [sys.executable, "-c", _WRITE, _CONFIG.value, directory]
        measuring.output(write)
        for length in _LENGTHS.value:
            rest = [directory, length, str(_BATCH_SIZE.value)]
            figures = {name: [] for name in programs}
            for _ in range(_REPETITIONS.value):
                for name, program in programs.items():
                    command = [*program, *rest, str(_STEPS.value)]
                    figures[name].append(json.loads(measuring.output(command)))
            for name, runs in figures.items():
                step, *peaks = map(measuring.median, zip(*runs, strict=True))
                imported, read, encoded = (f"{x:.0f}" for x in peaks)
                print(
                    f"{length} tokens, {name}: {1000 * step:.1f} ms, peak "
                    f"{encoded} MiB, {imported} imported, {read} loaded",
                    flush=True,
                )


if __name__ == "__main__":
    app.run(main)
