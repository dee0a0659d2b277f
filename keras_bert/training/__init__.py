"""Optimizer, losses and the run of pre-training."""

from keras_bert.training.losses import pretraining_losses
from keras_bert.training.losses import pretraining_metrics
from keras_bert.training.optimizers import bert_adamw
from keras_bert.training.schedules import LinearWarmupDecay

__all__ = [
    "LinearWarmupDecay",
    "bert_adamw",
    "pretraining_losses",
    "pretraining_metrics",
]
