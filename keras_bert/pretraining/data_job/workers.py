"""Pieces of work shared by processes, with one count of what is done."""

import concurrent.futures
import contextlib
import multiprocessing
import os
import signal
import threading
import time

from absl import logging

_LOG_SECONDS = 5.0
_STOP = -1

# Fresh processes: forking one that runs TensorFlow can hang.
_CONTEXT = multiprocessing.get_context("spawn")
_counter = None


def advance(amount):
    """Adds to the count of work done; called where the work is done."""
    with _counter.get_lock():
        if _counter.value == _STOP:
            raise InterruptedError("Another piece of work has failed.")
        _counter.value += amount


def run_pieces(function, pieces, num_workers, describe):
    """Works on pieces and yields their results, in any order.

    Args:
        function: a module's function of one piece; it calls `advance`.
        pieces: list of picklable arguments.
        num_workers: int; 1 works in this process.
        describe: function from the count of work done and the seconds
            passed to a line that is logged now and then.

    Yields:
        Results of `function`.

    Raises:
        ChildProcessError: a process was killed.
    """
    global _counter
    _counter = _CONTEXT.Value("q", 0)
    with _progress(describe):
        if num_workers == 1:
            yield from map(function, pieces)
        else:
            yield from _run_in_pool(function, pieces, num_workers)


def _run_in_pool(function, pieces, num_workers):
    with concurrent.futures.ProcessPoolExecutor(
        num_workers, _CONTEXT, _start_worker, (_counter,)
    ) as pool:
        futures = [pool.submit(function, piece) for piece in pieces]
        try:
            for future in concurrent.futures.as_completed(futures):
                yield future.result()
        except concurrent.futures.process.BrokenProcessPool:
            raise ChildProcessError(
                "A worker process was killed. If memory is short, lower "
                "`num_workers`."
            ) from None
        finally:
            _counter.value = _STOP
            pool.shutdown(cancel_futures=True)


def _start_worker(counter):
    global _counter
    _counter = counter
    # Ctrl-C is for the parent, which then stops all.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent():
    """Leaves no worker behind when the parent is killed."""
    multiprocessing.parent_process().join()
    os._exit(1)


@contextlib.contextmanager
def _progress(describe):
    start = time.monotonic()
    stop = threading.Event()

    def log():
        while not stop.wait(_LOG_SECONDS):
            seconds = time.monotonic() - start
            logging.info("%s", describe(max(_counter.value, 0), seconds))

    thread = threading.Thread(target=log, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
