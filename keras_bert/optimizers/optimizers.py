"""Optimizers with the settings of the BERT, LAMB and ModernBERT papers."""

import collections
import re

import keras
from absl import logging

from keras_bert.optimizers.adam_step import decays
from keras_bert.optimizers.adamw import AdamW
from keras_bert.optimizers.lamb import Lamb
from keras_bert.optimizers.schedules import Schedule
from keras_bert.optimizers.stable_adamw import StableAdamW


def bert_adamw(
    model: keras.Model,
    learning_rate: float | Schedule,
    weight_decay: float = 0.01,
    bias_correction: bool = True,
    beta_2: float = 0.999,
    rate_schedule: Schedule | None = None,
) -> AdamW:
    """Return the BERT optimizer, AdamW with gradients clipped to norm 1.0.

    `beta_1` is 0.9, `epsilon` 1e-6. Biases and LayerNorm weights have no weight
    decay. The log lists the variables with and without weight decay.

    Args:
        model: the built model to train.
        learning_rate: learning rate, or a learning rate schedule.
        weight_decay: weight decay; multiplied by the learning rate.
        bias_correction: whether to correct the bias of the moments.
            google-research/bert does not.
        beta_2: decay rate for the running mean of squared gradients. RoBERTa
            uses 0.98.
        rate_schedule: schedule for a factor that multiplies the learning rate,
            or None.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), appendix A.2;
        [AdamW](https://arxiv.org/abs/1711.05101);
        [RoBERTa](https://arxiv.org/abs/1907.11692), section 3.1
    """
    logging.info(describe_weight_decay(model))
    return AdamW(
        learning_rate,
        weight_decay=weight_decay,
        bias_correction=bias_correction,
        beta_2=beta_2,
        rate_schedule=rate_schedule,
    )


def bert_lamb(
    model: keras.Model,
    learning_rate: float | Schedule,
    weight_decay: float = 0.01,
    beta_2: float = 0.999,
) -> Lamb:
    """Return the LAMB optimizer, for batches of thousands of examples.

    `beta_1` is 0.9, `epsilon` 1e-6; gradients are not clipped. Biases and
    LayerNorm weights have no weight decay and are not scaled. The log lists the
    variables with and without weight decay.

    Args:
        model: the built model to train.
        learning_rate: learning rate, or a learning rate schedule.
        weight_decay: weight decay; multiplied by the learning rate.
        beta_2: decay rate for the running mean of squared gradients.

    References:
        [LAMB](https://arxiv.org/abs/1904.00962), section 4
    """
    logging.info(describe_weight_decay(model))
    return Lamb(learning_rate, weight_decay=weight_decay, beta_2=beta_2)


def bert_stable_adamw(
    model: keras.Model,
    learning_rate: float | Schedule,
    weight_decay: float = 0.01,
    beta_2: float = 0.98,
) -> StableAdamW:
    """Return the ModernBERT optimizer, StableAdamW.

    `beta_1` is 0.9, `epsilon` 1e-6; gradients are not clipped. Biases and
    LayerNorm weights have no weight decay. The log lists the variables with and
    without weight decay.

    Args:
        model: the built model to train.
        learning_rate: learning rate, or a learning rate schedule.
        weight_decay: weight decay; multiplied by the learning rate.
        beta_2: decay rate for the running mean of squared gradients.

    References:
        [ModernBERT](https://arxiv.org/abs/2412.13663), section 2.2.2
    """
    logging.info(describe_weight_decay(model))
    return StableAdamW(learning_rate, weight_decay=weight_decay, beta_2=beta_2)


def describe_weight_decay(model: keras.Model) -> str:
    """Describe which variables have weight decay.

    Args:
        model: a built model.

    Returns:
        Text with several lines. A line such as
        `12 x block_*/feed_forward/intermediate/kernel` stands for twelve
        variables, with a star in place of the block number.
    """
    exempt, decaying = [], []
    for variable in model.trainable_variables:
        (decaying if decays(variable) else exempt).append(variable.path)
    return "\n".join(
        [
            f"{len(decaying)} embedding tables and matrices with weight decay:",
            *_merge_numbered(decaying),
            f"{len(exempt)} biases and LayerNorm weights without weight decay:",
            *_merge_numbered(exempt),
        ]
    )


def _merge_numbered(paths):
    patterns = collections.Counter(re.sub(r"\d+", "*", path) for path in paths)
    return [f"  {count} x {pattern}" for pattern, count in patterns.items()]
