import keras
import numpy as np
import pytest

from keras_bert.training.lamb import Lamb
from keras_bert.training.schedules import LinearWarmupDecay

_SHAPES = {"kernel": (4, 3), "bias": (3,), "table": (5, 2), "gamma": (4,)}
_LAYERS = {"kernel", "table"}


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


def numpy_lamb(weights, all_gradients, rates, decay=0.01):
    """Algorithm 2 of arXiv 1904.00962, its phi the identity."""
    weights = [weight.astype("float64") for weight in weights]
    m = [np.zeros_like(weight) for weight in weights]
    v = [np.zeros_like(weight) for weight in weights]
    steps = zip(all_gradients, rates, strict=True)
    for t, (gradients, rate) in enumerate(steps, start=1):
        for i, (name, g) in enumerate(zip(_SHAPES, gradients, strict=True)):
            m[i] = 0.9 * m[i] + (1 - 0.9) * g
            v[i] = 0.999 * v[i] + (1 - 0.999) * g**2
            m_hat = m[i] / (1 - 0.9**t)
            v_hat = v[i] / (1 - 0.999**t)
            update = m_hat / (np.sqrt(v_hat) + 1e-6)
            ratio = 1.0
            if name in _LAYERS:
                update += decay * weights[i]
                ratio = np.linalg.norm(weights[i]) / np.linalg.norm(update)
            weights[i] = weights[i] - rate * ratio * update
    return weights


def check_steps(optimizer, all_gradients, rates, **options):
    variables = make_variables()
    expected = numpy_lamb(
        [v.numpy() for v in variables], all_gradients, rates, **options
    )
    for gradients in all_gradients:
        apply(optimizer, gradients, variables)
    for variable, value in zip(variables, expected, strict=True):
        np.testing.assert_allclose(
            variable.numpy(), value, rtol=1e-6, atol=1e-7
        )


@pytest.mark.parametrize("stddev", [10.0, 1e-2, 1e-6])
@pytest.mark.parametrize("num_steps", [1, 3])
def test_steps_are_those_of_the_paper(stddev, num_steps):
    gradients = [make_gradients(seed, stddev) for seed in range(num_steps)]
    check_steps(Lamb(1e-2), gradients, [1e-2] * num_steps)


@pytest.mark.parametrize("decay", [0.0, 0.5])
def test_rate_and_decay_follow_the_schedule(decay):
    schedule = LinearWarmupDecay(0.1, num_train_steps=4, num_warmup_steps=2)
    gradients = [make_gradients(seed) for seed in range(4)]
    check_steps(
        Lamb(schedule, weight_decay=decay),
        gradients,
        [0.0, 0.05, 0.05, 0.025],
        decay=decay,
    )


def test_a_step_is_as_long_as_the_weight_is_large():
    variables = make_variables()
    before = [variable.numpy() for variable in variables]
    apply(Lamb(1e-2), make_gradients(0), variables)
    for variable, old in zip(variables, before, strict=True):
        length = np.linalg.norm(variable.numpy() - old)
        if variable.name in _LAYERS:
            expected = 1e-2 * np.linalg.norm(old)
        else:  # Adam's first step, every element by the rate.
            expected = 1e-2 * np.sqrt(old.size)
        np.testing.assert_allclose(length, expected, rtol=1e-4)


def test_a_norm_of_zero_makes_the_ratio_one():
    zero_weight = keras.Variable(
        np.zeros((2, 2)), dtype="float32", name="kernel"
    )
    zero_update = keras.Variable(
        np.ones((2, 2)), dtype="float32", name="kernel"
    )
    optimizer = Lamb(1e-2, weight_decay=0.0)
    apply(
        optimizer,
        [np.ones((2, 2)), np.zeros((2, 2))],
        [zero_weight, zero_update],
    )
    np.testing.assert_allclose(zero_weight.numpy(), -1e-2, rtol=1e-5)
    np.testing.assert_array_equal(zero_update.numpy(), 1.0)


def test_what_is_excluded_is_not_scaled_either():
    variables = make_variables()
    before = variables[0].numpy()
    optimizer = Lamb(1e-2)
    optimizer.exclude_from_weight_decay(var_list=variables[:1])
    apply(optimizer, make_gradients(0), variables)
    np.testing.assert_allclose(
        np.abs(variables[0].numpy() - before), 1e-2, rtol=1e-4
    )


def test_a_step_that_is_not_finite_is_not_taken():
    optimizer, variables = Lamb(1e-2), make_variables()
    before = [variable.numpy() for variable in variables]
    gradients = make_gradients(0)
    gradients[0][0, 0] = np.nan
    apply(optimizer, gradients, variables)
    for variable, old in zip(variables, before, strict=True):
        np.testing.assert_array_equal(variable.numpy(), old)
    assert int(optimizer.iterations) == 0


def test_config_is_complete():
    optimizer = Lamb(0.5, weight_decay=0.1, bias_correction=False)
    config = optimizer.get_config()
    assert (config["weight_decay"], config["global_clipnorm"]) == (0.1, None)
    assert Lamb.from_config(config).get_config() == config
