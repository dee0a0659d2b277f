"""Compare attention over long texts with and without chunks of queries.

    python benchmarks/long_rows.py

The model is two pre-norm blocks with hidden size 256 and four heads; it
processes two texts, in a forward pass and in a training step. Processes that
compute attention in chunks of queries alternate with processes that compute all
queries at once. The program prints the increase of the peak memory over the
memory before the first step, and the median CPU time per step, which other load
on the machine changes little.
"""

import collections
import sys
import time

import measuring
from absl import app
from absl import flags

_LENGTHS = flags.DEFINE_list(
    "lengths", ["512", "1024", "2048"], "Numbers of tokens."
)
_REPETITIONS = flags.DEFINE_integer(
    "repetitions", 3, "Number of runs per case."
)
_ALONE = flags.DEFINE_list(
    "alone", None, "Method, kind and length to measure once in this process."
)

_SIZE, _NUM_HEADS, _NUM_ROWS, _NUM_STEPS = 256, 4, 2, 8


def main(_):
    if _ALONE.value:
        print(*_measured(*_ALONE.value))
        return
    for kind in ("forward", "training"):
        for length in _LENGTHS.value:
            figures = collections.defaultdict(list)
            for _ in range(_REPETITIONS.value):
                for way in ("whole", "chunks"):
                    alone = f"--alone={way},{kind},{length}"
                    line = measuring.output([sys.executable, __file__, alone])
                    figures[way].append([*map(float, line.split())])
            for way, runs in figures.items():
                memory, seconds = map(measuring.median, zip(*runs, strict=True))
                print(
                    f"{kind} {length} {way}: {memory:.0f} MiB, {seconds:.3f} s",
                    flush=True,
                )


def _measured(way, kind, length):
    """Return the memory in MiB and the seconds per step."""
    import keras
    import tensorflow as tf

    from keras_bert.layers.attention import query_chunks

    length = int(length)
    if way == "whole":
        query_chunks._LONGEST_WHOLE = length
    keras.utils.set_random_seed(0)
    blocks = [_block() for _ in range(2)]
    shape = _NUM_ROWS, length, _SIZE
    for block in blocks:
        block.build(shape)
    weights = [v.value for b in blocks for v in b.trainable_variables]
    mask = tf.ones(shape[:2], tf.int32)

    def forward(states):
        for block in blocks:
            states = block(states, mask, training=kind == "training")
        return states

    def training(states):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(forward(states)))
        return tape.gradient(loss, weights)

    states = tf.random.stateless_normal(shape, (1, 2))
    steps = {"forward": forward, "training": training}
    step = tf.function(steps[kind]).get_concrete_function(states)
    before, times = _mib("VmRSS"), []
    for _ in range(_NUM_STEPS):
        start = time.process_time()
        step(states)
        times.append(time.process_time() - start)
    return _mib("VmHWM") - before, measuring.median(times)


def _block():
    from keras_bert import layers

    return layers.PreNormBlock(
        layers.SelfAttention(
            _SIZE,
            _NUM_HEADS,
            dropout=0.0,
            rotary=layers.Rotary(),
            name="self_attention",
        ),
        layers.GatedFeedForward(
            _SIZE, 2 * _SIZE, dropout=0.0, name="feed_forward"
        ),
        layers.LayerNorm(name="feed_forward_layer_norm"),
        layers.LayerNorm(name="attention_layer_norm"),
    )


def _mib(name):
    with open("/proc/self/status", encoding="ascii") as file:
        line = next(line for line in file if line.startswith(name))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    app.run(main)
