import math
import signal

import pytest

from keras_bert.pretraining.records import workers as processes
from keras_bert.pretraining.records.workers import run_pieces


def _describe(done, seconds):
    return f"{done} in {seconds:.1f} s"


@pytest.mark.parametrize("num_workers", [1, 2])
def test_every_piece_is_worked_on_once(num_workers):
    results = run_pieces(math.sqrt, [1, 4, 9, 16], num_workers, _describe)
    assert sorted(results) == [1, 2, 3, 4]
    assert [*run_pieces(math.sqrt, [], num_workers, _describe)] == []


@pytest.mark.parametrize("num_workers", [1, 2])
def test_an_error_comes_through(num_workers):
    with pytest.raises(ValueError, match="math domain error|nonnegative"):
        [*run_pieces(math.sqrt, [1, -1, 4], num_workers, _describe)]


def test_a_killed_worker_is_told():
    with pytest.raises(ChildProcessError, match="lower `num_workers`"):
        [*run_pieces(signal.raise_signal, [signal.SIGKILL], 2, _describe)]


def test_what_is_done_is_counted_and_told(monkeypatch, caplog):
    monkeypatch.setattr(processes, "_LOG_SECONDS", 0.001)
    caplog.set_level("INFO")

    def work(amount):
        processes.advance(amount)
        while f"{amount} in" not in caplog.text:
            pass

    [*run_pieces(work, [3], 1, _describe)]
    assert "3 in 0." in caplog.text


def test_work_stops_when_another_piece_has_failed():
    [*run_pieces(math.sqrt, [], 2, _describe)]
    with pytest.raises(InterruptedError, match="has failed"):
        processes.advance(1)
