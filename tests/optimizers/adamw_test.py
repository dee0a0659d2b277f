import inspect
import json

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.optimizers import adam_step
from keras_bert.optimizers.adam_step import decays
from keras_bert.optimizers.adamw import AdamW
from keras_bert.optimizers.lamb import Lamb
from keras_bert.optimizers.schedules import LinearWarmupDecay
from keras_bert.optimizers.stable_adamw import StableAdamW

_SHAPES = {"kernel": (4, 3), "bias": (3,), "table": (5, 2), "gamma": (4,)}
_DECAYING = {"kernel", "table"}
_OPTIMIZERS = [AdamW, Lamb, StableAdamW]


def make_variables():
    random = np.random.default_rng(0)
    return [
        keras.Variable(
            random.normal(0.0, 0.3, shape), dtype="float32", name=name
        )
        for name, shape in _SHAPES.items()
    ]


def make_gradients(seed, stddev):
    random = np.random.default_rng(seed)
    return [random.normal(0.0, stddev, shape) for shape in _SHAPES.values()]


def to_tensors(arrays):
    return [keras.ops.convert_to_tensor(a, "float32") for a in arrays]


def numpy_steps(
    weights,
    all_gradients,
    rates,
    decay=0.01,
    clip=1.0,
    corrected=True,
    beta_2=0.999,
    factor=lambda weight, update, g, v_hat: 1.0,
):
    """Compute algorithm 2 of arXiv 1711.05101; `rates` is schedule times alpha.

    Without `corrected`, it is google-research/bert's optimizer.
    """
    weights = [weight.astype("float64") for weight in weights]
    m = [np.zeros_like(weight) for weight in weights]
    v = [np.zeros_like(weight) for weight in weights]
    steps = zip(all_gradients, rates, strict=True)
    for t, (gradients, rate) in enumerate(steps, start=1):
        norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
        for i, name in enumerate(_SHAPES):
            g = gradients[i] / max(norm / clip, 1.0)
            m[i] = 0.9 * m[i] + 0.1 * g
            v[i] = beta_2 * v[i] + (1 - beta_2) * g**2
            m_hat = m[i] / (1 - 0.9**t) if corrected else m[i]
            v_hat = v[i] / (1 - beta_2**t) if corrected else v[i]
            update = m_hat / (np.sqrt(v_hat) + 1e-6)
            decays = name in _DECAYING
            update += decays * decay * weights[i]
            scale = factor(decays and weights[i], update, g, v_hat)
            weights[i] = weights[i] - rate * scale * update
    return weights


def trust_ratio(weight, update, g, v_hat):
    """Compute algorithm 2 of arXiv 1904.00962 with the identity as phi."""
    if weight is False:
        return 1.0
    return np.linalg.norm(weight) / np.linalg.norm(update)


def stable_factor(weight, update, g, v_hat):
    """Compute algorithm 2 of arXiv 2304.13013."""
    return 1 / max(1, np.sqrt(np.mean(g**2 / np.maximum(v_hat, 1e-6**2))))


_STABLE = {"clip": np.inf, "factor": stable_factor}
_STABLE |= {"decay": 0.5, "beta_2": 0.98}


def check_steps(
    optimizer, all_gradients, rates, wrap=lambda step: step, **options
):
    variables = make_variables()
    optimizer.build(variables)
    step = wrap(lambda gradients: optimizer.apply(gradients, variables))
    expected = numpy_steps(
        [v.numpy() for v in variables], all_gradients, rates, **options
    )
    for gradients in all_gradients:
        step(to_tensors(gradients))
    for variable, value in zip(variables, expected, strict=True):
        np.testing.assert_allclose(
            variable.numpy(), value, rtol=1e-6, atol=1e-7
        )


# The smallest gradients are close to epsilon, so its position matters.
@pytest.mark.parametrize("scale", [1.0, 1e-6])
@pytest.mark.parametrize(
    ("kind", "given", "same"),
    [
        (AdamW, {}, {}),
        (AdamW, {"bias_correction": False}, {"corrected": False}),
        (Lamb, {}, {"clip": np.inf, "factor": trust_ratio}),
        (StableAdamW, {"weight_decay": 0.5, "beta_2": 0.98}, _STABLE),
    ],
)
def test_steps_are_those_of_the_papers(kind, given, same, scale):
    # The gradients of the second step are ten times larger.
    gradients = [make_gradients(x, scale * 10 ** (x == 1)) for x in range(3)]
    check_steps(kind(1e-2, **given), gradients, [1e-2] * 3, **same)


