"""Computation of waiting requests together, in batches of tokens."""

import asyncio
import collections
import concurrent.futures
import typing
from collections.abc import Callable
from collections.abc import Sequence

Compute: typing.TypeAlias = Callable[[list], Sequence]
"""Function that maps texts to one output for each text."""


class _Request:
    """Texts that wait for their outputs."""

    def __init__(self, texts: list, num_tokens: list[int]):
        self.texts, self.num_tokens = texts, num_tokens
        self.result = asyncio.get_running_loop().create_future()
        self.outputs: list[typing.Any] = [None] * len(texts)
        self.num_taken = self.num_computed = 0

    @property
    def num_waiting(self) -> int:
        return len(self.texts) - self.num_taken


class Batcher:
    """Compute the texts of several requests together.

    A batch takes one text of each request in turn until it is full. Therefore a
    short request waits for at most one batch of a longer request.

    Args:
        compute: function that runs in a thread.
        max_tokens: maximum number of tokens in a batch. A longer text is a
            batch of its own.
        max_wait_s: number of seconds that a batch waits for more requests.
        threads: executor for `compute`.
    """

    def __init__(
        self,
        compute: Compute,
        max_tokens: int,
        max_wait_s: float,
        threads: concurrent.futures.Executor,
    ):
        self._compute = compute
        self._max_tokens = max_tokens
        self._max_wait_s = max_wait_s
        self._threads = threads
        self._waiting: collections.deque[_Request] = collections.deque()
        self._running: asyncio.Task | None = None

    @property
    def num_waiting(self) -> int:
        """Number of texts that wait."""
        return sum(request.num_waiting for request in self._waiting)

    async def outputs(
        self, texts: list, num_tokens: list[int]
    ) -> list[typing.Any]:
        """Return the output of each text.

        Args:
            texts: texts or pairs of texts.
            num_tokens: number of tokens of each text.
        """
        request = _Request(texts, num_tokens)
        self._waiting.append(request)
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())
        return await request.result

    async def _run(self) -> None:
        """Compute batches until no request waits."""
        loop = asyncio.get_running_loop()
        while self._waiting:
            if self._max_wait_s and not self._is_full():
                await asyncio.sleep(self._max_wait_s)
            batch = self._next_batch()
            if not batch:  # All clients left.
                break
            texts = [request.texts[index] for request, index in batch]
            try:
                outputs = await loop.run_in_executor(
                    self._threads, self._compute, texts
                )
            except Exception as error:
                self._fail(batch, error)
            else:
                self._finish(batch, outputs)

    def _is_full(self) -> bool:
        """Return whether the waiting texts fill a batch."""
        return self._max_tokens <= sum(
            sum(request.num_tokens[request.num_taken :])
            for request in self._waiting
        )

    def _next_batch(self) -> list[tuple[_Request, int]]:
        """Take texts of the waiting requests in turn until a batch is full."""
        batch: list[tuple[_Request, int]] = []
        num_tokens = 0
        while self._waiting:
            request = self._waiting.popleft()
            if request.result.done():  # It failed, or the client left.
                continue
            num_tokens += request.num_tokens[request.num_taken]
            if batch and num_tokens > self._max_tokens:
                self._waiting.appendleft(request)
                break
            batch.append((request, request.num_taken))
            request.num_taken += 1
            if request.num_waiting:
                self._waiting.append(request)
        return batch

    def _finish(
        self, batch: list[tuple[_Request, int]], outputs: Sequence
    ) -> None:
        for (request, index), output in zip(batch, outputs, strict=True):
            request.outputs[index] = output
            request.num_computed += 1
            is_complete = request.num_computed == len(request.texts)
            if is_complete and not request.result.done():
                request.result.set_result(request.outputs)

    def _fail(
        self, batch: list[tuple[_Request, int]], error: Exception
    ) -> None:
        """Report an error to the requests of a batch."""
        for request, _ in batch:
            if not request.result.done():
                request.result.set_exception(error)
