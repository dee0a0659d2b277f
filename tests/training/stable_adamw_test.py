import keras
import numpy as np
import pytest

from keras_bert.training.adamw import AdamW
from keras_bert.training.stable_adamw import StableAdamW

_SHAPES = {"kernel": (4, 3), "bias": (3,), "table": (5, 2), "gamma": (4,)}
_DECAYING = {"kernel", "table"}
_BETA_2 = 0.98


def make_variables():
    random = np.random.default_rng(0)
    return [
        keras.Variable(
            random.normal(0.0, 0.3, shape), dtype="float32", name=name
        )
        for name, shape in _SHAPES.items()
    ]


def make_gradients(seed, stddev=1.0):
    random = np.random.default_rng(seed)
    return [random.normal(0.0, stddev, shape) for shape in _SHAPES.values()]


def apply(optimizer, gradients, variables):
    tensors = [keras.ops.convert_to_tensor(g, "float32") for g in gradients]
    optimizer.apply(tensors, variables)


def numpy_steps(weights, all_gradients, rate, decay):
    """Algorithm 2 of arXiv 2304.13013, its betas corrected as it says."""
    weights = [weight.astype("float64") for weight in weights]
    v = [np.zeros_like(weight) for weight in weights]
    u = [np.zeros_like(weight) for weight in weights]
    for t, gradients in enumerate(all_gradients, start=1):
        beta_1, beta_2 = (
            beta * (1 - beta ** (t - 1)) / (1 - beta**t)
            for beta in (0.9, _BETA_2)
        )
        for i, (name, g) in enumerate(zip(_SHAPES, gradients, strict=True)):
            v[i] = beta_1 * v[i] + (1 - beta_1) * g
            u[i] = beta_2 * u[i] + (1 - beta_2) * g**2
            rms = np.sqrt(np.mean(g**2 / np.maximum(u[i], 1e-6**2)))
            eta = rate / max(1, rms)
            kept = 1 - eta * decay if name in _DECAYING else 1.0
            weights[i] = kept * weights[i] - eta * v[i] / (np.sqrt(u[i]) + 1e-6)
    return weights


# At the second step the gradients are ten times the first ones.
@pytest.mark.parametrize("stddevs", [[1.0], [1.0, 10.0, 1.0], [1e-6, 1e-5]])
def test_steps_are_those_of_the_paper(stddevs):
    all_gradients = [
        make_gradients(seed, stddev) for seed, stddev in enumerate(stddevs)
    ]
    variables = make_variables()
    optimizer = StableAdamW(1e-2, weight_decay=0.5, beta_2=_BETA_2)
    expected = numpy_steps(
        [v.numpy() for v in variables], all_gradients, 1e-2, 0.5
    )
    for gradients in all_gradients:
        apply(optimizer, gradients, variables)
    for variable, value in zip(variables, expected, strict=True):
        np.testing.assert_allclose(variable.numpy(), value, rtol=2e-6)


def test_a_surprise_is_a_shorter_step_than_adams():
    moved = {}
    for optimizer in (
        AdamW(1e-2, beta_2=_BETA_2, weight_decay=0.0, global_clipnorm=None),
        StableAdamW(1e-2, beta_2=_BETA_2, weight_decay=0.0),
    ):
        variables = make_variables()
        for _ in range(20):
            apply(optimizer, make_gradients(0, 1e-3), variables)
        before = variables[0].numpy()
        apply(optimizer, make_gradients(1, 1.0), variables)
        moved[type(optimizer)] = np.abs(variables[0].numpy() - before).mean()
    assert moved[StableAdamW] < 0.5 * moved[AdamW]


def test_a_step_that_is_not_finite_is_not_taken():
    optimizer, variables = StableAdamW(1e-2), make_variables()
    before = [variable.numpy() for variable in variables]
    gradients = make_gradients(0)
    gradients[0][0, 0] = np.nan
    apply(optimizer, gradients, variables)
    for variable, old in zip(variables, before, strict=True):
        np.testing.assert_array_equal(variable.numpy(), old)
    assert int(optimizer.iterations) == 0


def test_config_is_complete():
    optimizer = StableAdamW(0.5, weight_decay=0.1)
    config = optimizer.get_config()
    assert (config["weight_decay"], config["global_clipnorm"]) == (0.1, None)
    assert StableAdamW.from_config(config).get_config() == config
