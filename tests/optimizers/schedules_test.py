import keras
import numpy as np
import pytest

from keras_bert.optimizers.schedules import CosineWarmupDecay
from keras_bert.optimizers.schedules import LinearWarmupDecay
from keras_bert.optimizers.schedules import PolynomialWarmupDecay
from keras_bert.optimizers.schedules import WarmupStableDecay

_KINDS = pytest.mark.parametrize(
    "schedule_class",
    [
        LinearWarmupDecay,
        PolynomialWarmupDecay,
        CosineWarmupDecay,
        WarmupStableDecay,
    ],
)


def google_rate(step, peak, num_train_steps, num_warmup_steps):
    """Compute the learning rate of google-research/bert in NumPy."""
    decay_step = min(step, num_train_steps)
    rate = (peak - 0.0) * (1 - decay_step / num_train_steps) ** 1.0 + 0.0
    if num_warmup_steps:
        is_warmup = float(step < num_warmup_steps)
        warmup_rate = peak * (step / num_warmup_steps)
        rate = (1.0 - is_warmup) * rate + is_warmup * warmup_rate
    return rate


@pytest.mark.parametrize(
    "num_train_steps, num_warmup_steps", [(100, 10), (100, 0), (7, 6), (1, 0)]
)
def test_rates_are_those_of_google_research_bert(
    num_train_steps, num_warmup_steps
):
    schedule = LinearWarmupDecay(1e-4, num_train_steps, num_warmup_steps)
    steps = range(num_train_steps + 5)
    np.testing.assert_allclose(
        [float(schedule(step)) for step in steps],
        [
            google_rate(step, 1e-4, num_train_steps, num_warmup_steps)
            for step in steps
        ],
        rtol=1e-5,
        atol=1e-11,
    )


def test_a_polynomial_is_that_of_tensorflow():
    schedule = PolynomialWarmupDecay(0.5, 100, 20, end=0.1, power=0.5)
    reference = keras.optimizers.schedules.PolynomialDecay(0.5, 100, 0.1, 0.5)
    for step in (20, 50, 99, 100, 999):
        assert float(schedule(step)) == pytest.approx(float(reference(step)))
    assert float(schedule(64)) == pytest.approx(0.1 + 0.4 * 0.6)
    assert float(schedule(10)) == pytest.approx(0.25)


def test_a_cosine_is_half_a_period():
    schedule = CosineWarmupDecay(0.5, 120, num_warmup_steps=20, end=0.1)
    landmarks = {
        0: 0.0,
        10: 0.25,
        40: 0.1 + 0.4 * 0.75,
        60: 0.3,
        80: 0.1 + 0.4 * 0.25,
        120: 0.1,
        999: 0.1,
    }
    for step, rate in landmarks.items():
        assert float(schedule(step)) == pytest.approx(rate)


def test_a_stable_rate_falls_as_one_minus_a_root_at_the_end():
    schedule = WarmupStableDecay(0.5, 200, 20, end=0.1, decay_share=0.5)
    landmarks = {
        10: 0.25,
        20: 0.5,
        100: 0.5,
        104: 0.1 + 0.4 * 0.8,
        125: 0.1 + 0.4 * 0.5,
        164: 0.1 + 0.4 * 0.2,
        200: 0.1,
        999: 0.1,
    }
    for step, rate in landmarks.items():
        assert float(schedule(step)) == pytest.approx(rate, abs=1e-6)
    longer = WarmupStableDecay(0.5, 400, 20, end=0.1, decay_share=0.25)
    for step in (5, 50, 100):
        assert float(longer(step)) == float(schedule(step))


@_KINDS
def test_rates_fall_after_the_warmup_and_never_below_the_end(schedule_class):
    schedule = schedule_class(0.5, 100, num_warmup_steps=20, end=0.1)
    rates = [float(schedule(step)) for step in range(105)]
    assert (np.diff(rates[:20]) > 0).all()
    stays = 90 if schedule_class is WarmupStableDecay else 20
    assert (np.diff(rates[20:101]) <= 1e-6).all()
    assert (np.diff(rates[stays:101]) < 0).all()
    np.testing.assert_allclose(rates[100:], 0.1, rtol=1e-6)


@_KINDS
def test_schedule_is_saved_with_an_optimizer(schedule_class):
    schedule = schedule_class(0.5, 100, num_warmup_steps=20, end=0.1)
    optimizer = keras.optimizers.AdamW(schedule)
    config = keras.saving.serialize_keras_object(optimizer)
    revived = keras.saving.deserialize_keras_object(config)
    assert revived.get_config() == optimizer.get_config()
    assert float(revived.learning_rate) == 0.0
    extra = {PolynomialWarmupDecay: {"power": 0.5}}.get(schedule_class, {})
    schedule = schedule_class(0.5, 100, num_warmup_steps=20, **extra)
    copy = schedule_class.from_config(schedule.get_config())
    assert float(copy(33)) == float(schedule(33)) != 0.0
    assert copy.get_config() == schedule.get_config()


@pytest.mark.parametrize(
    "schedule_class, wrong",
    [
        (WarmupStableDecay, {"decay_share": 0.0}),
        (WarmupStableDecay, {"decay_share": 1.5}),
        (LinearWarmupDecay, {"num_warmup_steps": -1}),
        (LinearWarmupDecay, {"num_warmup_steps": 10}),
        (CosineWarmupDecay, {"end": -0.1}),
        (CosineWarmupDecay, {"end": 0.6}),
        (CosineWarmupDecay, {"end": float("nan")}),
        (PolynomialWarmupDecay, {"power": 0.0}),
    ],
)
def test_a_wrong_argument_is_named(schedule_class, wrong):
    (received,) = (f"{name}={value}" for name, value in wrong.items())
    with pytest.raises(ValueError, match=f"Received: {received}"):
        schedule_class(0.5, 10, **wrong)
