"""Gradient caching, for large batches (GradCache).

The training step splits a batch into mini-batches:

1. It computes the embeddings of each mini-batch without storing activations.
2. It computes the loss of the whole batch and its gradient with respect to the
   embeddings.
3. It computes each mini-batch again, now with activations, and backpropagates
   this gradient to the weights.

The result is the same as in an ordinary step. Random layers, such as dropout,
use the same seeds in both passes.

References:
    [Scaling Deep Contrastive Learning Batch Size under Memory Limited
    Setup](https://arxiv.org/abs/2101.06983)
"""

import importlib

import keras

from keras_bert import checks


def check_mini_batch_size(mini_batch_size, recipe):
    """Raise ValueError unless `mini_batch_size` is compatible with a recipe."""
    checks.at_least(1, mini_batch_size=mini_batch_size)
    if recipe.parallel_parts > 1:
        raise ValueError(
            "Pass either `mini_batch_size`, which computes the parts of a "
            "batch one by one, or `parallel_parts`, which computes several "
            f"at once. Received: mini_batch_size={mini_batch_size}, "
            f"parallel_parts={recipe.parallel_parts}."
        )


def cached_model(model, mini_batch_size):
    """Return a model with the same layers that is trained in mini-batches.

    Args:
        model: functional `keras.Model` with dicts of tensors. The output is
            `embedding`.
        mini_batch_size: int, number of examples in a mini-batch.
    """
    backend = keras.backend.backend()
    name = f"keras_bert.tasks.embeddings.cached_gradients_{backend}"
    cached_class = importlib.import_module(name).CachedModel
    return cached_class(model.input, model.output, mini_batch_size)
