"""Compare the training costs of models of any family.

    python benchmarks/studies/family_training.py \\
        --bert_config_file=configs/bert_base.json \\
        --bert_config_file=configs/albert_base.json

Each run is a new process that trains the model with its masked-LM head on one
synthetic batch, in float32 with AdamW and without dropout, so that only the
architectures differ. The models alternate. The program prints the number of
parameters, the memory of the parameters and Adam's moments, the median step
time and the peak memory of the process, with ratios to the first config.
"""

import dataclasses
import json
import pathlib
import resource
import sys
import time

import tensorflow as tf
from absl import app
from absl import flags

import keras_bert
from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.family import read_config
from keras_bert.models import add_heads
from keras_bert.pretraining.job.loop import PretrainingLoop
from keras_bert.pretraining.objectives.objectives import objective_named
from keras_bert.pretraining.objectives.trainable_models import TrainableModels

sys.path.append(str(pathlib.Path(__file__).parents[1]))

import measuring  # noqa: E402
from measuring import make_batch  # noqa: E402

_CONFIG_FILE = flags.DEFINE_multi_string(
    "bert_config_file",
    None,
    "Config files; the first one is the baseline.",
    required=True,
)
_BATCH_SIZE = flags.DEFINE_integer(
    "batch_size", 8, "Number of examples in a step."
)
_SEQ_LENGTH = flags.DEFINE_integer(
    "seq_length", 128, "Number of tokens in an example."
)
_STEPS = flags.DEFINE_integer("steps", 5, "Number of timed steps per process.")
_ROUNDS = flags.DEFINE_integer("rounds", 3, "Number of processes per model.")
_SIDE = flags.DEFINE_string("side", None, "Config to measure in this process.")

_KEYS = ("parameters", "state_mib", "step_s", "peak_mib")


def main(_):
    if _SIDE.value:
        print(json.dumps(_measure(_SIDE.value)))
        return
    results = {path: [] for path in _CONFIG_FILE.value}
    for number in range(_ROUNDS.value):
        for path, runs in results.items():
            command = [sys.executable, *sys.argv, f"--side={path}"]
            runs.append(json.loads(measuring.output(command)))
            print(number, path, runs[-1], flush=True)
    medians = {
        path: {k: measuring.median([run[k] for run in runs]) for k in _KEYS}
        for path, runs in results.items()
    }
    first = next(iter(medians.values()))
    for path, values in medians.items():
        cells = [
            f"{k} {values[k]:.7g} ({values[k] / first[k]:.3f})" for k in _KEYS
        ]
        print(f"{path}: {', '.join(cells)}")


def _measure(path):
    config = _without_dropout(read_config(path))
    family = find_family(config.model_type)
    backbone = family.backbone(config)
    heads = family.heads(config, backbone.embeddings)
    part = "masked_lm_head"
    model = add_heads(backbone, {part: heads[part]}, "model")
    optimizer = keras_bert.optimizers.bert_adamw(model, 1e-4)
    loop = PretrainingLoop(
        TrainableModels(model), optimizer, objective=objective_named("mlm")
    )
    batch = make_batch(config.vocab_size, _BATCH_SIZE.value, _SEQ_LENGTH.value)
    batches = iter(tf.data.Dataset.from_tensors(batch).cache().repeat())
    seconds = [_time(loop, batches) for _ in range(_STEPS.value + 2)][2:]
    usage = resource.getrusage(resource.RUSAGE_SELF)
    num_parameters = model.count_params()
    return {
        "parameters": num_parameters,
        "state_mib": 3 * 4 * num_parameters / 2**20,
        "step_s": measuring.median(seconds),
        "peak_mib": usage.ru_maxrss / 1024,
    }


def _without_dropout(config):
    rates = [
        field.name
        for field in dataclasses.fields(config)
        if field.name.endswith(("dropout", "dropout_prob"))
    ]
    return dataclasses.replace(config, **dict.fromkeys(rates, 0.0))


def _time(loop, batches):
    start = time.perf_counter()
    float(loop.train(batches, tf.constant(1))["loss"])
    return time.perf_counter() - start


if __name__ == "__main__":
    app.run(main)
