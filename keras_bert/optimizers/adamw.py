"""Adam with decoupled weight decay, the optimizer of BERT."""

import re
import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.optimizers.adam_step import NUM_SCALARS
from keras_bert.optimizers.adam_step import adam_direction
from keras_bert.optimizers.adam_step import adam_moments
from keras_bert.optimizers.adam_step import adam_step
from keras_bert.optimizers.adam_step import decays
from keras_bert.optimizers.adam_step import global_norm
from keras_bert.optimizers.adam_step import sum_over_replicas
from keras_bert.optimizers.adam_step import unpack
from keras_bert.optimizers.adam_step import update_variable
from keras_bert.optimizers.schedules import Schedule
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class AdamW(keras.optimizers.Optimizer):
    """AdamW optimizer with gradient clipping by the global norm.

    Step t, counted from 1, updates a weight w with gradient g by

        m = beta_1 * m + (1 - beta_1) * g       m' = m / (1 - beta_1 ** t)
        v = beta_2 * v + (1 - beta_2) * g**2    v' = v / (1 - beta_2 ** t)
        w = w - learning_rate * (m' / (sqrt(v') + epsilon) + weight_decay * w)

    Weight decay applies to matrices and embedding tables. It does not apply to
    biases, LayerNorm weights and variables passed to
    `exclude_from_weight_decay`. This rule is part of the class, so loaded
    optimizers follow it too.

    With `tf.distribute`, the gradients are summed over the replicas before
    they are clipped, so that a step is the same as on one device with the
    whole batch. `gradient_norm` is the norm of this sum before clipping. If it
    is not finite, the step is skipped: no weight, moment or iteration changes.

    Args:
        learning_rate: learning rate, or a learning rate schedule.
        rate_schedule: schedule for a factor that multiplies the learning rate,
            or None. The learning rate remains a float that callbacks can set.
        weight_decay: weight decay; multiplied by the learning rate.
        beta_1: decay rate for the running mean of gradients.
        beta_2: decay rate for the running mean of squared gradients.
        epsilon: small float added to the square root after bias correction.
        bias_correction: whether to correct the bias of m and v. If False, the
            first steps are larger, as in google-research/bert.
        global_clipnorm: maximum global norm of the gradients, or None.
        **kwargs: arguments of `keras.optimizers.Optimizer`, except
            `gradient_accumulation_steps` and other clipping arguments.

    References:
        [AdamW](https://arxiv.org/abs/1711.05101), algorithm 2;
        [BERT](https://arxiv.org/abs/1810.04805), appendix A.2
    """

    # False in subclasses that scale the update of each variable, which
    # TensorFlow's op does not support.
    _is_plain = True

    def __init__(
        self,
        learning_rate: float | Schedule = 1e-4,
        weight_decay: float = 0.01,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-6,
        bias_correction: bool = True,
        global_clipnorm: float | None = 1.0,
        rate_schedule: Schedule | dict | None = None,
        **kwargs: typing.Any,
    ):
        checks.not_negative(weight_decay=weight_decay)
        checks.positive(beta_1=beta_1, beta_2=beta_2)
        checks.share(beta_1=beta_1, beta_2=beta_2)
        for name in ("clipnorm", "clipvalue", "gradient_accumulation_steps"):
            if kwargs.get(name) is not None:
                raise ValueError(
                    f"`{name}` is not supported: use `global_clipnorm` to clip "
                    "gradients, and `accumulation_steps` of `PretrainingLoop` "
                    f"to accumulate them. Received: {name}={kwargs[name]}."
                )
        # Keras would number the optimizers. TensorFlow caches a kernel for each
        # name of a variable.
        kwargs.setdefault("name", type(self).__name__.lower())
        super().__init__(learning_rate, **kwargs)
        self._max_norm = global_clipnorm
        self._decay_rate = weight_decay
        self._excluded, self._excluded_names = (), ()
        self._rate_factors = {}
        if isinstance(rate_schedule, dict):
            rate_schedule = keras.saving.deserialize_keras_object(rate_schedule)
        self._rate_schedule = rate_schedule
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.bias_correction = bias_correction

    def exclude_from_weight_decay(
        self, var_list: list | None = None, var_names: list | None = None
    ) -> None:
        if self.built:
            raise ValueError(
                "`exclude_from_weight_decay` must be called before `build`. "
                f"Received: var_list={var_list}, var_names={var_names}."
            )
        self._excluded = tuple(id(variable) for variable in var_list or ())
        self._excluded_names = tuple(var_names or ())

    def scale_learning_rate(self, var_list: list, factors: list[float]) -> None:
        """Scale the learning rates of some variables.

        The factors are not saved with the optimizer.

        Args:
            var_list: variables to scale. All other variables keep the learning
                rate.
            factors: list with a factor for each variable.

        Raises:
            ValueError: a factor is negative, `factors` and `var_list` have
                different lengths, or the optimizer is already built.
        """
        is_right = all(factor >= 0 for factor in factors)
        if self.built or len(factors) != len(var_list) or not is_right:
            raise ValueError(
                "`scale_learning_rate` must be called before `build`, with a "
                "factor of at least 0 for each variable. Received: "
                f"{len(var_list)} variables, factors={factors}, "
                f"built={self.built}."
            )
        ids = map(id, var_list)
        self._rate_factors = dict(zip(ids, factors, strict=True))

    def build(self, variables: list) -> None:
        if self.built:
            return
        super().build(variables)
        self._momentums, self._velocities = self.add_optimizer_variables(
            variables, ["momentum", "velocity"]
        )
        self.gradient_norm = self._add_shared("gradient_norm", ())
        self._step = self._add_shared("step", (NUM_SCALARS,))
        if self._rate_schedule:
            self._schedule_factor = self._add_shared("schedule_factor", ())
        self._decaying = tuple(self._is_decaying(v) for v in variables)
        factors = self._rate_factors
        self._factors = tuple(factors.get(id(v), 1.0) for v in variables)

    def _add_shared(self, name, shape):
        """Add a variable that has the same value on all replicas."""
        return self.add_variable(
            shape,
            dtype="float32",
            aggregation="only_first_replica",
            name=name,
        )

    def _is_decaying(self, variable):
        names = self._excluded_names
        is_excluded = any(re.search(name, variable.name) for name in names)
        is_excluded = is_excluded or id(variable) in self._excluded
        return decays(variable) and not is_excluded

    def apply(
        self, grads: list, trainable_variables: list | None = None
    ) -> None:
        if trainable_variables is not None and not self.built:
            self.build(list(trainable_variables))
        if not self.built or all(gradient is None for gradient in grads):
            # Keras raises its error here, unless there are no variables.
            super().apply(grads, trainable_variables)
            return
        grads = self._prepare(list(grads))
        super().apply(grads, trainable_variables)
        is_skipped = 1 - unpack(self._step).is_taken
        self.iterations.assign_sub(ops.cast(is_skipped, self.iterations.dtype))

    def _all_reduce_sum_gradients(self, grads_and_vars):
        # The gradients are already summed over devices. Keras has no public way
        # to skip its sum, so this private method is overridden; a test checks
        # it.
        return grads_and_vars

    def _prepare(self, grads):
        """Return the summed gradients and store the scalars of the step."""
        known = [i for i, gradient in enumerate(grads) if gradient is not None]
        ready = sum_over_replicas([grads[i] for i in known])
        norm = global_norm(ready) / (self.loss_scale_factor or 1)
        self.gradient_norm.assign(norm)
        is_taken = ops.isfinite(norm)
        limit = self._max_norm or float("inf")
        if self._rate_schedule:
            factor = self._rate_schedule(self.iterations)
            self._schedule_factor.assign(factor)
        t = ops.cast(self.iterations + 1, "float32")
        self._step.assign(
            adam_step(
                t if self.bias_correction else None,
                is_taken,
                ops.where(norm > limit, limit / norm, 1.0),
                (self.beta_1, self.beta_2),
                self.epsilon,
            )
        )
        for i, gradient in zip(known, ready, strict=True):
            grads[i] = gradient
        return grads

    def update_step(
        self, gradient: Tensor, variable: Tensor, learning_rate: Tensor
    ) -> None:
        index, dtype = self._get_variable_index(variable), variable.dtype
        step = unpack(ops.cast(self._step, dtype))
        if self._rate_schedule:
            learning_rate = learning_rate * self._schedule_factor
        rate = ops.cast(learning_rate, dtype) * self._factors[index]
        rate *= step.is_taken
        gradient = ops.cast(gradient, dtype)
        decay = self._decay_rate if self._decaying[index] else 0.0
        momentum, velocity = self._momentums[index], self._velocities[index]
        if self._is_plain and keras.backend.backend() == "tensorflow":
            handles = [momentum.value, velocity.value]
            update_variable(gradient, variable, handles, rate, decay, step)
            return
        first, second = adam_moments(gradient, momentum, velocity, step)
        self.assign(momentum, first)
        self.assign(velocity, second)
        update = adam_direction(first, second, step) + decay * variable
        rate *= self._rate_factor(gradient, variable, index, update, step)
        self.assign_sub(variable, rate * update)

    def _rate_factor(self, gradient, variable, index, update, step):
        """Return an additional factor that multiplies the update."""
        return 1.0

    def get_config(self) -> dict:
        return {
            **super().get_config(),
            "weight_decay": self._decay_rate,
            "global_clipnorm": self._max_norm,
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
            "bias_correction": self.bias_correction,
            "rate_schedule": self._rate_schedule
            and keras.saving.serialize_keras_object(self._rate_schedule),
        }
