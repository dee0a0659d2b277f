import keras
import pytest

from keras_bert.optimizers.adamw import AdamW
from keras_bert.optimizers.schedules import CosineWarmupDecay
from keras_bert.optimizers.schedules import LinearWarmupDecay
from keras_bert.optimizers.schedules import PolynomialWarmupDecay
from keras_bert.optimizers.schedules import WarmupStableDecay


def _scaled(factors, is_built=False):
    variables = [keras.Variable([1.0]), keras.Variable([2.0])]
    optimizer = AdamW(0.5)
    if is_built:
        optimizer.build(variables)
    optimizer.scale_learning_rate(variables, factors)


def _excluded_late():
    optimizer = AdamW(0.5)
    optimizer.build([keras.Variable([1.0])])
    optimizer.exclude_from_weight_decay(var_names=["kernel"])


@pytest.mark.parametrize(
    "call, received",
    [
        (lambda: AdamW(1e-4, weight_decay=-0.1), "weight_decay=-0.1"),
        (lambda: AdamW(1e-4, beta_1=0.0), "beta_1=0.0"),
        (lambda: AdamW(1e-4, beta_2=1.0), "beta_2=1.0"),
        (lambda: AdamW(1e-4, clipnorm=1.0), "clipnorm=1.0"),
        (
            lambda: AdamW(1e-4, gradient_accumulation_steps=1),
            "gradient_accumulation_steps=1",
        ),
        (lambda: _scaled([1.0]), r"2 variables, factors=\[1.0\]"),
        (lambda: _scaled([1.0, -0.5]), r".* factors=\[1.0, -0.5\]"),
        (lambda: _scaled([1.0, 1.0], is_built=True), ".*built=True"),
        (_excluded_late, ".*var_names=.'kernel'"),
        (lambda: WarmupStableDecay(1, 9, decay_share=0.0), "decay_share=0.0"),
        (lambda: LinearWarmupDecay(1, 9, -1), "num_warmup_steps=-1"),
        (lambda: LinearWarmupDecay(1, 9, 9), "num_warmup_steps=9"),
        (lambda: CosineWarmupDecay(0.5, 9, end=-0.1), "end=-0.1"),
        (lambda: CosineWarmupDecay(0.5, 9, end=0.6), "end=0.6"),
        (lambda: PolynomialWarmupDecay(1, 9, power=0.0), "power=0.0"),
    ],
)
def test_a_wrong_argument_is_named(call, received):
    with pytest.raises(ValueError, match=f"Received: {received}"):
        call()
