"""Inference in batches of texts with similar length."""

import collections.abc
import concurrent.futures
import contextlib
import contextvars
import typing

import keras
import numpy as np

from keras_bert import checks
from keras_bert.tasks.training.batches import length_buckets
from keras_bert.typing import Tensors

# Small batches fit the caches of a CPU.
BATCH_TOKENS = 1024

# While an op of one batch uses a single core, the other batch uses the rest.
_BATCHES_AT_ONCE = 2

_BAR: contextvars.ContextVar[keras.utils.Progbar | None] = (
    contextvars.ContextVar("progress bar of the running call", default=None)
)

_Function: typing.TypeAlias = collections.abc.Callable[
    [dict[str, np.ndarray]], Tensors
]
_Bucket = typing.TypeVar("_Bucket")
_Output = typing.TypeVar("_Output")


class ForwardInputs(typing.Protocol):
    """Examples that `Forward` computes, such as `RaggedRows`."""

    @property
    def lengths(self) -> np.ndarray:
        """Number of tokens of each example, int `(num_examples,)`."""

    def inputs(self, indices: np.ndarray) -> dict[str, np.ndarray]:
        """Return the model inputs of the given examples."""


class Forward:
    """Run a model over examples, batch by batch.

    Args:
        model: model that takes and returns a dict of tensors.
        batch_tokens: maximum number of tokens computed together.

    Call arguments:
        examples: the examples.

    Returns:
        An iterator over (indices, outputs) pairs: int `(batch_size,)` and a
        dict with the output arrays of these examples. Each example occurs
        once.
    """

    def __init__(self, model: keras.Model, batch_tokens: int = BATCH_TOKENS):
        self.model = model
        self.batch_tokens = batch_tokens
        self._functions = _functions(model)

    @property
    def batch_tokens(self) -> int:
        """Maximum number of tokens computed together. Can be assigned."""
        return self._batch_tokens

    @batch_tokens.setter
    def batch_tokens(self, value: int) -> None:
        checks.at_least(1, batch_tokens=value)
        self._batch_tokens = value

    def __call__(
        self, examples: ForwardInputs
    ) -> collections.abc.Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]:
        buckets = length_buckets(examples.lengths, self.batch_tokens)
        function = self._functions(len(buckets))

        def run(indices: np.ndarray) -> Tensors:
            return function(examples.inputs(indices))

        for indices, outputs in zip(
            buckets, _computed(run, buckets), strict=True
        ):
            yield (
                indices,
                {name: np.asarray(x) for name, x in outputs.items()},
            )
            if _BAR.get() is not None:
                _BAR.get().add(len(indices))


@contextlib.contextmanager
def progress_bar(
    is_shown: bool, num_rows: int
) -> collections.abc.Iterator[None]:
    """Context manager that shows a progress bar while `Forward` runs.

    Args:
        is_shown: whether to show the bar.
        num_rows: number of rows that are computed in this context.
    """
    bar = keras.utils.Progbar(num_rows, unit_name="row") if is_shown else None
    token = _BAR.set(bar)
    try:
        yield
    finally:
        _BAR.reset(token)


def _computed(
    run: collections.abc.Callable[[_Bucket], _Output], buckets: list[_Bucket]
) -> collections.abc.Iterator[_Output]:
    """Yield the results of a function for each batch in order."""
    # Starting threads takes 2 ms; a short text takes about 15 ms. Keras's
    # `predict_on_batch` on JAX fails in several threads.
    if len(buckets) == 1 or keras.backend.backend() != "tensorflow":
        yield from map(run, buckets)
        return
    with concurrent.futures.ThreadPoolExecutor(_BATCHES_AT_ONCE) as pool:
        yield from pool.map(run, buckets)


def _functions(
    model: keras.Model,
) -> collections.abc.Callable[[int], _Function]:
    """Return a callable that selects the function to run for a batch count."""
    if keras.backend.backend() == "tensorflow":
        from keras_bert.tasks.training.graph_function import GraphFunction

        return GraphFunction(model).for_batches
    return lambda num_batches: model.predict_on_batch
