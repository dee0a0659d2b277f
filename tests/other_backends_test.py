"""Layers and models need only Keras, not TensorFlow."""

import json

import keras
import numpy as np
import pytest

from keras_bert.models import add_pretraining_heads
from keras_bert.models import bert_encoder
from tests.processes import run_python

_NUM_STEPS = 3

# All backends run this.
_TRAINING = """
import keras
from keras_bert.losses.cross_entropy import SparseCrossEntropy
from keras_bert.optimizers.optimizers import bert_adamw

def train(model, batches):
    options = {"reduction": "mean_with_sample_weight"}
    losses = {
        "mlm_logits": SparseCrossEntropy(**options),
        "nsp_logits": keras.losses.SparseCategoricalCrossentropy(
            from_logits=True, **options
        ),
    }
    on_jax = keras.backend.backend() == "jax"
    optimizer = bert_adamw(model, 0.01)
    model.compile(optimizer, losses, jit_compile=on_jax)
    found = []
    for batch in batches:
        model.reset_metrics()
        found.append(float(model.train_on_batch(*batch)[0]))
    return found, int(optimizer.iterations)
"""

_PROGRAM = """
import json
import os
import sys

sys.modules["tensorflow"] = sys.modules["tensorflow_text"] = None
os.environ["KERAS_BACKEND"] = sys.argv[3]
os.environ["JAX_PLATFORMS"] = "cpu"

import keras
import numpy as np
import keras_bert

def pick(arrays, group):
    return {
        key.removeprefix(group + "/"): value
        for key, value in arrays.items()
        if key.startswith(group + "/")
    }

directory = sys.argv[1]
arrays = dict(np.load(f"{directory}/arrays.npz"))
config = keras_bert.BertConfig.from_json(f"{directory}/bert_config.json")
encoder = keras_bert.models.bert_encoder(config)
model = keras_bert.models.add_pretraining_heads(encoder, config)
weights = pick(arrays, "weights")
for variable in model.weights:
    variable.assign(weights.pop(variable.path))
assert not weights, weights
batches = [
    (
        pick(arrays, f"{step}/inputs"),
        pick(arrays, f"{step}/labels"),
        pick(arrays, f"{step}/sample_weights"),
    )
    for step in range(int(sys.argv[2]))
]
expected = pick(arrays, "outputs")
both = keras.Model(model.input, {**encoder.output, **model.output})
for name, output in both.predict_on_batch(batches[0][0]).items():
    np.testing.assert_allclose(
        output, expected.pop(name), atol=1e-5, rtol=1e-5, err_msg=name
    )
assert not expected, expected
"""

_ENDING = """
found = train(model, batches)
assert keras.backend.backend() == sys.argv[3]
print(json.dumps(found))
"""


# `tests/tasks/backends_test.py` runs a task on JAX.
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "backend",
    # Torch is only installed for the parity tests.
    ["jax", pytest.param("torch", marks=pytest.mark.parity)],
)
def test_a_backend_gives_the_outputs_and_losses_of_tensorflow(
    backend, tiny_config, random_batch, tmp_path
):
    batches = [random_batch(seed) for seed in range(_NUM_STEPS)]
    batches[1][2]["nsp_logits"][:] = np.nan  # Its step is skipped.
    encoder = bert_encoder(tiny_config)
    model = add_pretraining_heads(encoder, tiny_config)
    random = np.random.default_rng(0)
    for weight in model.weights:
        noise = random.normal(0.0, 0.2, weight.shape)
        weight.assign_add(noise.astype("float32"))
    both = keras.Model(model.input, {**encoder.output, **model.output})
    arrays = {f"weights/{w.path}": w.numpy() for w in model.weights}
    for name, value in both.predict_on_batch(batches[0][0]).items():
        arrays[f"outputs/{name}"] = value
    for step, batch in enumerate(batches):
        groups = ("inputs", "labels", "sample_weights")
        for group, values in zip(groups, batch, strict=True):
            for name, value in values.items():
                arrays[f"{step}/{group}/{name}"] = value
    np.savez(tmp_path / "arrays.npz", **arrays)
    tiny_config.to_json(tmp_path / "bert_config.json")
    scope = {}
    exec(_TRAINING, scope)
    expected, num_steps = scope["train"](model, batches)
    assert num_steps == _NUM_STEPS - 1 and np.isfinite(expected[2])

    program = _PROGRAM + _TRAINING + _ENDING
    arguments = str(tmp_path), str(_NUM_STEPS), backend
    result = run_python("-c", program, *arguments)
    losses, found = json.loads(result.stdout.splitlines()[-1])
    assert found == num_steps
    np.testing.assert_allclose(losses, expected, atol=1e-5, rtol=1e-5)