def test_a_norm_of_zero_makes_the_ratio_one():
    zero_weight, zero_update = (
        keras.Variable(value, dtype="float32", name="kernel")
        for value in (np.zeros((2, 2)), np.ones((2, 2)))
    )
    optimizer = Lamb(1e-2, weight_decay=0.0)
    gradients = to_tensors([np.ones((2, 2)), np.zeros((2, 2))])
    optimizer.apply(gradients, [zero_weight, zero_update])
    np.testing.assert_allclose(zero_weight.numpy(), -1e-2, rtol=1e-5)
    np.testing.assert_array_equal(zero_update.numpy(), 1.0)


def test_large_gradients_are_clipped_all_together():
    gradients = [make_gradients(seed, 3.0) for seed in range(2)]
    gradients[1][0] *= 100
    check_steps(AdamW(1e-2), gradients, [1e-2] * 2)
    for limit, clip in ((0.1, 0.1), (None, np.inf)):
        optimizer = AdamW(1e-2, global_clipnorm=limit)
        check_steps(optimizer, gradients, [1e-2] * 2, clip=clip)


@pytest.mark.parametrize("peak", [0.1, 1.0])
def test_rate_and_decay_follow_the_schedule(peak):
    schedule = LinearWarmupDecay(peak, num_train_steps=4, num_warmup_steps=2)
    optimizer = AdamW(schedule, weight_decay=0.1)
    if peak == 1.0:
        optimizer = AdamW(0.1, weight_decay=0.1, rate_schedule=schedule)
        optimizer = AdamW.from_config(optimizer.get_config())
    gradients = [make_gradients(seed, 1e-2) for seed in range(4)]
    check_steps(optimizer, gradients, [0.0, 0.05, 0.05, 0.025], decay=0.1)


def test_a_bias_with_two_axes_does_not_decay():
    layer = keras.layers.MultiHeadAttention(2, 4)
    layer.build((None, 3, 8), (None, 3, 8))
    assert {len(v.shape) for v in layer.weights if v.name == "bias"} == {1, 2}
    for variable in layer.weights:
        assert decays(variable) == (variable.name == "kernel")


@pytest.mark.parametrize(
    "optimizer_class, by", [(AdamW, "var_list"), (Lamb, "var_names")]
)
def test_more_can_be_excluded_from_decay(optimizer_class, by):
    variables = make_variables()
    before = [v.numpy() for v in variables]
    optimizer = optimizer_class(0.5, weight_decay=0.1)
    excluded = {"var_list": variables[2:3], "var_names": ["ab"]}[by]
    optimizer.exclude_from_weight_decay(**{by: excluded})
    zeros = [np.zeros(shape) for shape in _SHAPES.values()]
    optimizer.apply(to_tensors(zeros), variables)
    np.testing.assert_array_equal(variables[2].numpy(), before[2])
    assert not np.array_equal(variables[0].numpy(), before[0])


@pytest.mark.parametrize("optimizer_class", _OPTIMIZERS)
def test_a_scaled_variable_steps_by_its_share_of_the_rate(optimizer_class):
    variables, gradients = make_variables(), make_gradients(1, 1e-2)
    plain = make_variables()
    before = [variable.numpy() for variable in variables]
    optimizer_class(0.5).apply(to_tensors(gradients), plain)
    optimizer = optimizer_class(0.5)
    optimizer.scale_learning_rate(variables[:3], [0.25, 0.0, 2.0])
    optimizer.apply(to_tensors(gradients), variables)
    for variable, other, start, factor in zip(
        variables, plain, before, [0.25, 0.0, 2.0, 1.0], strict=True
    ):
        moved = factor * (other.numpy() - start)
        np.testing.assert_allclose(variable - start, moved, atol=1e-6)


def test_variables_without_gradient_stay_and_do_not_shift_the_others():
    gradients = make_gradients(0, 1.0)
    ours, all_of_them = make_variables(), make_variables()
    tensors = to_tensors(gradients)
    tensors[1] = None
    with pytest.warns(UserWarning, match="Gradients do not exist"):
        AdamW(1e-2).apply(tensors, ours)
    gradients[1][:] = 0
    AdamW(1e-2).apply(to_tensors(gradients), all_of_them)
    for one, other in zip(ours, all_of_them, strict=True):
        np.testing.assert_array_equal(one.numpy(), other.numpy())


def test_without_any_gradient_keras_complains():
    optimizer, variables = AdamW(1e-2), make_variables()
    with pytest.raises(ValueError, match="No gradients provided"):
        optimizer.apply([None] * 4, variables)
    optimizer.apply([], variables)
    assert int(optimizer.iterations) == 0


