"""The optimizer of the paper."""

import keras


def bert_adamw(model, learning_rate, weight_decay=0.01):
    """Adam with decoupled weight decay, clipped by the global norm.

    Beta 0.9 and 0.999, epsilon 1e-6, gradients clipped to norm 1.0. Biases
    and the gains and offsets of LayerNorm do not decay; they are excluded as
    variables, because in Keras 3 their names do not tell.

    Args:
        model: a built `keras.Model`, the one to be trained.
        learning_rate: float or Keras schedule.
        weight_decay: float, times the learning rate, off each weight a step.

    Returns:
        A `keras.optimizers.AdamW`.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), appendix A.2;
        [AdamW](https://arxiv.org/abs/1711.05101)
    """
    optimizer = keras.optimizers.AdamW(
        learning_rate=learning_rate,
        weight_decay=weight_decay,
        beta_1=0.9,
        beta_2=0.999,
        epsilon=1e-6,
        global_clipnorm=1.0,
    )
    optimizer.exclude_from_weight_decay(
        var_list=[v for v in model.trainable_variables if not decays(v)]
    )
    return optimizer


def decays(variable):
    """Whether weight decay applies: to matrices and embedding tables."""
    return len(variable.shape) > 1
