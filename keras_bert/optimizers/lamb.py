"""LAMB, an optimizer for large batches."""

import typing

import keras
from keras import ops

from keras_bert.optimizers.adamw import AdamW
from keras_bert.optimizers.schedules import Schedule


@keras.saving.register_keras_serializable("keras_bert")
class Lamb(AdamW):
    """AdamW with updates scaled to the norm of each weight.

    Step t, counted from 1, updates a weight w with gradient g by

        m = beta_1 * m + (1 - beta_1) * g       m' = m / (1 - beta_1 ** t)
        v = beta_2 * v + (1 - beta_2) * g**2    v' = v / (1 - beta_2 ** t)
        u = m' / (sqrt(v') + epsilon) + weight_decay * w
        w = w - learning_rate * norm(w) / norm(u) * u

    The ratio is 1 if a norm is 0. Biases and LayerNorm weights have no weight
    decay and no scaling, so they are updated as in Adam.

    Args:
        learning_rate: learning rate, or a learning rate schedule.
        global_clipnorm: maximum global norm of the gradients. If None,
            gradients are not clipped, as in the paper.
        **kwargs: arguments of `AdamW`.

    References:
        [LAMB](https://arxiv.org/abs/1904.00962), algorithm 2
    """

    _is_plain = False

    def __init__(
        self,
        learning_rate: float | Schedule = 1e-3,
        global_clipnorm: float | None = None,
        **kwargs: typing.Any,
    ):
        super().__init__(
            learning_rate, global_clipnorm=global_clipnorm, **kwargs
        )

    def _rate_factor(self, gradient, variable, index, update, step):
        if not self._decaying[index]:
            return 1.0
        ratio = ops.divide_no_nan(_norm(variable), _norm(update))
        return ops.where(ratio > 0, ratio, ops.ones_like(ratio))


def _norm(values):
    return ops.sqrt(ops.sum(ops.square(values)))
