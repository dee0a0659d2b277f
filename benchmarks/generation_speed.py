"""Measure the time per token of `TextGenerator` for several prompt lengths.

    python benchmarks/generation_speed.py --config_file=configs/gpt1.json

The weights are random, because the time does not depend on them. One thread
continues one prompt; its CPU time is measured, which other programs disturb
little. The time per token is the time of 24 new tokens minus the time of 8,
divided by 16, so that it excludes the reading of the prompt. For comparison,
the program times a full forward pass that predicts the last token, which is the
time per token without a cache. The lengths alternate; the program prints the
medians of all rounds, with the minimum and the maximum.
"""

import statistics
import time

import numpy as np
import tensorflow as tf
from absl import app
from absl import flags

import keras_bert
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints.family import read_config
from keras_bert.text.wordpiece.settings import WordpieceSettings
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
from keras_bert.text.wordpiece.vocabulary import Vocabulary

_CONFIG_FILE = flags.DEFINE_string(
    "config_file", None, "Config of the model.", required=True
)
_LENGTHS = flags.DEFINE_list(
    "lengths",
    ["16", "64", "128", "256", "480"],
    "Numbers of tokens in the prompts.",
)
_ROUNDS = flags.DEFINE_integer(
    "rounds", 7, "Number of measurements per length."
)
_FEW, _MANY = 8, 24


def make_model(config):
    """Build a model with a tokenizer of `config.vocab_size` pieces."""
    others = [f"w{n}" for n in range(config.vocab_size - len(SPECIAL_TOKENS))]
    vocabulary = Vocabulary([*SPECIAL_TOKENS, *others])
    return PretrainedModel.from_config(config, WordpieceSettings(vocabulary))


def seconds(function, inputs):
    """Return the CPU time of a call, including its outputs."""
    start = time.process_time()
    for output in tf.nest.flatten(function(inputs)):
        output.numpy()
    return time.process_time() - start


def main(_):
    for set_threads in (
        tf.config.threading.set_intra_op_parallelism_threads,
        tf.config.threading.set_inter_op_parallelism_threads,
    ):
        set_threads(1)
    model = make_model(read_config(_CONFIG_FILE.value))
    few, many = (
        tf.function(keras_bert.TextGenerator(model, number).predict_ids)
        for number in (_FEW, _MANY)
    )
    full_pass = tf.function(model.pretrainer)
    lengths = [int(length) for length in _LENGTHS.value]
    cached, uncached = ({length: [] for length in lengths} for _ in range(2))
    random = np.random.default_rng(0)
    for turn in range(_ROUNDS.value + 1):
        for length in lengths:
            ids = random.integers(5, model.config.vocab_size, (1, length))
            inputs = {"input_ids": tf.constant(ids, tf.int32)}
            inputs["input_mask"] = tf.ones_like(inputs["input_ids"])
            read = seconds(few, inputs)
            cached_time = (seconds(many, inputs) - read) / (_MANY - _FEW)
            last = tf.constant([[length - 1]])
            inputs["masked_lm_positions"] = last
            uncached_time = seconds(full_pass, inputs)
            if turn:  # Tracing takes place in the first turn.
                cached[length].append(cached_time)
                uncached[length].append(uncached_time)
    print("tokens before | ms per token | ms per token without cache")
    for length in lengths:
        cells = (
            f"{statistics.median(x) * 1000:.1f} "
            f"({min(x) * 1000:.1f} to {max(x) * 1000:.1f})"
            for x in (cached[length], uncached[length])
        )
        print(length, *cells, sep=" | ", flush=True)


if __name__ == "__main__":
    app.run(main)
