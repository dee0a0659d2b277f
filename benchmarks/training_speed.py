"""Compare training steps with other libraries.

    python benchmarks/training_speed.py --size=base --batch_size=8 \\
        --dtype=bfloat16 --peer='hub=JIT=0 hub/bin/python train_hub.py' \\
        --peer='garden=JIT=1 garden/bin/python train_garden.py'

A peer is a name and a shell command that takes the model size, batch size,
sequence length, dtype and number of steps as arguments and prints a JSON line
with `step_s` and `peak_rss_mb`. All libraries run once per round. The medians
over the rounds are compared, each library in its best mode.
"""

import json
import os
import pathlib
import resource
import shlex
import sys
import time

import measuring
from absl import app
from absl import flags

_SIZE = flags.DEFINE_string(
    "size", "base", "Model size, as in the file names in configs/."
)
_BATCH_SIZE = flags.DEFINE_integer(
    "batch_size", 8, "Number of examples in a step."
)
_SEQ_LENGTH = flags.DEFINE_integer(
    "seq_length", 128, "Number of tokens in an example."
)
_DTYPE = flags.DEFINE_enum(
    "dtype", "bfloat16", ["float32", "bfloat16"], "Compute dtype."
)
_STEPS = flags.DEFINE_integer("steps", 6, "Number of timed steps per run.")
_ROUNDS = flags.DEFINE_integer("rounds", 5, "Number of runs per library.")
_PEERS = flags.DEFINE_multi_string("peer", [], "Peer as name=shell command.")

_ALONE = flags.DEFINE_enum(
    "alone",
    None,
    ["loop", "jit"],
    "Mode of ours to measure once in this process.",
)

_CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"
_POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16"}


def main(_):
    if _ALONE.value:
        print(json.dumps(_measured(_ALONE.value == "jit")))
        return
    arguments = (
        f"{_SIZE.value} {_BATCH_SIZE.value} {_SEQ_LENGTH.value} "
        f"{_DTYPE.value} {_STEPS.value}"
    )
    ours = shlex.join([sys.executable, *sys.argv])
    commands = {
        "ours": f"{ours} --alone=loop",
        "ours, jit": f"{ours} --alone=jit",
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
            f"our best, {memory} MiB"
        )


def _measured(jit_compile):
    """Return the figures of the training loop on one synthetic batch."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import keras
    import tensorflow as tf
    from flops import training_flops

    import keras_bert
    from keras_bert.models.families.bert.model import bert_backbone
    from keras_bert.models.families.bert.model import bert_heads
    from keras_bert.pretraining.job.loop import PretrainingLoop
    from keras_bert.pretraining.objectives.trainable_models import (
        TrainableModels,
    )

    keras.config.set_dtype_policy(_POLICIES[_DTYPE.value])
    config = keras_bert.BertConfig.from_json(
        _CONFIGS / f"bert_{_SIZE.value}.json"
    )
    backbone = bert_backbone(config)
    heads = bert_heads(config, backbone.embeddings)
    model = keras_bert.models.add_heads(backbone, heads, "bert_pretrainer")
    optimizer = keras_bert.optimizers.bert_adamw(model, 1e-4)
    loop = PretrainingLoop(
        TrainableModels(model), optimizer, jit_compile=jit_compile
    )
    batch = measuring.make_batch(
        config.vocab_size, _BATCH_SIZE.value, _SEQ_LENGTH.value
    )
    batches = iter(tf.data.Dataset.from_tensors(batch).cache().repeat())
    seconds = []
    for _ in range(_STEPS.value + 2):
        start = time.perf_counter()
        float(loop.train(batches, tf.constant(1))["loss"])
        seconds.append(time.perf_counter() - start)
    median = measuring.median(seconds[2:])
    flops = training_flops(
        backbone, heads, _SEQ_LENGTH.value, measuring.NUM_PREDICTIONS
    )
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "step_s": median,
        "gflops": _BATCH_SIZE.value * flops / median / 1e9,
        "peak_rss_mb": usage.ru_maxrss // 1024,
    }


if __name__ == "__main__":
    app.run(main)
