import pytest
import tensorflow as tf

from keras_bert.optimizers.loss_scale import LossScale


@pytest.mark.parametrize("is_needed", [False, True])
def test_gradients_are_those_of_the_loss_as_it_was(is_needed):
    scale = LossScale(is_needed)
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        loss = scale.scaled(x**2)
    (gradient,) = scale.unscaled(tape.gradient(loss, [x]))
    assert float(gradient) == 6.0
    assert float(loss) == (9.0 * 2**15 if is_needed else 9.0)


def test_the_scale_falls_at_an_overflow_and_never_below_one():
    scale = LossScale(True)
    scale.num_good_steps.assign(1999)
    scale.update(tf.constant(False))
    assert float(scale.factor) == 2.0**14
    assert int(scale.num_good_steps) == 0
    for _ in range(20):
        scale.update(tf.constant(False))
    assert float(scale.factor) == 1.0


def test_the_scale_grows_after_two_thousand_good_steps():
    scale = LossScale(True)
    scale.num_good_steps.assign(1998)
    scale.update(tf.constant(True))
    assert float(scale.factor) == 2.0**15
    scale.update(tf.constant(True))
    assert float(scale.factor) == 2.0**16
    assert int(scale.num_good_steps) == 0
