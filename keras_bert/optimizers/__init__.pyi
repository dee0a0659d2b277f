"""Optimizers and learning rate schedules on any Keras backend."""

from .adamw import AdamW as AdamW
from .lamb import Lamb as Lamb
from .optimizers import bert_adamw as bert_adamw
from .optimizers import bert_lamb as bert_lamb
from .optimizers import bert_stable_adamw as bert_stable_adamw
from .optimizers import describe_weight_decay as describe_weight_decay
from .schedules import CosineWarmupDecay as CosineWarmupDecay
from .schedules import LinearWarmupDecay as LinearWarmupDecay
from .schedules import PolynomialWarmupDecay as PolynomialWarmupDecay
from .schedules import WarmupDecay as WarmupDecay
from .schedules import WarmupStableDecay as WarmupStableDecay
from .stable_adamw import StableAdamW as StableAdamW
