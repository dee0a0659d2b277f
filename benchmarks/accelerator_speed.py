"""Compare the training and encoding speed of JAX and torch on an accelerator.

    KERAS_BACKEND=jax python benchmarks/accelerator_speed.py \\
        --bert_config_file=configs/bert_base.json --seq_length=128,512 \\
        --batch_size=256,64 --peer_python=hf/bin/python

TensorFlow is not needed. "train" times a step of `bert_pretrainer` with dropout
and AdamW, "encode" the forward pass of `bert_encoder`. The batch is random,
without padding, and already on the device. The peer is Hugging Face's model in
`accelerator_peer.py`, compiled by torch; it predicts all positions, while ours
predicts the masked ones. Each measurement is a separate process, and the sides
alternate; the medians over the rounds are compared.

The reported share is the number of operations of the task (`flops.py`, the same
count for both sides) divided by the number that the device can compute in the
same time: --peak_tflops, or the measured rate of a large matrix product. On a
CPU, a small config shows that the program works; its shares are not meaningful:

    KERAS_BACKEND=jax python benchmarks/accelerator_speed.py \\
        --bert_config_file=configs/bert_tiny.json --batch_size=2,2 \\
        --steps=2 --rounds=1 --matrix_size=1024
"""

import json
import pathlib
import sys
import time

import measuring
from absl import app
from absl import flags
from flops import encoding_flops
from flops import training_flops
from measuring import NUM_PREDICTIONS
from measuring import make_batch

import keras_bert
from keras_bert.models import add_heads
from keras_bert.models.families.bert.model import bert_backbone
from keras_bert.models.families.bert.model import bert_heads

_CONFIG_FILE = flags.DEFINE_string(
    "bert_config_file", None, "Config of the model.", required=True
)
_SEQ_LENGTHS = flags.DEFINE_list(
    "seq_length", ["128", "512"], "Numbers of tokens per row."
)
_BATCH_SIZES = flags.DEFINE_list(
    "batch_size",
    ["256", "64"],
    "Numbers of examples per step, one for each length.",
)
_PRECISION = flags.DEFINE_enum(
    "precision",
    "mixed_bfloat16",
    ["mixed_bfloat16", "float32"],
    "Keras dtype policy.",
)
_STEPS = flags.DEFINE_integer("steps", 30, "Number of timed steps per process.")
_ROUNDS = flags.DEFINE_integer("rounds", 3, "Number of processes per library.")
_PEAK = flags.DEFINE_float(
    "peak_tflops", None, "Peak TFLOP/s of the device; measured by default."
)
_MATRIX_SIZE = flags.DEFINE_integer(
    "matrix_size",
    8192,
    "Size of the square matrices that measure the peak rate.",
)
_PEER_PYTHON = flags.DEFINE_string(
    "peer_python",
    None,
    "Python with torch and transformers; if unset, only ours runs.",
)
_PART = flags.DEFINE_enum(
    "part",
    "all",
    ["all", "count", "peak", "train", "encode"],
    "Part to measure in this process, with the first length.",
)

_PEER = pathlib.Path(__file__).with_name("accelerator_peer.py")
_WARM_UP = 3


def main(_):
    if _PART.value == "all":
        _compare()
        return
    parts = {"count": _count, "peak": _peak}
    parts |= {"train": _train, "encode": _encode}
    print(json.dumps(parts[_PART.value]()))


def _compare():
    peak = json.loads(measuring.output(_command(part="peak")))
    tflops = _PEAK.value or peak["tflops"]
    print(f"{peak['device']}: {tflops:.3g} TFLOP/s {_PRECISION.value}")
    for length, size in zip(
        _SEQ_LENGTHS.value, _BATCH_SIZES.value, strict=True
    ):
        count = _command(part="count", seq_length=length)
        counts = json.loads(measuring.output(count))
        for part, flops in counts.items():
            for side, seconds in _medians(part, length, size).items():
                rate = int(size) / seconds
                share = rate * flops / (tflops * 1e12)
                print(
                    f"{part}, {size} x {length}, {side}: "
                    f"{1e3 * seconds:.1f} ms, {rate:.0f} examples/s, "
                    f"{share:.1%}"
                )


