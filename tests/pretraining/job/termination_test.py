import os
import signal
import subprocess
import sys
import threading

import pytest

from keras_bert.pretraining.job.termination import TerminationRequest

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_RUN = """
import time
from keras_bert.pretraining.job.termination import TerminationRequest
with TerminationRequest() as termination:
    print("begins", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("number", _SIGNALS)
def test_a_request_is_noted_only_within_the_block(number):
    before = [signal.getsignal(each) for each in _SIGNALS]
    with pytest.raises(KeyError), TerminationRequest() as termination:
        assert not termination.is_made
        os.kill(os.getpid(), number)
        assert termination.is_made
        assert termination.exit_code == 128 + number
        raise KeyError  # The old handlers are back after an error.
    assert [signal.getsignal(each) for each in _SIGNALS] == before


def test_other_threads_take_no_signals():
    noted = []

    def wait():
        with TerminationRequest() as termination:
            noted.append(termination.is_made)

    thread = threading.Thread(target=wait)
    thread.start()
    thread.join()
    assert noted == [False]


def test_a_second_interrupt_ends_the_process():
    with subprocess.Popen(
        [sys.executable, "-c", _RUN],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "begins\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline() == "\n"
        assert "Press Ctrl-C again to stop at once" in process.stderr.readline()
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == -signal.SIGINT
