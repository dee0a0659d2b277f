"""Several recipes made of one."""

import dataclasses
import itertools

_BATCH_SIZES = (16, 32)
_LEARNING_RATES = (5e-5, 3e-5, 2e-5)
_EPOCHS = (2, 3, 4)


def with_seeds(recipe, count):
    """A recipe with so many seeds, from its own on, as a list."""
    return [
        dataclasses.replace(recipe, seed=recipe.seed + number)
        for number in range(count)
    ]


def paper_grid(recipe):
    """A recipe with each batch size, rate and number of epochs of the paper.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), appendix A.3
    """
    return [
        dataclasses.replace(
            recipe, batch_size=batch_size, learning_rate=rate, epochs=epochs
        )
        for batch_size, rate, epochs in itertools.product(
            _BATCH_SIZES, _LEARNING_RATES, _EPOCHS
        )
    ]
