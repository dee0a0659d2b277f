"""Times the training step of the loop on one synthetic batch.

    python benchmarks/training_step.py base 8 128 bfloat16 6 [jit]

The arguments are the size, the batch, the sequence length, the dtype and how
many steps are timed. It prints a JSON line; `training_speed.py` runs it beside
the same of other libraries.
"""

import json
import os
import pathlib
import resource
import sys
import time

import keras
import numpy as np
import tensorflow as tf

import keras_bert
from keras_bert.training.loop import PretrainingLoop
from keras_bert.training.throughput import training_flops

_CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"
_NUM_PREDICTIONS = 20
_POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16"}


def main():
    size, batch_size, seq_length, dtype, steps, *mode = sys.argv[1:]
    batch_size, seq_length, steps = map(int, (batch_size, seq_length, steps))
    keras.config.set_dtype_policy(_POLICIES[dtype])
    config = keras_bert.BertConfig.from_json(_CONFIGS / f"bert_{size}.json")
    model = keras_bert.models.bert_pretrainer(config)
    optimizer = keras_bert.training.bert_adamw(model, 1e-4)
    loop = PretrainingLoop(model, optimizer, jit_compile=bool(mode))
    batches = iter(
        tf.data.Dataset.from_tensors(make_batch(config, batch_size, seq_length))
        .cache()
        .repeat()
    )
    seconds = [_time(loop, batches) for _ in range(steps + 2)][2:]
    median = sorted(seconds)[len(seconds) // 2]
    flops = training_flops(config, seq_length, _NUM_PREDICTIONS)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(
        json.dumps(
            {
                "step_s": median,
                "gflops": batch_size * flops / median / 1e9,
                "peak_rss_mb": usage.ru_maxrss // 1024,
            }
        )
    )


def make_batch(config, batch_size, seq_length):
    """Random ids without padding, and the positions to predict."""
    random = np.random.default_rng(0)
    shape = batch_size, seq_length
    ids = random.integers(1000, config.vocab_size, shape, np.int32)
    positions = np.argsort(random.random(shape))[:, :_NUM_PREDICTIONS]
    positions = np.sort(positions).astype(np.int32)
    labels = np.take_along_axis(ids, positions, axis=1)
    inputs = {
        "input_ids": ids,
        "input_mask": np.ones(shape, np.int32),
        "segment_ids": np.tile(
            np.arange(seq_length) * 2 // seq_length, (batch_size, 1)
        ).astype(np.int32),
        "masked_lm_positions": positions,
    }
    labels = {
        "mlm_logits": labels,
        "nsp_logits": random.integers(0, 2, batch_size, np.int32),
    }
    weights = {
        name: np.ones(values.shape, np.float32)
        for name, values in labels.items()
    }
    return inputs, labels, weights


def _time(loop, batches):
    start = time.perf_counter()
    float(loop.train(batches, tf.constant(1))["loss"])
    return time.perf_counter() - start


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    main()