def _medians(part, length, size):
    """Return the median seconds per step of each side."""
    sides = {"ours": _command(part=part, seq_length=length, batch_size=size)}
    if _PEER_PYTHON.value:
        arguments = _CONFIG_FILE.value, part, size, length, _PRECISION.value
        command = [_PEER_PYTHON.value, str(_PEER), *arguments]
        sides["torch"] = [*command, str(_STEPS.value)]
    seconds = {side: [] for side in sides}
    for _ in range(_ROUNDS.value):
        for side, command in sides.items():
            seconds[side].append(json.loads(measuring.output(command)))
    return {side: measuring.median(runs) for side, runs in seconds.items()}


def _command(**changes):
    changed = [f"--{name}={value}" for name, value in changes.items()]
    return [sys.executable, *sys.argv, *changed]


def _count():
    """Return the operations per example of each part."""
    config = _configure()
    backbone = bert_backbone(config)
    heads = bert_heads(config, backbone.embeddings)
    add_heads(backbone, heads, "bert_pretrainer")
    length = int(_SEQ_LENGTHS.value[0])
    return {
        "train": training_flops(backbone, heads, length, NUM_PREDICTIONS),
        "encode": encoding_flops(backbone, length),
    }


def _peak():
    import jax
    from jax import numpy as jnp

    dtype = _PRECISION.value.removeprefix("mixed_")
    size = _MATRIX_SIZE.value
    matrix = jax.random.normal(jax.random.key(0), (size, size), dtype)
    product = jax.jit(jnp.matmul)
    seconds = _time(lambda: product(matrix, matrix))
    device = jax.devices()[0]
    return {
        "device": f"{device.platform} {device.device_kind}",
        "tflops": 2 * size**3 / seconds / 1e12,
    }


def _train():
    import jax

    config = _configure()
    model = keras_bert.models.bert_pretrainer(config)
    optimizer = keras_bert.optimizers.bert_adamw(model, 1e-4)
    optimizer.build(model.trainable_variables)
    losses = keras_bert.pretraining.losses()

    def loss_of(trainable, others, inputs, labels, weights):
        outputs, others = model.stateless_call(
            trainable, others, inputs, training=True
        )
        total = sum(
            loss(labels[name], outputs[name], weights[name])
            for name, loss in losses.items()
        )
        return total, others

    def step(state, batch):
        trainable, others, slots = state
        differentiated = jax.value_and_grad(loss_of, has_aux=True)
        (loss, others), gradients = differentiated(trainable, others, *batch)
        trainable, slots = optimizer.stateless_apply(
            slots, gradients, trainable
        )
        return (trainable, others, slots), loss

    step = jax.jit(step, donate_argnums=0)
    batch = jax.device_put(_batch(config))
    variables = (
        model.trainable_variables,
        model.non_trainable_variables,
        optimizer.variables,
    )
    state = jax.tree.map(lambda variable: variable.value, variables)

    def next_step():
        nonlocal state
        state, loss = step(state, batch)
        return loss

    return _time(next_step)


def _encode():
    import jax

    config = _configure()
    model = keras_bert.models.bert_encoder(config)
    inputs, _, _ = _batch(config)
    inputs = jax.device_put({name: inputs[name] for name in model.input})
    variables = jax.tree.map(
        lambda variable: variable.value,
        (model.trainable_variables, model.non_trainable_variables),
    )

    @jax.jit
    def encode(trainable, others, inputs):
        outputs, _ = model.stateless_call(
            trainable, others, inputs, training=False
        )
        return outputs

    return _time(lambda: encode(*variables, inputs))


def _configure():
    import keras

    if keras.backend.backend() != "jax":
        raise ValueError(
            "The environment variable KERAS_BACKEND must be jax. Received: "
            f"{keras.backend.backend()}."
        )
    keras.config.set_dtype_policy(_PRECISION.value)
    return keras_bert.BertConfig.from_json(_CONFIG_FILE.value)


def _batch(config):
    length, size = int(_SEQ_LENGTHS.value[0]), int(_BATCH_SIZES.value[0])
    return make_batch(config.vocab_size, size, length)


def _time(function):
    """Return the seconds per call of many consecutive calls."""
    import jax

    for _ in range(_WARM_UP):
        jax.block_until_ready(function())
    start = time.perf_counter()
    for _ in range(_STEPS.value):
        result = function()
    jax.block_until_ready(result)
    return (time.perf_counter() - start) / _STEPS.value


if __name__ == "__main__":
    app.run(main)
