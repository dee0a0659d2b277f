"""What each process of `serving_speed.py` does with its way to embed."""

import concurrent.futures
import json
import time

_BATCH_SIZE = 32
_NUM_SINGLE = 200
_NUM_WARM_UP = 64


def contend(load, texts, start):
    """Measures a way to embed texts, and prints it as JSON.

    Args:
        load: function that gives the function from a list of str to vectors.
        texts: list of str.
        start: float, when the program began, `time.perf_counter()`.
    """
    embed = load()
    loaded = time.perf_counter()
    used = time.process_time()
    embed(texts[:1])
    first, used = time.perf_counter(), time.process_time() - used
    _in_batches(embed, texts[: 8 * _BATCH_SIZE])
    for text in texts[:_NUM_WARM_UP]:
        embed([text])
    before = time.perf_counter()
    _in_batches(embed, texts)
    seconds = time.perf_counter() - before
    before = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(2) as clients:
        halves = texts[: len(texts) // 2], texts[len(texts) // 2 :]
        list(clients.map(lambda half: _in_batches(embed, half), halves))
    two_clients_seconds = time.perf_counter() - before
    single = []
    for text in texts[:_NUM_SINGLE]:
        before = time.perf_counter()
        embed([text])
        single.append(time.perf_counter() - before)
    figures = {
        "sentences_per_s": len(texts) / seconds,
        "two_clients_per_s": len(texts) / two_clients_seconds,
        "single_ms": 1e3 * sorted(single)[len(single) // 2],
        "load_s": loaded - start,
        "first_answer_s": first - loaded,
        "first_answer_processor_s": used,
        "peak_mib": _peak_mib(),
    }
    print(json.dumps(figures))


def _in_batches(embed, texts):
    """Embeds texts in their order, as requests come."""
    for start in range(0, len(texts), _BATCH_SIZE):
        embed(texts[start : start + _BATCH_SIZE])


def _peak_mib():
    """Of this program alone: a child's `ru_maxrss` begins with its parent's."""
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    raise RuntimeError("The memory of a process is not told here.")


def read_texts(path, number):
    """The first lines of a file that are not empty.

    Args:
        path: str.
        number: int.
    """
    with open(path, encoding="utf-8") as file:
        lines = (line.strip() for line in file)
        return [line for line in lines if line][:number]
