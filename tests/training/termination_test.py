import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from keras_bert.training.termination import TerminationRequest

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
# Says when it begins, then waits in a way that no Python handler ends, as
# within a long step.
_BUSY = """
import threading
from keras_bert.training.termination import TerminationRequest
import ctypes
sleep = ctypes.CDLL(None).usleep
with TerminationRequest() as termination:
    print("begins", flush=True)
    for _ in range(100):
        sleep(100_000)
    print(termination.is_made, termination.exit_code)
"""


@pytest.mark.parametrize("number", _SIGNALS)
def test_a_request_is_noted_only_within_the_block(number):
    before = [signal.getsignal(each) for each in _SIGNALS]
    with TerminationRequest() as termination:
        assert not termination.is_made
        os.kill(os.getpid(), number)
        assert termination.is_made
        assert termination.exit_code == 128 + number
    assert [signal.getsignal(each) for each in _SIGNALS] == before


def test_the_old_handlers_are_back_after_an_error():
    before = [signal.getsignal(each) for each in _SIGNALS]
    try:
        with TerminationRequest():
            raise KeyError
    except KeyError:
        pass
    assert [signal.getsignal(each) for each in _SIGNALS] == before
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)


def test_other_threads_take_no_signals():
    noted = []

    def wait():
        with TerminationRequest() as termination:
            noted.append(termination.is_made)

    thread = threading.Thread(target=wait)
    thread.start()
    thread.join()
    assert noted == [False]


def test_a_second_interrupt_ends_a_long_step_at_once():
    with subprocess.Popen(
        [sys.executable, "-c", _BUSY],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "begins\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline() == "\n"
        assert "Ctrl-C again stops at once" in process.stderr.readline()
        assert process.poll() is None
        before = time.monotonic()
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate()
    assert process.returncode == 130
    assert time.monotonic() - before < 5
    assert "Stopped at once" in stderr
    assert stdout == ""
