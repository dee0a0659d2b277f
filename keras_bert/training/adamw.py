"""Adam with decoupled weight decay, the optimizer of BERT."""

import collections
import math

import keras
import numpy as np
from keras import ops

from keras_bert.training.gradients import global_norm
from keras_bert.training.gradients import scaled
from keras_bert.training.gradients import sum_over_replicas

if keras.backend.backend() == "tensorflow":
    import tensorflow as tf

# What all variables of a step share, as float32 scalars.
_Step = collections.namedtuple("_Step", "rate scale epsilon beta_1 beta_2")


@keras.saving.register_keras_serializable("keras_bert")
class AdamW(keras.optimizers.Optimizer):
    """Adam with decoupled weight decay, clipped by the global norm.

    Step t, counted from 1, takes a weight w with gradient g to

        m = beta_1 * m + (1 - beta_1) * g       m' = m / (1 - beta_1 ** t)
        v = beta_2 * v + (1 - beta_2) * g**2    v' = v / (1 - beta_2 ** t)
        w = w - learning_rate * (m' / (sqrt(v') + epsilon) + weight_decay * w)

    Matrices and embedding tables decay; biases and the gains and offsets of
    LayerNorm do not, nor does what `exclude_from_weight_decay` names. The
    rule is part of the class, so it is there again after loading.

    In `tf.distribute` replicas the gradients are summed first and clipped
    then, so that all replicas together step as one device would with the
    whole batch. `gradient_norm` is the norm of that sum before it is clipped.
    Where it is not finite the step is not taken: no weight, moment or
    iteration changes.

    Args:
        learning_rate: float or Keras schedule.
        weight_decay: float, times the learning rate, off each weight a step.
        beta_1: float, how much of the mean gradient a step keeps.
        beta_2: float, how much of the mean squared gradient a step keeps.
        epsilon: float, added to the root, after its correction.
        bias_correction: bool. False leaves m and v as they are, as
            google-research/bert does; its first steps are then larger.
        global_clipnorm: float, the largest norm of all gradients together,
            or None.
        **kwargs: of `keras.optimizers.Optimizer`, but for its other ways to
            clip.

    References:
        [AdamW](https://arxiv.org/abs/1711.05101), algorithm 2;
        [BERT](https://arxiv.org/abs/1810.04805), appendix A.2
    """

    def __init__(
        self,
        learning_rate=1e-4,
        weight_decay=0.01,
        beta_1=0.9,
        beta_2=0.999,
        epsilon=1e-6,
        bias_correction=True,
        global_clipnorm=1.0,
        **kwargs,
    ):
        _check(weight_decay, beta_1, beta_2, **kwargs)
        super().__init__(
            learning_rate,
            weight_decay=weight_decay,
            global_clipnorm=global_clipnorm,
            **kwargs,
        )
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.bias_correction = bias_correction

    def build(self, variables):
        if self.built:
            return
        super().build(variables)
        self._momentums, self._velocities = self.add_optimizer_variables(
            variables, ["momentum", "velocity"]
        )
        self.gradient_norm = self.add_variable(
            (),
            dtype="float32",
            aggregation="only_first_replica",
            name="gradient_norm",
        )
        self._decaying = tuple(
            decays(variable) and self._use_weight_decay(variable)
            for variable in variables
        )

    def apply(self, grads, trainable_variables=None):
        super().apply(grads, trainable_variables)
        if not self.gradient_accumulation_steps:
            skipped = ops.logical_not(ops.isfinite(self.gradient_norm))
            self.iterations.assign_sub(ops.cast(skipped, self.iterations.dtype))

    # `apply` of Keras calls the next four in this order, and then
    # `update_step` for each variable.

    def _clip_gradients(self, grads):
        grads = sum_over_replicas(grads)
        norm = global_norm(grads)
        self.gradient_norm.assign(norm)
        limit = self.global_clipnorm or float("inf")
        scale = ops.where(norm > limit, limit / norm, 1.0)
        return scaled(grads, ops.where(ops.isfinite(norm), scale, 0.0))

    def _apply_weight_decay(self, variables):
        pass  # `update_step` does it.

    def _backend_update_step(self, grads, trainable_variables, learning_rate):
        step = self._step(ops.cast(learning_rate, "float32"))
        super()._backend_update_step(grads, trainable_variables, step)

    def _all_reduce_sum_gradients(self, grads_and_vars):
        return grads_and_vars  # They were summed before they were clipped.

    def _step(self, learning_rate):
        """What this step does to every variable.

        With c = 1 - beta ** t, the update m / c1 / (sqrt(v / c2) + epsilon)
        is sqrt(c2) / c1 * m / (sqrt(v) + sqrt(c2) * epsilon). A step that is
        not taken has rate 0 and keeps all of m and v.
        """
        # float32 has no 0.999. The variables take steps of 1 - beta as rounded
        # there; the corrections make up for it.
        betas = np.float32(self.beta_1), np.float32(self.beta_2)
        if self.bias_correction:
            t = ops.cast(self.iterations + 1, "float32")
            # 1 - 0.999 ** t has three right digits in float32, this has all.
            corrections = [-ops.expm1(t * math.log(beta)) for beta in betas]
        else:
            exact = self.beta_1, self.beta_2
            corrections = [
                ops.full((), (1 - float(beta)) / (1 - value), "float32")
                for beta, value in zip(betas, exact, strict=True)
            ]
        correction_1, correction_2 = corrections
        root = ops.sqrt(correction_2)
        is_taken = ops.isfinite(self.gradient_norm)
        return _Step(
            ops.where(is_taken, learning_rate, 0.0),
            root / correction_1,
            root * self.epsilon,
            *(ops.where(is_taken, beta, np.float32(1)) for beta in betas),
        )

    def update_step(self, gradient, variable, learning_rate):
        index = self._get_variable_index(variable)
        gradient = ops.cast(gradient, variable.dtype)
        step = cast_step(learning_rate, variable.dtype)
        if self._decaying[index] and self.weight_decay:
            decay = step.rate * self.weight_decay
            self.assign_sub(variable, variable * decay)
        if keras.backend.backend() == "tensorflow":
            moments = self._momentums[index], self._velocities[index]
            _fused_update(gradient, variable, moments, step)
        else:
            update = self._adam_update(gradient, index, step)
            self.assign_sub(variable, step.rate * update)

    def _adam_update(self, gradient, index, step):
        """Moves m and v; returns m' / (sqrt(v') + epsilon)."""
        m, v = self._momentums[index], self._velocities[index]
        self.assign_add(m, (gradient - m) * (1 - step.beta_1))
        self.assign_add(v, (ops.square(gradient) - v) * (1 - step.beta_2))
        return step.scale * m / (ops.sqrt(v) + step.epsilon)

    def get_config(self):
        return {
            **super().get_config(),
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
            "bias_correction": self.bias_correction,
        }


