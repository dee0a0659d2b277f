"""Worker processes with a shared progress counter."""

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

# Spawn processes: forking a process that runs TensorFlow can hang.
_CONTEXT = multiprocessing.get_context("spawn")
_counter = None


def advance(amount):
    """Increase the progress counter from within a worker."""
    with _counter.get_lock():
        if _counter.value == _STOP:
            raise InterruptedError("Another worker has failed.")
        _counter.value += amount


def run_pieces(function, pieces, num_workers, describe):
    """Apply a function to pieces in parallel and yield unordered results.

    Args:
        function: picklable callable that takes a piece and calls `advance`.
        pieces: list of picklable arguments.
        num_workers: int, number of processes. If 1, the function runs in this
            process.
        describe: callable that takes the progress counter and the elapsed
            seconds, and returns a message to log every few seconds.

    Yields:
        The results of `function`.

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
                "A worker process was killed. If memory ran out, lower "
                "`num_workers`."
            ) from None
        finally:
            _counter.value = _STOP
            pool.shutdown(cancel_futures=True)


def _start_worker(counter):
    global _counter
    _counter = counter
    # The parent handles Ctrl-C and stops the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent():
    """Exit when the parent process has ended."""
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
