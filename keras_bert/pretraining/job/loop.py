"""Pre-training loop for one or several devices."""

import itertools
import typing
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence

import keras
import tensorflow as tf

from keras_bert import features
from keras_bert.optimizers.adamw import AdamW
from keras_bert.optimizers.loss_scale import LossScale
from keras_bert.pretraining.batches.static import Batch
from keras_bert.pretraining.objectives.objectives import OBJECTIVES
from keras_bert.pretraining.objectives.objectives import PUBLISHED
from keras_bert.pretraining.objectives.objectives import Objective
from keras_bert.pretraining.objectives.terms import LossTerm
from keras_bert.pretraining.objectives.terms import mean_metrics
from keras_bert.pretraining.objectives.trainable_models import TrainableModels
from keras_bert.typing import Tensors

Sums = typing.TypeVar("Sums")
"""Tensors that add up over the parts of a batch."""


class PretrainingLoop:
    """Training and evaluation loop for a pre-training model.

    The result of a step does not depend on the number of devices, accumulation
    steps and parallel parts: each term of the loss is the mean over all
    predictions of the global batch, and the optimizer sums the gradients over
    the devices before it clips them. On one device, the losses are the same as
    in `model.fit` with `pretraining.losses`.

    Args:
        trainable: created in the strategy's scope. Its model, such as
            `bert_pretrainer`, has the outputs that the objective uses.
        optimizer: optimizer of `keras_bert.optimizers`, created for the model
            in the same scope.
        strategy: defaults to one device.
        accumulation_steps: number of parts into which a batch is split to save
            memory.
        parallel_parts: number of parts into which the rows computed together
            are split. The parts are branches of the graph.
        jit_compile: whether to compile the step with XLA.
        objective: defaults to masked LM and next-sentence prediction, as for
            BERT.
    """

    def __init__(
        self,
        trainable: TrainableModels,
        optimizer: AdamW,
        strategy: tf.distribute.Strategy | None = None,
        accumulation_steps: int = 1,
        parallel_parts: int = 1,
        jit_compile: bool = False,
        objective: Objective = OBJECTIVES[PUBLISHED],
    ) -> None:
        self.trainable = trainable
        self.model = model = trainable.model
        self.optimizer = optimizer
        self.strategy = strategy or tf.distribute.get_strategy()
        self._inputs = list(model.input)  # Not every model has segments.
        self._terms = objective.terms()
        _check_outputs(model, objective.name, self._terms)
        self._accumulation_steps = accumulation_steps
        self._parallel_parts = parallel_parts
        # Variables must exist before the first step is traced.
        with self.strategy.scope():
            optimizer.build(model.trainable_variables)
            self._loss_scale = LossScale(model.compute_dtype == "float16")
        self._replica_step = self._step
        if jit_compile:
            _check_compilable(self.strategy)
            self._replica_step = tf.function(self._step, jit_compile=True)

    @property
    def scales_loss(self) -> bool:
        """Return True if the loss is scaled, as in float16 training."""
        return self._loss_scale.is_needed

    @property
    def variables(self) -> list[keras.Variable | tf.Variable]:
        """Return all variables that a step changes, always in the same order.

        The model's weights come first, then its random state.
        """
        weights = self.model.weights
        known = {id(weight) for weight in weights}
        return [
            *weights,
            *(v for v in self.model.variables if id(v) not in known),
            *self.optimizer.variables,
            *self._loss_scale.variables,
        ]

    @tf.function(reduce_retracing=True)
    def train(self, batches: Iterator[Batch], num_steps: tf.Tensor) -> Tensors:
        """Run training steps.

        Args:
            batches: global batches of `pretraining.dataset`, distributed if
                there are several devices.
            num_steps: int32 scalar, number of steps.

        Returns:
            float32 scalars, summed over the steps and all devices, for
            `mean_metrics`.
        """
        # Run the first step outside the graph loop, to define the keys of the
        # totals.
        totals = self._run(self._replica_step, next(batches))
        for _ in tf.range(num_steps - 1):
            step = self._run(self._replica_step, next(batches))
            totals = {name: totals[name] + step[name] for name in totals}
        return totals

    @tf.function(reduce_retracing=True)
    def _evaluate(self, batch: Batch) -> Tensors:
        return self._run(self._evaluation_step, batch)

    def evaluate(self, dataset: tf.data.Dataset) -> dict[str, float]:
        """Return means over the batches of a dataset, such as `mlm_loss`.

        All predictions in the dataset except padding have the same weight.
        """
        sums = {}
        for batch in dataset:
            # Add in float64 on the host: float32 is not exact above 2**24.
            for name, value in self._evaluate(batch).items():
                sums[name] = sums.get(name, 0.0) + float(value)
        return mean_metrics(sums)

    def _run(
        self, function: Callable[[Batch], Tensors], batch: Batch
    ) -> Tensors:
        """Run a function on every device and return the global sums."""
        sums = self.strategy.run(function, args=(batch,))
        # The sums were reduced over the devices, so all have the same value.
        return {
            name: self.strategy.experimental_local_results(value)[0]
            for name, value in sums.items()
        }

    def _step(self, batch: Batch) -> Tensors:
        """Update the model with this device's examples of a global batch."""
        inputs, _, weights = batch
        # The number of predictions differs between devices and pieces. All of
        # them divide by the number in the global batch.
        denominators = _sum_over_replicas(
            {term.name: term.total_weight(weights) for term in self._terms}
        )
        sums, gradients = self._gradients(batch, denominators)
        self.optimizer.apply(gradients, self.model.trainable_variables)
        # The same on all devices: the optimizer summed the gradients before.
        norm = tf.convert_to_tensor(self.optimizer.gradient_norm)
        is_finite = tf.math.is_finite(norm)
        self._loss_scale.update(is_finite)
        sums["tokens"] = tf.reduce_sum(
            tf.cast(inputs[features.INPUT_MASK.name], tf.float32)
        )
        sums = {
            **_sum_over_replicas(sums),
            "gradient_norm": norm,
            "steps": tf.ones(()),
        }
        # A skipped step must not turn the sums of the other steps into NaN.
        taken = {name: tf.where(is_finite, x, 0.0) for name, x in sums.items()}
        return {**taken, "skipped_steps": 1.0 - taken["steps"]}

    def _gradients(
        self, batch: Batch, denominators: Tensors
    ) -> tuple[Tensors, list[tf.Tensor]]:
        """Compute the gradients and sums for this device's examples."""

        def gradients_of_rows(rows: Batch) -> tuple[Tensors, list[tf.Tensor]]:
            return self._sum_over_parts(
                lambda part: self._part_gradients(part, denominators), rows
            )

        if self._accumulation_steps == 1:
            return gradients_of_rows(batch)
        num_pieces = self._accumulation_steps
        # [B, ...] to [num_pieces, B / num_pieces, ...].
        pieces = tf.nest.map_structure(
            lambda x: tf.reshape(x, [num_pieces, -1, *x.shape[1:]]), batch
        )

        def gradients_of(
            index: int | tf.Tensor,
        ) -> tuple[Tensors, list[tf.Tensor]]:
            piece = tf.nest.map_structure(lambda x: x[index], pieces)
            return gradients_of_rows(piece)

        # A loop in the graph, so that the memory of a piece is reused. With
        # global denominators, the gradients of the pieces add up.
        totals = gradients_of(0)
        for index in tf.range(1, num_pieces):
            more = gradients_of(index)
            totals = tf.nest.map_structure(tf.add, totals, more)
        return totals

    def _sum_over_parts(
        self, compute: Callable[[Batch], Sums], rows: Batch
    ) -> Sums:
        """Compute the parallel parts of some rows and add up the results."""
        num_parts = self._parallel_parts
        if num_parts == 1:
            return compute(rows)
        num_rows = tf.shape(rows[0][features.INPUT_IDS.name])[0]
        bounds = [num_rows * k // num_parts for k in range(num_parts + 1)]
        results = []
        for start, stop in itertools.pairwise(bounds):
            results.append(
                compute(tf.nest.map_structure(lambda x: x[start:stop], rows))
            )
        return tf.nest.map_structure(lambda *x: tf.add_n(x), *results)

    def _part_gradients(
        self, batch: Batch, denominators: Tensors
    ) -> tuple[Tensors, list[tf.Tensor]]:
        """Compute the gradients and sums for examples computed together."""
        inputs, labels, weights = self._with_targets(batch)
        with tf.GradientTape() as tape:
            outputs = self._outputs(inputs, training=True)
            sums = self._sums(outputs, labels, weights)
            loss = sum(
                term.factor
                * sums[f"{term.name}/loss"]
                / tf.maximum(denominators[term.name], 1.0)
                for term in self._terms
            )
            scaled = self._loss_scale.scaled(loss)
        variables = self.model.trainable_variables
        gradients = [
            # Without global tokens, their projections are not used.
            tf.zeros(variable.shape)
            if gradient is None
            else tf.convert_to_tensor(gradient)
            for variable, gradient in zip(
                variables, tape.gradient(scaled, variables), strict=True
            )
        ]
        return {**sums, "loss": loss}, self._loss_scale.unscaled(gradients)

    def _evaluation_step(self, batch: Batch) -> Tensors:
        def sums(part: Batch) -> Tensors:
            inputs, labels, weights = self._with_targets(part)
            outputs = self._outputs(inputs, training=False)
            return self._sums(outputs, labels, weights)

        return _sum_over_replicas(self._sum_over_parts(sums, batch))

    def _with_targets(self, batch: Batch) -> Batch:
        """Add computed labels, such as predictions of a teacher."""
        inputs, labels, weights = batch
        return inputs, {**labels, **self.trainable.targets(inputs)}, weights

    def _outputs(self, inputs: Tensors, training: bool) -> Tensors:
        inputs = {name: inputs[name] for name in self._inputs}
        return self.model(inputs, training=training)

    def _sums(
        self, outputs: Tensors, labels: Tensors, weights: Tensors
    ) -> Tensors:
        """Return the sums of all terms under names such as "mlm/loss"."""
        return {
            f"{term.name}/{quantity}": value
            for term in self._terms
            for quantity, value in term.sums(outputs, labels, weights).items()
        }


def _check_outputs(
    model: keras.Model, objective: str, terms: Sequence[LossTerm]
) -> None:
    wanted = {output for term in terms for output in term.outputs}
    if {*model.output} != wanted:
        raise ValueError(
            "The model must have an output for each loss of the objective. "
            f"Received: objective={objective}, which needs "
            f"{', '.join(sorted(wanted))}; model outputs "
            f"{', '.join(model.output)}."
        )


def _check_compilable(strategy: tf.distribute.Strategy) -> None:
    if strategy.num_replicas_in_sync == 1:
        return
    devices = strategy.extended.worker_devices
    if any("CPU" in device for device in devices):
        raise ValueError(
            "XLA cannot compile a step for several CPU devices. Received: "
            f"jit_compile=True, {strategy.num_replicas_in_sync} devices: "
            f"{', '.join(devices)}."
        )


def _sum_over_replicas(values: Tensors) -> Tensors:
    context = tf.distribute.get_replica_context()
    return context.all_reduce(tf.distribute.ReduceOp.SUM, values)
