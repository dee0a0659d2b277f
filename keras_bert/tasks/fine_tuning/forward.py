"""A model run over many texts, those of about one length together."""

import concurrent.futures

import keras
import numpy as np

from keras_bert.data.batches.length_buckets import length_buckets

# Few tokens at once keep a processor's caches warm.
BATCH_TOKENS = 1024

# While one batch is in an op that uses one core, the other uses the rest.
_BATCHES_AT_ONCE = 2


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
        is_graph = keras.backend.backend() == "tensorflow"
        self._run = (_graph_function if is_graph else _array_function)(model)

    def __call__(self, examples):
        def run(indices):
            return self._run(examples.inputs(indices))

        buckets = length_buckets(examples.lengths, self.batch_tokens)
        with concurrent.futures.ThreadPoolExecutor(_BATCHES_AT_ONCE) as pool:
            for indices, outputs in zip(buckets, pool.map(run, buckets)):
                yield (
                    indices,
                    {name: np.asarray(x) for name, x in outputs.items()},
                )


def _array_function(model):
    """The model as a function of tensors, on a backend of its own."""
    return lambda inputs: model.predict_on_batch(
        {name: np.asarray(x) for name, x in inputs.items()}
    )


def _graph_function(model):
    """The model as a function of tensors, traced but once."""
    import tensorflow as tf

    names = list(model.input)
    signature = [
        tf.TensorSpec(model.input[name].shape, model.input[name].dtype)
        for name in names
    ]
    traced = tf.function(
        lambda *ids: model(dict(zip(names, ids))),
        input_signature=signature,
    )
    return lambda inputs: traced(*(inputs[name] for name in names))
