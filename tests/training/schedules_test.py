import keras
import numpy as np
import pytest

from keras_bert.training import LinearWarmupDecay


def google_rate(step, peak, num_train_steps, num_warmup_steps):
    """`create_optimizer` of google-research/bert, in NumPy's words."""
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


def test_landmarks():
    schedule = LinearWarmupDecay(0.5, num_train_steps=100, num_warmup_steps=20)
    landmarks = {0: 0.0, 10: 0.25, 20: 0.4, 50: 0.25, 100: 0.0, 999: 0.0}
    for step, rate in landmarks.items():
        assert float(schedule(step)) == pytest.approx(rate)


def test_an_optimizer_follows_the_schedule():
    variable = keras.Variable([0.0])
    schedule = LinearWarmupDecay(1.0, num_train_steps=4, num_warmup_steps=2)
    optimizer = keras.optimizers.SGD(schedule)
    values = []
    for _ in range(5):
        optimizer.apply([keras.ops.ones((1,))], [variable])
        values.append(float(variable[0]))
    np.testing.assert_allclose(values, [0.0, -0.5, -1.0, -1.25, -1.25])


def test_schedule_is_saved_with_an_optimizer():
    schedule = LinearWarmupDecay(0.5, num_train_steps=100, num_warmup_steps=20)
    optimizer = keras.optimizers.AdamW(schedule)
    config = keras.saving.serialize_keras_object(optimizer)
    revived = keras.saving.deserialize_keras_object(config)
    assert revived.get_config() == optimizer.get_config()
    assert float(revived.learning_rate) == 0.0
    copy = LinearWarmupDecay.from_config(schedule.get_config())
    assert float(copy(33)) == float(schedule(33)) != 0.0


@pytest.mark.parametrize("num_warmup_steps", [-1, 10, 11])
def test_warmup_must_end_before_the_run(num_warmup_steps):
    with pytest.raises(
        ValueError,
        match=f"num_warmup_steps={num_warmup_steps}, num_train_steps=10",
    ):
        LinearWarmupDecay(1e-4, 10, num_warmup_steps)
