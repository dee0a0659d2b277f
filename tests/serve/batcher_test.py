import asyncio
import concurrent.futures
import threading

from keras_bert.serve.batcher import Batcher


class _Model:
    """Model that records its batches, and can wait for an event."""

    def __init__(self):
        self.batches = []
        self.may_run = threading.Event()
        self.may_run.set()

    def compute(self, texts):
        self.may_run.wait()
        self.batches.append(texts)
        if "bad" in texts:
            raise ValueError("bad")
        return [text.upper() for text in texts]


def _run(function, **options):
    """Run a coroutine function with a model and its `Batcher`."""
    model = _Model()
    arguments = {"max_tokens": 4, "max_wait_s": 0.0, **options}
    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        batcher = Batcher(model.compute, threads=threads, **arguments)
        asyncio.run(function(model, batcher))
    return model.batches


async def _until(condition):
    while not condition():
        await asyncio.sleep(0.001)


def test_waiting_requests_are_computed_together():
    async def run(model, batcher):
        requests = [batcher.outputs([x], [1]) for x in "abc"]
        assert await asyncio.gather(*requests) == [["A"], ["B"], ["C"]]

    assert _run(run) == [["a", "b", "c"]]


def test_a_batch_has_at_most_the_tokens_or_one_text():
    async def run(model, batcher):
        outputs = await batcher.outputs([*"abcd"], [3, 1, 9, 2])
        assert outputs == [*"ABCD"]

    assert _run(run) == [["a", "b"], ["c"], ["d"]]


def test_a_short_request_waits_for_one_batch_of_a_long_one():
    async def run(model, batcher):
        model.may_run.clear()
        long = asyncio.create_task(batcher.outputs([*"abcdefgh"], [2] * 8))
        await _until(lambda: batcher.num_waiting == 6)
        short = asyncio.create_task(batcher.outputs(["x"], [2]))
        await asyncio.sleep(0)
        model.may_run.set()
        assert await short == ["X"]
        assert await long == [*"ABCDEFGH"]

    assert _run(run)[1] == ["c", "x"]


def test_an_error_reaches_only_the_requests_of_its_batch():
    async def run(model, batcher):
        requests = [batcher.outputs([x], [4]) for x in ("bad", "b")]
        first, second = await asyncio.gather(*requests, return_exceptions=True)
        assert isinstance(first, ValueError) and second == ["B"]
        assert await batcher.outputs(["c"], [1]) == ["C"]

    _run(run)


def test_a_request_that_was_cancelled_is_not_computed():
    async def run(model, batcher):
        model.may_run.clear()
        first = asyncio.create_task(batcher.outputs(["a"], [4]))
        await _until(lambda: batcher._running is not None)
        await asyncio.sleep(0.01)
        other = asyncio.create_task(batcher.outputs(["b"], [4]))
        await asyncio.sleep(0)
        other.cancel()
        model.may_run.set()
        assert await first == ["A"]
        assert await batcher.outputs(["c"], [1]) == ["C"]

    assert _run(run) == [["a"], ["c"]]
