"""Models run over many texts, those of about one length together."""

import concurrent.futures
import contextlib
import contextvars

import keras
import numpy as np

from keras_bert import checks
from keras_bert.tasks.batches.length_buckets import length_buckets

# Few tokens at once keep a processor's caches warm.
BATCH_TOKENS = 1024

# While one batch is in an op that uses one core, the other uses the rest.
_BATCHES_AT_ONCE = 2

_BAR = contextvars.ContextVar("progress bar of the running call", default=None)


class Forward:
    """Computes what a model makes of examples, batch by batch.

    Args:
        model: `keras.Model` from a dict of tensors to a dict.
        batch_tokens: int, most tokens that are computed together.

    Call arguments:
        examples: an object with `lengths`, int `(num_examples,)`, and
            `inputs(indices)`, which gives a dict of tensors.

    Returns:
        An iterator over pairs of indices, int `(batch_size,)`, and the dict
        of arrays for these examples. Each example comes once.
    """

    def __init__(self, model, batch_tokens=BATCH_TOKENS):
        self.batch_tokens = batch_tokens
        self._functions = _functions(model)

    @property
    def batch_tokens(self):
        """Most tokens that are computed together, int; it may be set."""
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
    """Show Keras's progress bar of the rows that `Forward` has computed.

    Args:
        is_shown: bool.
        num_rows: int, rows to be computed within this context.
    """
    bar = keras.utils.Progbar(num_rows, unit_name="row") if is_shown else None
    token = _BAR.set(bar)
    try:
        yield
    finally:
        _BAR.reset(token)


def _computed(run, buckets):
    """Yields a function's results for the batches, in their order."""
    if len(buckets) == 1:
        # To start threads takes 2 ms, of some 15 that a short text takes.
        yield run(buckets[0])
        return
    with concurrent.futures.ThreadPoolExecutor(_BATCHES_AT_ONCE) as pool:
        yield from pool.map(run, buckets)


def _functions(model):
    """Return a function from numbers of batches to functions of a batch."""
    if keras.backend.backend() == "tensorflow":
        from keras_bert.tasks.fine_tuning.graph_function import GraphFunction

        return GraphFunction(model).for_batches
    return lambda num_batches: (
        lambda inputs: model.predict_on_batch(
            {name: np.asarray(x) for name, x in inputs.items()}
        )
    )
