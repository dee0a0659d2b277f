"""Compare the costs of our encoders for long texts with transformers.

    python benchmarks/long_documents.py --peer_python=hf/bin/python \\
        --output_file=runs/long_documents.jsonl

Two blocks, 256 wide with four heads, encode one text of random ids, forward and
as a training step without dropout: a Longformer with a window of 128 and no
global token, a BigBird with blocks of 64, and a BERT with full attention. Each
row of the table is measured in a process on one core. It is appended to the
output file immediately; a later run measures only the missing rows. The program
prints the median processor time of a step and the increase of the peak memory
over the memory before the first step, each with a least-squares line over the
lengths. PEER_PYTHON needs torch and transformers.
"""

import json
import os
import pathlib
import sys

import measuring
import numpy as np
from absl import app
from absl import flags

_PEER_PYTHON = flags.DEFINE_string(
    "peer_python", None, "Python with torch and transformers."
)
_OUTPUT_FILE = flags.DEFINE_string(
    "output_file",
    None,
    "Output file with a line of JSON for each row.",
    required=True,
)
_LENGTHS = flags.DEFINE_list(
    "lengths",
    ["512", "1024", "2048", "4096", "8192"],
    "Numbers of tokens per text.",
)
_STEPS = flags.DEFINE_integer(
    "steps", 5, "Number of timed steps, after one warmup step."
)

_MODELS = "longformer", "big_bird", "bert"
_SHARED = """
import json, os, sys, time
os.sched_setaffinity(0, {int(sys.argv[5])})
os.environ["OMP_NUM_THREADS"] = os.environ["TF_NUM_INTRAOP_THREADS"] = "1"
import numpy as np
name, kind, length, steps = *sys.argv[1:3], *map(int, sys.argv[3:5])
ids = 5 + np.random.default_rng(0).integers(0, 900, (1, length))
sizes = {
    **{"vocab_size": 1000, "hidden_size": 256, "num_hidden_layers": 2},
    **{"num_attention_heads": 4, "intermediate_size": 1024},
    **{"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0},
    "max_position_embeddings": 8194,
}
if name == "longformer":
    sizes |= {"attention_window": 128, "type_vocab_size": 1}
def mib(key):
    with open("/proc/self/status", encoding="ascii") as file:
        line = next(line for line in file if line.startswith(key))
    return int(line.split()[1]) / 1024
def measure(step):
    before, times = mib("VmRSS"), []
    for _ in range(steps + 1):
        start = time.process_time()
        step()
        times.append(time.process_time() - start)
    peak = mib("VmHWM")
    seconds = sorted(times[1:])[steps // 2]
    print(json.dumps({"s": seconds, "mib": peak - before, "peak": peak}))
"""
_OURS = """
import tensorflow as tf
import keras_bert
from keras_bert.checkpoints.family import find_family
encoder = keras_bert.models.encoder(find_family(name).config(**sizes))
inputs = {"input_ids": ids, "input_mask": np.ones_like(ids)}
inputs["segment_ids"] = np.zeros_like(ids)
inputs = {k: tf.constant(inputs[k], tf.int32) for k in encoder.input}
weights = [v.value for v in encoder.trainable_variables]
def forward():
    training = kind == "training"
    return encoder(inputs, training=training)["sequence_output"]
def training():
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(forward()))
    return tape.gradient(loss, weights)
step = {"forward": forward, "training": training}[kind]
measure(tf.function(step).get_concrete_function())
"""
_THEIRS = """
import torch, transformers
torch.set_num_threads(1)
prefix = "".join(x.title() for x in name.split("_"))
config = getattr(transformers, prefix + "Config")(**sizes)
model = getattr(transformers, prefix + "Model")(config)
model.train(kind == "training")
inputs = torch.from_numpy(ids)
mask = torch.ones_like(inputs)
def step():
    with torch.set_grad_enabled(kind == "training"):
        answer = model(input_ids=inputs, attention_mask=mask)
        if kind == "training":
            answer.last_hidden_state.square().sum().backward()
    model.zero_grad(set_to_none=True)
measure(step)
"""


def main(_):
    programs = {"keras_bert": [sys.executable, "-c", _SHARED + _OURS]}
    if _PEER_PYTHON.value:
        peer = [_PEER_PYTHON.value, "-c", _SHARED + _THEIRS]
        programs["transformers"] = peer
    path = pathlib.Path(_OUTPUT_FILE.value)
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = _read(path)
    core = str(max(os.sched_getaffinity(0)))
    for kind in ("forward", "training"):
        for length in _LENGTHS.value:
            for model in _MODELS:
                for side, program in programs.items():
                    key = side, model, kind, int(length)
                    if key in rows:
                        continue
                    rest = [model, kind, length, str(_STEPS.value), core]
                    line = measuring.output([*program, *rest])
                    rows[key] = json.loads(line)
                    with path.open("a", encoding="utf-8") as file:
                        file.write(json.dumps([key, rows[key]]) + "\n")
                    print(*key, line, flush=True)
    _print_tables(rows)


def _read(path):
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return {tuple(key): row for key, row in map(json.loads, lines)}


def _print_tables(rows):
    lengths = sorted({key[-1] for key in rows})
    names = list(dict.fromkeys(key[:3] for key in rows))
    for figure, unit, factor in (("s", "ms", 1000), ("mib", "MiB", 1)):
        print(f"\n| {unit} |", *(f"{n:,} |" for n in lengths), "fit |")
        print("|---" * (len(lengths) + 2) + "|")
        for name in sorted(names, key=lambda x: (x[2], x[1], x[0])):
            found = [n for n in lengths if (*name, n) in rows]
            values = [factor * rows[*name, n][figure] for n in found]
            cells = " | ".join(f"{value:,.0f}" for value in values)
            print("|", " ".join(name), "|", cells, "|", _fit(found, values))


def _fit(lengths, values):
    """Return a least-squares line and its R², as a cell of a table."""
    if len(lengths) < 3:
        return "|"
    thousands = np.array(lengths) / 1024
    slope, start = np.polyfit(thousands, values, 1)
    left = np.var(start + slope * thousands - values) / np.var(values)
    return f"{start:.0f} + {slope:.1f} n / 1,024, R² {1 - left:.4f} |"


if __name__ == "__main__":
    app.run(main)
