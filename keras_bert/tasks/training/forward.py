"""Inference in batches of texts with similar length."""

import concurrent.futures
import contextlib
import contextvars

import keras
import numpy as np

from keras_bert import checks
from keras_bert.tasks.training.length_buckets import length_buckets

# Small batches fit the caches of a CPU.
BATCH_TOKENS = 1024

# While an op of one batch uses a single core, the other batch uses the rest.
_BATCHES_AT_ONCE = 2

_BAR = contextvars.ContextVar("progress bar of the running call", default=None)


class Forward:
    """Run a model over examples, batch by batch.

    Args:
        model: `keras.Model` that takes and returns a dict of tensors.
        batch_tokens: int, maximum number of tokens computed together.

    Call arguments:
        examples: object with `lengths`, int `(num_examples,)`, and
            `inputs(indices)`, which returns a dict of arrays.

    Returns:
        An iterator over (indices, outputs) pairs: int `(batch_size,)` and a
        dict with the output arrays of these examples. Each example occurs
        once.
    """

    def __init__(self, model, batch_tokens=BATCH_TOKENS):
        self.batch_tokens = batch_tokens
        self._functions = _functions(model)

    @property
    def batch_tokens(self):
        """Maximum number of tokens computed together (int). Can be assigned."""
        return self._batch_tokens

    @batch_tokens.setter
    def batch_tokens(self, value):
        checks.at_least(1, batch_tokens=value)
        self._batch_tokens = value

    def __call__(self, examples):
        def run(indices):
            return function(examples.inputs(indices))

        buckets = length_buckets(examples.lengths, self.batch_tokens)
        function = self._functions(len(buckets))
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
def progress_bar(is_shown, num_rows):
    """Context manager that shows a progress bar while `Forward` runs.

    Args:
        is_shown: bool, whether to show the bar.
        num_rows: int, number of rows that are computed in this context.
    """
    bar = keras.utils.Progbar(num_rows, unit_name="row") if is_shown else None
    token = _BAR.set(bar)
    try:
        yield
    finally:
        _BAR.reset(token)


def _computed(run, buckets):
    """Yield the results of a function for each batch in order."""
    # Starting threads takes 2 ms; a short text takes about 15 ms. Keras's
    # `predict_on_batch` on JAX fails in several threads.
    if len(buckets) == 1 or keras.backend.backend() != "tensorflow":
        yield from map(run, buckets)
        return
    with concurrent.futures.ThreadPoolExecutor(_BATCHES_AT_ONCE) as pool:
        yield from pool.map(run, buckets)


def _functions(model):
    """Return a callable that selects the function to run for a batch count."""
    if keras.backend.backend() == "tensorflow":
        from keras_bert.tasks.training.graph_function import GraphFunction

        return GraphFunction(model).for_batches
    return lambda num_batches: model.predict_on_batch