def decays(variable):
    """Whether weight decay applies: to matrices and embedding tables.

    Args:
        variable: `keras.Variable`. In some layers of Keras a bias has two
            axes, so its name counts as well.

    Returns:
        bool
    """
    return len(variable.shape) > 1 and variable.name != "bias"


def _check(
    weight_decay, beta_1, beta_2, clipnorm=None, clipvalue=None, **kwargs
):
    if weight_decay is None or not weight_decay >= 0:
        raise ValueError(
            "`weight_decay` must be at least 0. "
            f"Received: weight_decay={weight_decay}."
        )
    if not (0 < beta_1 < 1 and 0 < beta_2 < 1):
        raise ValueError(
            "`beta_1` and `beta_2` must be above 0 and below 1. "
            f"Received: beta_1={beta_1}, beta_2={beta_2}."
        )
    if clipnorm is not None or clipvalue is not None:
        raise ValueError(
            "Gradients are clipped by `global_clipnorm` alone. "
            f"Received: clipnorm={clipnorm}, clipvalue={clipvalue}."
        )


def cast_step(step, dtype):
    """The scalars of a step in the dtype of a variable."""
    return _Step(*(ops.cast(value, dtype) for value in step))


def _fused_update(gradient, variable, moments, step):
    """One pass over a variable, its moments and its gradient."""
    m, v = moments
    tf.raw_ops.ResourceApplyAdam(
        var=variable.handle,
        m=m.value.handle,
        v=v.value.handle,
        # The corrections are in the rate and epsilon.
        beta1_power=tf.zeros_like(step.beta_1),
        beta2_power=tf.zeros_like(step.beta_2),
        lr=step.rate * step.scale,
        beta1=step.beta_1,
        beta2=step.beta_2,
        epsilon=step.epsilon,
        grad=gradient,
    )
