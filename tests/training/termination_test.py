import os
import signal
import threading

from keras_bert.training.termination import TerminationRequest


def test_a_request_is_noted_within_the_block_alone():
    before = signal.getsignal(signal.SIGTERM)
    with TerminationRequest() as termination:
        assert not termination.is_made
        os.kill(os.getpid(), signal.SIGTERM)
        assert termination.is_made
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_old_handler_is_back_after_an_error():
    before = signal.getsignal(signal.SIGTERM)
    try:
        with TerminationRequest():
            raise KeyError
    except KeyError:
        pass
    assert signal.getsignal(signal.SIGTERM) is before


def test_other_threads_take_no_signals():
    noted = []

    def wait():
        with TerminationRequest() as termination:
            noted.append(termination.is_made)

    thread = threading.Thread(target=wait)
    thread.start()
    thread.join()
    assert noted == [False]
