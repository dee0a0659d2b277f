import time

import pytest

from keras_bert.pretraining.job.log_interval import LogInterval

_SUMS = {
    "loss": 6.0,
    "gradient_norm": 9.0,
    "steps": 3.0,
    "tokens": 70.0,
    "skipped_steps": 0.0,
}


@pytest.fixture
def clock(monkeypatch):
    """Return a function that sets the time."""
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def turn_to(seconds):
        now[0] = seconds

    return turn_to


def test_speed_is_of_the_steps_of_the_stretch(clock):
    interval = LogInterval(10)
    interval.add(_SUMS)
    interval.add(_SUMS)
    clock(104.0)
    with interval.paused():
        clock(200.0)
    clock(203.0)
    assert interval.metrics(16, batch_size=8) == {
        "loss": 2.0,
        "gradient_norm": 3.0,
        "examples_per_second": 6 * 8 / 7,
        "tokens_per_second": 20.0,
    }
    assert interval.seconds_for(16, 12) == 14.0


def test_a_stretch_goes_on_from_what_it_says_of_itself(clock):
    interval = LogInterval(4)
    interval.add(_SUMS)
    clock(103.0)
    state = interval.state()
    clock(500.0)
    again = LogInterval(**state)
    assert again.state() == state
    again.add(_SUMS)
    assert state["sums"] == _SUMS
    clock(504.0)
    assert again.metrics(18, 1)["examples_per_second"] == 2.0


def test_a_stretch_of_skipped_steps_has_no_means(clock):
    interval = LogInterval(0)
    interval.add({**dict.fromkeys(_SUMS, 0.0), "skipped_steps": 2.0})
    clock(101.0)
    metrics = interval.metrics(3, 1)
    assert metrics["skipped_steps"] == 2.0
    assert metrics["loss"] == metrics["gradient_norm"] == 0.0
