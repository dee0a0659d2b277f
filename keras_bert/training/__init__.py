"""Optimizers, losses and the run of pre-training."""

from keras_bert import lazy

_MEMBERS = {
    "AdamW": "adamw",
    "CosineWarmupDecay": "schedules",
    "LabelTerm": "terms",
    "Lamb": "lamb",
    "LinearWarmupDecay": "schedules",
    "Objective": "objectives",
    "PolynomialWarmupDecay": "schedules",
    "StableAdamW": "stable_adamw",
    "WarmupDecay": "schedules",
    "WarmupStableDecay": "schedules",
    "bert_adamw": "optimizers",
    "bert_lamb": "optimizers",
    "bert_stable_adamw": "optimizers",
    "describe_weight_decay": "optimizers",
    "pretraining_losses": "objectives",
    "pretraining_metrics": "objectives",
}

__all__ = [*_MEMBERS]
__getattr__, __dir__ = lazy.attach(__name__, members=_MEMBERS)