def test_the_loss_scale_is_taken_off_before_clipping():
    gradients = make_gradients(0, 3.0)
    scaled, plain = make_variables(), make_variables()
    optimizer = AdamW(1e-2, loss_scale_factor=1024.0)
    optimizer.apply(to_tensors([1024 * g for g in gradients]), scaled)
    other = AdamW(1e-2)
    other.apply(to_tensors(gradients), plain)
    assert float(optimizer.gradient_norm) == float(other.gradient_norm) > 5
    for one, two in zip(scaled, plain, strict=True):
        np.testing.assert_allclose(one.numpy(), two.numpy(), rtol=1e-6)


def test_keras_still_has_the_one_private_method_that_is_overridden():
    """Fail if Keras changes how it sums the gradients of replicas.

    They would be summed twice. If this test fails, adapt it and
    `AdamW._all_reduce_sum_gradients` to `apply` of the new Keras.
    """
    base = keras.optimizers.Optimizer
    private = {
        name
        for kind in AdamW.__mro__[: AdamW.__mro__.index(base)]
        for name in vars(kind)
        if name.startswith("_") and not name.startswith("__")
    }
    assert {name for name in private if hasattr(base, name)} == {
        "_all_reduce_sum_gradients"
    }
    parameters = inspect.signature(base._all_reduce_sum_gradients).parameters
    assert [*parameters] == ["self", "grads_and_vars"]


@pytest.mark.parametrize(
    "optimizer_class, compiled_size",
    [(AdamW, 1), (AdamW, 1000), (Lamb, 1000), (StableAdamW, 1000)],
)
def test_a_step_that_is_not_finite_is_not_taken(
    optimizer_class, compiled_size, monkeypatch
):
    monkeypatch.setattr(adam_step, "_COMPILED_SIZE", compiled_size)
    before, *wrong, after = (make_gradients(seed, 1.0) for seed in range(5))
    optimizer, variables = optimizer_class(1e-2), make_variables()
    optimizer.apply(to_tensors(before), variables)
    for gradients, value in zip(wrong, (np.nan, np.inf, -np.inf), strict=True):
        gradients[2][1, 1] = gradients[1][0] = value
        optimizer.apply(to_tensors(gradients), variables)
        assert not np.isfinite(optimizer.gradient_norm.numpy())
    optimizer.apply(to_tensors(after), variables)
    assert int(optimizer.iterations) == 2
    other, expected = optimizer_class(1e-2), make_variables()
    for gradients in (before, after):
        other.apply(to_tensors(gradients), expected)
    found = [*variables, *optimizer.variables]
    for one, two in zip(found, [*expected, *other.variables], strict=True):
        np.testing.assert_array_equal(one.numpy(), two.numpy())


def test_rows_looked_up_twice_count_as_one_gradient():
    """Check that clipping uses the norm of their sum, unlike Keras."""
    slices = tf.IndexedSlices(
        tf.constant([[3.0, 0.0], [3.0, 0.0], [0.0, 4.0]]),
        tf.constant([1, 1, 2]),
        tf.constant([4, 2]),
    )
    tables = []
    for gradient in (slices, tf.convert_to_tensor(slices)):
        tables.append(keras.Variable(np.ones((4, 2), "float32"), name="table"))
        optimizer = AdamW(0.1)
        optimizer.apply([gradient], tables[-1:])
        assert float(optimizer.gradient_norm) == pytest.approx(52**0.5)
    np.testing.assert_array_equal(*tables)


@pytest.mark.parametrize("compiled_size", [1, 1000])
@pytest.mark.parametrize("jit_compile", [False, True])
def test_in_a_graph_it_takes_the_same_steps(
    jit_compile, compiled_size, monkeypatch
):
    monkeypatch.setattr(adam_step, "_COMPILED_SIZE", compiled_size)
    gradients = [make_gradients(seed, 1.0) for seed in range(3)]
    wrap = tf.function(jit_compile=jit_compile)
    check_steps(AdamW(1e-2), gradients, [1e-2] * 3, wrap)


@pytest.mark.parametrize("optimizer_class", _OPTIMIZERS)
def test_config_is_complete(optimizer_class):
    arguments = {
        **{"learning_rate": 0.5, "weight_decay": 0.1, "beta_1": 0.8},
        **{"beta_2": 0.99, "epsilon": 1e-5, "bias_correction": False},
        "global_clipnorm": 2.0,
    }
    config = optimizer_class(**arguments).get_config()
    json.dumps(config)
    assert arguments.items() <= config.items()
    assert optimizer_class.from_config(config).get_config() == config
