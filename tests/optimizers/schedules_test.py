import keras
import numpy as np
import pytest

from keras_bert.optimizers.adamw import AdamW
from keras_bert.optimizers.schedules import CosineWarmupDecay
from keras_bert.optimizers.schedules import LinearWarmupDecay
from keras_bert.optimizers.schedules import PolynomialWarmupDecay
from keras_bert.optimizers.schedules import WarmupStableDecay


@pytest.mark.parametrize(
    "num_train_steps, num_warmup_steps", [(100, 10), (7, 6), (1, 0)]
)
def test_rates_are_those_of_google_research_bert(
    num_train_steps, num_warmup_steps
):
    schedule = LinearWarmupDecay(1e-4, num_train_steps, num_warmup_steps)
    steps = np.arange(num_train_steps + 5)
    decayed = 1 - np.minimum(steps, num_train_steps) / num_train_steps
    warmup = steps / max(num_warmup_steps, 1)
    expected = 1e-4 * np.where(steps < num_warmup_steps, warmup, decayed)
    found = [float(schedule(int(step))) for step in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-11)


# From 0.1 at the end to 0.5.
@pytest.mark.parametrize(
    "schedule, shares",
    [
        (
            PolynomialWarmupDecay(0.5, 100, 20, 0.1, 0.5),
            {20: 0.8**0.5, 64: 0.6, 100: 0.0, 999: 0.0},
        ),
        (
            CosineWarmupDecay(0.5, 120, 20, 0.1),
            {40: 0.75, 60: 0.5, 80: 0.25, 120: 0.0, 999: 0.0},
        ),
        (
            WarmupStableDecay(0.5, 400, 20, 0.1, 0.25),
            {20: 1.0, 300: 1.0, 304: 0.8, 325: 0.5, 364: 0.2, 999: 0.0},
        ),
    ],
)
def test_decays_pass_their_landmarks(schedule, shares):
    assert float(schedule(0)) == 0.0
    assert float(schedule(10)) == pytest.approx(0.25)
    for step, share in shares.items():
        rate = 0.1 + 0.4 * share
        assert float(schedule(step)) == pytest.approx(rate, abs=1e-6)


@pytest.mark.parametrize(
    "schedule_class",
    [
        LinearWarmupDecay,
        PolynomialWarmupDecay,
        CosineWarmupDecay,
        WarmupStableDecay,
    ],
)
def test_by_default_the_rate_starts_at_the_peak_and_ends_at_0(schedule_class):
    schedule = schedule_class(0.5, 100)
    assert float(schedule(0)) == 0.5
    assert float(schedule(100)) == 0.0


@pytest.mark.parametrize(
    "schedule_class, last",
    [
        (LinearWarmupDecay, ()),
        (PolynomialWarmupDecay, (0.5,)),
        (CosineWarmupDecay, ()),
        (WarmupStableDecay, (0.9,)),
    ],
)
def test_a_schedule_is_saved_with_an_optimizer(schedule_class, last):
    schedule = schedule_class(0.5, 100, 20, 0.1, *last)
    config = keras.saving.serialize_keras_object(AdamW(schedule))
    optimizer = keras.saving.deserialize_keras_object(config)
    assert optimizer.get_config() == AdamW(schedule).get_config()
    optimizer.iterations.assign(33)
    assert float(optimizer.learning_rate) == float(schedule(33)) != 0.0
