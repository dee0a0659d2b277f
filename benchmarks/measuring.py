"""Functions that measure processes and create a synthetic batch."""

import os
import subprocess
import time

import numpy as np

NUM_PREDICTIONS = 20
_FIRST_ID = 100  # Smaller ids are special tokens.


def run(command, core=None):
    """Run a command and measure it.

    Args:
        command: list of str.
        core: int, core to run on; None for all cores.

    Returns:
        Seconds (float) and the peak memory in MiB (float) of its largest
        process.

    Raises:
        subprocess.CalledProcessError: The command failed. Its output is
            printed.
    """
    pin = None if core is None else lambda: os.sched_setaffinity(0, {core})
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        preexec_fn=pin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        print(output.decode(errors="replace")[-3000:])
        raise subprocess.CalledProcessError(status, command)
    return seconds, usage.ru_maxrss / 1024


def median(values):
    """Return the median; the upper one of two middle values."""
    return sorted(values)[len(values) // 2]


def output(command):
    """Run a command and return the last line of its output.

    Args:
        command: list of str.

    Raises:
        subprocess.CalledProcessError: The command failed. Its output is
            printed.
    """
    finished = subprocess.run(command, capture_output=True, text=True)
    if finished.returncode:
        print(finished.stdout[-3000:], finished.stderr[-3000:])
        finished.check_returncode()
    lines = finished.stdout.strip().splitlines()
    return lines[-1] if lines else ""


def make_batch(vocab_size, batch_size, seq_length):
    """Return a pre-training batch of random ids without padding.

    Args:
        vocab_size: int.
        batch_size: int.
        seq_length: int.

    Returns:
        Dicts of arrays: the inputs of `bert_pretrainer`, its labels and their
        weights.
    """
    random = np.random.default_rng(0)
    shape = batch_size, seq_length
    ids = random.integers(_FIRST_ID, vocab_size, shape, np.int32)
    positions = np.argsort(random.random(shape))[:, :NUM_PREDICTIONS]
    positions = np.sort(positions).astype(np.int32)
    inputs = {
        "input_ids": ids,
        "input_mask": np.ones(shape, np.int32),
        "segment_ids": np.tile(
            np.arange(seq_length) * 2 // seq_length, (batch_size, 1)
        ).astype(np.int32),
        "masked_lm_positions": positions,
    }
    labels = {
        "mlm_logits": np.take_along_axis(ids, positions, axis=1),
        "nsp_logits": random.integers(0, 2, batch_size, np.int32),
    }
    weights = {
        name: np.ones(values.shape, np.float32)
        for name, values in labels.items()
    }
    return inputs, labels, weights
