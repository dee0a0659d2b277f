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
import tensorflow as tf
from synthetic_batch import NUM_PREDICTIONS
from synthetic_batch import make_batch

import keras_bert
from keras_bert.models.bert import bert_backbone
from keras_bert.models.bert import bert_heads
from keras_bert.training.flops import training_flops
from keras_bert.training.learner import Learner
from keras_bert.training.loop import PretrainingLoop

_CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"
_POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16"}


def main():
    size, batch_size, seq_length, dtype, steps, *mode = sys.argv[1:]
    batch_size, seq_length, steps = map(int, (batch_size, seq_length, steps))
    keras.config.set_dtype_policy(_POLICIES[dtype])
    config = keras_bert.BertConfig.from_json(_CONFIGS / f"bert_{size}.json")
    backbone = bert_backbone(config)
    heads = bert_heads(config, backbone.embeddings)
    model = keras_bert.models.add_heads(backbone, heads, "bert_pretrainer")
    optimizer = keras_bert.training.bert_adamw(model, 1e-4)
    loop = PretrainingLoop(Learner(model), optimizer, jit_compile=bool(mode))
    batch = make_batch(config.vocab_size, batch_size, seq_length)
    batches = iter(tf.data.Dataset.from_tensors(batch).cache().repeat())
    seconds = [_time(loop, batches) for _ in range(steps + 2)][2:]
    median = sorted(seconds)[len(seconds) // 2]
    flops = training_flops(backbone, heads, seq_length, NUM_PREDICTIONS)
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


def _time(loop, batches):
    start = time.perf_counter()
    float(loop.train(batches, tf.constant(1))["loss"])
    return time.perf_counter() - start


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    main()
