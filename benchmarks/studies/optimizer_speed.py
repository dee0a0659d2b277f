"""Compare the time of an optimizer step for all weights of a BERT.

    python benchmarks/studies/optimizer_speed.py \\
        --bert_config_file=configs/bert_base.json

The gradients are constant, so only the optimizer runs: clipping by the global
norm (except LAMB) and the update of moments and weights, in one `tf.function`.
Our optimizers are compared with Keras's, and with adding each gradient to its
weight, which takes three of the seven passes over memory that Adam needs. Each
measurement is a new process, and the optimizers alternate. The program prints
the range of the medians.
"""

import json
import pathlib
import statistics
import sys
import time

import keras
import tensorflow as tf
from absl import app
from absl import flags

import keras_bert
from keras_bert.optimizers.adam_step import decays

sys.path.append(str(pathlib.Path(__file__).parents[1]))

import measuring  # noqa: E402

_CONFIG_FILE = flags.DEFINE_string(
    "bert_config_file", None, "Config of the model.", required=True
)
_JIT = flags.DEFINE_bool("jit", False, "Compile the step with XLA.")
_STEPS = flags.DEFINE_integer("steps", 20, "Number of timed steps per process.")
_ROUNDS = flags.DEFINE_integer(
    "rounds", 3, "Number of processes per optimizer."
)
_SIDE = flags.DEFINE_string(
    "side", None, "Optimizer to measure in this process."
)


def _keras_adamw(model):
    optimizer = keras.optimizers.AdamW(
        1e-4, weight_decay=0.01, epsilon=1e-6, global_clipnorm=1.0
    )
    return _excluding(optimizer, model)


def _keras_lamb(model):
    optimizer = keras.optimizers.Lamb(1e-3, weight_decay=0.01, epsilon=1e-6)
    return _excluding(optimizer, model)


def _excluding(optimizer, model):
    others = [v for v in model.trainable_variables if not decays(v)]
    optimizer.exclude_from_weight_decay(var_list=others)
    return optimizer


class _Sum(keras.optimizers.Optimizer):
    def update_step(self, gradient, variable, learning_rate):
        self.assign_add(variable, gradient)


_SIDES = {
    "keras.optimizers.AdamW": _keras_adamw,
    "our AdamW": lambda model: keras_bert.optimizers.bert_adamw(model, 1e-4),
    "gradients added": lambda model: _Sum(1.0, name="sum"),
    "keras.optimizers.Lamb": _keras_lamb,
    "our LAMB": lambda model: keras_bert.optimizers.bert_lamb(model, 1e-3),
}


def main(_):
    if _SIDE.value:
        print(json.dumps(_measure(_SIDES[_SIDE.value])))
        return
    results = {side: [] for side in _SIDES}
    for number in range(_ROUNDS.value):
        for side, runs in results.items():
            command = [sys.executable, *sys.argv, f"--side={side}"]
            runs.append(json.loads(measuring.output(command)))
            print(number, side, runs[-1], flush=True)
    for side, runs in results.items():
        times = sorted(run["ms"] for run in runs)
        print(
            f"{side}: {times[0]:.0f} to {times[-1]:.0f} ms, "
            f"{runs[0]['ops']} ops"
        )


def _measure(make):
    config = keras_bert.BertConfig.from_json(_CONFIG_FILE.value)
    model = keras_bert.models.bert_pretrainer(config)
    variables = model.trainable_variables
    optimizer = make(model)
    optimizer.build(variables)
    gradients = [
        tf.random.stateless_normal(variable.shape, (0, number), stddev=1e-3)
        for number, variable in enumerate(variables)
    ]

    @tf.function(jit_compile=_JIT.value)
    def step(gradients):
        optimizer.apply(gradients, variables)

    graph = step.get_concrete_function(gradients).graph
    ops = [
        operation
        for operation in graph.get_operations()
        if operation.type not in ("Placeholder", "Const")
    ]
    times = []
    for _ in range(_STEPS.value + 2):
        start = time.perf_counter()
        step(gradients)
        times.append(time.perf_counter() - start)
    return {"ms": 1e3 * statistics.median(times[2:]), "ops": len(ops)}


if __name__ == "__main__":
    app.run(main)
