"""Optimizers, losses and the run of pre-training."""

from keras_bert.training.adamw import AdamW
from keras_bert.training.lamb import Lamb
from keras_bert.training.losses import pretraining_losses
from keras_bert.training.losses import pretraining_metrics
from keras_bert.training.optimizers import bert_adamw
from keras_bert.training.optimizers import bert_lamb
from keras_bert.training.optimizers import describe_weight_decay
from keras_bert.training.schedules import CosineWarmupDecay
from keras_bert.training.schedules import LinearWarmupDecay
from keras_bert.training.schedules import PolynomialWarmupDecay
from keras_bert.training.schedules import WarmupDecay

__all__ = [
    "AdamW",
    "CosineWarmupDecay",
    "Lamb",
    "LinearWarmupDecay",
    "PolynomialWarmupDecay",
    "WarmupDecay",
    "bert_adamw",
    "bert_lamb",
    "describe_weight_decay",
    "pretraining_losses",
    "pretraining_metrics",
]
