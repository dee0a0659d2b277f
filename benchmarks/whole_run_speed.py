"""Compare the speed of complete training runs with bare training steps.

    python benchmarks/whole_run_speed.py --input_file=train.tfrecord \\
        --vocab_file=vocab.txt --bert_config_file=configs/bert_small.json

Bare steps repeat one batch of the records in memory. They are compared with
`tools/run_pretraining.py` (its reported speed includes reading and logging, but
not evaluating and saving) and with `model.fit`. Each takes the same steps in a
new process; the first third is not timed. The ways alternate, and the medians
over the rounds are compared.
"""

import json
import pathlib
import sys
import tempfile
import time

import keras
import measuring
import tensorflow as tf
from absl import app
from absl import flags

import keras_bert
from keras_bert.pretraining.job.loop import PretrainingLoop
from keras_bert.pretraining.objectives.trainable_models import TrainableModels

_INPUT_FILE = flags.DEFINE_string(
    "input_file", None, "Records to train on.", required=True
)
_VOCAB_FILE = flags.DEFINE_string(
    "vocab_file", None, "Vocabulary of the records.", required=True
)
_CONFIG_FILE = flags.DEFINE_string(
    "bert_config_file", None, "Config of the model.", required=True
)
_SEQ_LENGTH = flags.DEFINE_integer(
    "max_seq_length", 128, "Value used to create the records."
)
_PREDICTIONS = flags.DEFINE_integer(
    "max_predictions_per_seq", 20, "Value used to create the records."
)
_BATCH_SIZE = flags.DEFINE_integer(
    "batch_size", 16, "Number of examples in a step."
)
_PRECISION = flags.DEFINE_enum(
    "precision",
    "mixed_bfloat16",
    ["float32", "mixed_bfloat16"],
    "Keras dtype policy.",
)
_STEPS = flags.DEFINE_integer(
    "steps", 60, "Number of steps per run, a multiple of 3."
)
_ROUNDS = flags.DEFINE_integer("rounds", 5, "Number of runs per method.")
_PART = flags.DEFINE_enum(
    "part", "all", ["all", "step", "fit"], "Part to measure in this process."
)

_TOOL = pathlib.Path(__file__).parents[1] / "tools/run_pretraining.py"


def main(_):
    if _PART.value == "all":
        _compare()
        return
    keras.config.set_dtype_policy(_PRECISION.value)
    config = keras_bert.BertConfig.from_json(_CONFIG_FILE.value)
    model = keras_bert.models.bert_pretrainer(config)
    optimizer = keras_bert.optimizers.bert_adamw(model, 1e-4)
    records = keras_bert.pretraining.dataset(
        [_INPUT_FILE.value],
        _BATCH_SIZE.value,
        _SEQ_LENGTH.value,
        _PREDICTIONS.value,
        config.vocab_size,
        shuffle_seed=1,
    )
    measure = {"step": _time_steps, "fit": _time_fit}[_PART.value]
    times = measure(model, optimizer, records)
    print((times[-1] - times[_STEPS.value // 3]) / (2 * _STEPS.value // 3))


def _time_steps(model, optimizer, records):
    """Return the start time of each step and the end time of the last."""
    loop = PretrainingLoop(TrainableModels(model), optimizer)
    batches = iter(records.take(1).cache().repeat())
    times = []
    for _ in range(_STEPS.value):
        times.append(time.perf_counter())
        float(loop.train(batches, tf.constant(1))["loss"])
    return [*times, time.perf_counter()]


def _time_fit(model, optimizer, records):
    model.compile(
        optimizer,
        loss=keras_bert.pretraining.losses(),
        weighted_metrics=keras_bert.pretraining.metrics(),
        jit_compile=False,  # Like the others.
    )
    times = [time.perf_counter()]
    watch = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: times.append(time.perf_counter())
    )
    model.fit(
        records.repeat(),
        steps_per_epoch=_STEPS.value,
        shuffle=False,
        verbose=0,
        callbacks=[watch],
    )
    return times


def _time_run(arguments):
    """Return the seconds per step of `run_pretraining.py`."""
    with tempfile.TemporaryDirectory() as directory:
        measuring.run(
            [
                sys.executable,
                str(_TOOL),
                *arguments,
                f"--train_batch_size={_BATCH_SIZE.value}",
                f"--num_train_steps={_STEPS.value}",
                "--num_warmup_steps=0",
                f"--log_steps={_STEPS.value // 3}",
                f"--output_dir={directory}/run",
            ]
        )
        curve = pathlib.Path(directory, "run/metrics.jsonl").read_text()
    rates = [json.loads(x)["examples_per_second"] for x in curve.splitlines()]
    _, *rates = rates
    return sum(_BATCH_SIZE.value / rate for rate in rates) / len(rates)


def _compare():
    flags_of_all = _INPUT_FILE, _VOCAB_FILE, _CONFIG_FILE, _SEQ_LENGTH
    arguments = [
        f"--{flag.name}={flag.value}"
        for flag in (*flags_of_all, _PREDICTIONS, _PRECISION)
    ]
    of_part = [f"--{x.name}={x.value}" for x in (_BATCH_SIZE, _STEPS)]
    command = [sys.executable, __file__, *arguments, *of_part]
    seconds = {"bare step": [], "run_pretraining": [], "model.fit": []}
    for number in range(_ROUNDS.value):
        for name, part in [("bare step", "step"), ("model.fit", "fit")]:
            line = measuring.output([*command, f"--part={part}"])
            seconds[name].append(float(line))
        seconds["run_pretraining"].append(_time_run(arguments))
        print(number, {name: runs[-1] for name, runs in seconds.items()})
    bare = measuring.median(seconds["bare step"])
    for name, runs in seconds.items():
        median = measuring.median(runs)
        print(
            f"{name}: {median:.3f} s per step, {bare / median:.1%} of the speed"
        )


if __name__ == "__main__":
    app.run(main)
