"""Compares training steps with those of other libraries, in turn.

    python benchmarks/training_speed.py --size=base --batch_size=8 \\
        --dtype=bfloat16 --peer='hub=JIT=0 hub/bin/python train_hub.py' \\
        --peer='garden=JIT=1 garden/bin/python train_garden.py'

A peer is a name and a shell command that takes the same arguments as
`training_step.py` (size, batch, sequence length, dtype, steps) and prints a
JSON line with `step_s`. All run once each round; the medians over the rounds
are compared, each side in its best mode.
"""

import json
import pathlib
import shlex
import sys

import measuring
from absl import app
from absl import flags

_SIZE = flags.DEFINE_string("size", "base", "A size of configs/.")
_BATCH_SIZE = flags.DEFINE_integer("batch_size", 8, "Examples in a step.")
_SEQ_LENGTH = flags.DEFINE_integer("seq_length", 128, "Tokens in an example.")
_DTYPE = flags.DEFINE_enum(
    "dtype", "bfloat16", ["float32", "bfloat16"], "Of the products."
)
_STEPS = flags.DEFINE_integer("steps", 6, "Timed steps of a run.")
_ROUNDS = flags.DEFINE_integer("rounds", 5, "Runs of each.")
_PEERS = flags.DEFINE_multi_string("peer", [], "name=shell command.")

_STEP = pathlib.Path(__file__).with_name("training_step.py")


def main(_):
    arguments = (
        f"{_SIZE.value} {_BATCH_SIZE.value} {_SEQ_LENGTH.value} "
        f"{_DTYPE.value} {_STEPS.value}"
    )
    ours = shlex.join([sys.executable, str(_STEP)])
    commands = {
        "ours": f"{ours} {arguments}",
        "ours, jit": f"{ours} {arguments} jit",
    }
    for peer in _PEERS.value:
        name, _, command = peer.partition("=")
        commands[name] = f"{command} {arguments}"
    results = {name: [] for name in commands}
    for number in range(_ROUNDS.value):
        for name, command in commands.items():
            line = measuring.output(["bash", "-c", command])
            results[name].append(json.loads(line))
            print(number, name, line, flush=True)
    seconds = {
        name: measuring.median([run["step_s"] for run in runs])
        for name, runs in results.items()
    }
    best = min(seconds["ours"], seconds["ours, jit"])
    for name, runs in results.items():
        memory = measuring.median([run["peak_rss_mb"] for run in runs])
        print(
            f"{name}: {seconds[name]:.3f} s, {seconds[name] / best:.2f} times "
            f"ours at best, {memory} MiB"
        )


if __name__ == "__main__":
    app.run(main)
