"""Pre-training loop for one or several devices."""

import tensorflow as tf

from keras_bert import features
from keras_bert.optimizers.loss_scale import LossScale
from keras_bert.pretraining.objectives.objectives import OBJECTIVES
from keras_bert.pretraining.objectives.objectives import PUBLISHED
from keras_bert.pretraining.objectives.terms import mean_metrics


class PretrainingLoop:
    """Training and evaluation loop for a pre-training model.

    The result of a step does not depend on the number of devices or of
    accumulation steps: each term of the loss is the mean over all predictions
    of the global batch, and the optimizer sums the gradients over the devices
    before it clips them. On one device, the losses are the same as in
    `model.fit` with `pretraining.losses`.

    Args:
        trainable: `TrainableModels`, created in the strategy's scope. Its
            model, such as `bert_pretrainer`, has the outputs that the objective
            uses.
        optimizer: optimizer of `keras_bert.optimizers`, created for the model
            in the same scope.
        strategy: `tf.distribute.Strategy`. Defaults to one device.
        accumulation_steps: int, number of parts into which a batch is split to
            save memory.
        jit_compile: bool, whether to compile the step with XLA.
        objective: `Objective`. Defaults to masked LM and next-sentence
            prediction, as for BERT.
    """

    def __init__(
        self,
        trainable,
        optimizer,
        strategy=None,
        accumulation_steps=1,
        jit_compile=False,
        objective=OBJECTIVES[PUBLISHED],
    ):
        self.trainable = trainable
        self.model = model = trainable.model
        self.optimizer = optimizer
        self.strategy = strategy or tf.distribute.get_strategy()
        self._inputs = list(model.input)  # Not every model has segments.
        self._terms = objective.terms()
        _check_outputs(model, objective.name, self._terms)
        self._accumulation_steps = accumulation_steps
        with self.strategy.scope():
            optimizer.build(model.trainable_variables)
            self._loss_scale = LossScale(model.compute_dtype == "float16")
        self._replica_step = self._step
        if jit_compile:
            _check_compilable(self.strategy)
            self._replica_step = tf.function(self._step, jit_compile=True)

    @property
    def scales_loss(self):
        """Return True if the loss is scaled, as in float16 training."""
        return self._loss_scale.is_needed

    @property
    def variables(self):
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
    def train(self, batches, num_steps):
        """Run training steps.

        Args:
            batches: iterator over global batches of `pretraining.dataset`,
                distributed if there are several devices.
            num_steps: int, number of steps.

        Returns:
            A dict of float32 scalars, summed over the steps and all devices,
            for `mean_metrics`.
        """
        # Run the first step outside the graph loop, to define the keys of the
        # totals.
        totals = self._run(self._replica_step, next(batches))
        for _ in tf.range(num_steps - 1):
            step = self._run(self._replica_step, next(batches))
            totals = {name: totals[name] + step[name] for name in totals}
        return totals

    @tf.function(reduce_retracing=True)
    def _evaluate(self, batch):
        return self._run(self._evaluation_step, batch)

    def evaluate(self, dataset):
        """Return means over the batches of a dataset, such as `mlm_loss`.

        All predictions in the dataset except padding have the same weight.
        """
        sums = {}
        for batch in dataset:
            for name, value in self._evaluate(batch).items():
                sums[name] = sums.get(name, 0.0) + float(value)
        return mean_metrics(sums)

    def _run(self, function, batch):
        """Run a function on every device and return the global sums."""
        sums = self.strategy.run(function, args=(batch,))
        return {
            name: self.strategy.experimental_local_results(value)[0]
            for name, value in sums.items()
        }

    def _step(self, batch):
        inputs, _, weights = batch
        denominators = _sum_over_replicas(
            {term.name: term.total_weight(weights) for term in self._terms}
        )
        sums, gradients = self._gradients(batch, denominators)
        self.optimizer.apply(gradients, self.model.trainable_variables)
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

    def _gradients(self, batch, denominators):
        """Compute the gradients and sums for this device's examples."""
        if self._accumulation_steps == 1:
            return self._piece_gradients(batch, denominators)
        num_pieces = self._accumulation_steps
        pieces = tf.nest.map_structure(
            lambda x: tf.reshape(x, [num_pieces, -1, *x.shape[1:]]), batch
        )

        def gradients_of(index):
            piece = tf.nest.map_structure(lambda x: x[index], pieces)
            return self._piece_gradients(piece, denominators)

        totals = gradients_of(0)
        for index in tf.range(1, num_pieces):
            more = gradients_of(index)
            totals = tf.nest.map_structure(tf.add, totals, more)
        return totals

    def _piece_gradients(self, batch, denominators):
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

    def _evaluation_step(self, batch):
        inputs, labels, weights = self._with_targets(batch)
        outputs = self._outputs(inputs, training=False)
        return _sum_over_replicas(self._sums(outputs, labels, weights))

    def _with_targets(self, batch):
        inputs, labels, weights = batch
        return inputs, {**labels, **self.trainable.targets(inputs)}, weights

    def _outputs(self, inputs, training):
        inputs = {name: inputs[name] for name in self._inputs}
        return self.model(inputs, training=training)

    def _sums(self, outputs, labels, weights):
        return {
            f"{term.name}/{quantity}": value
            for term in self._terms
            for quantity, value in term.sums(outputs, labels, weights).items()
        }


def _check_outputs(model, objective, terms):
    wanted = {output for term in terms for output in term.outputs}
    if {*model.output} != wanted:
        raise ValueError(
            "The model must have an output for each loss of the objective. "
            f"Received: objective={objective}, which needs "
            f"{', '.join(sorted(wanted))}; model outputs "
            f"{', '.join(model.output)}."
        )


def _check_compilable(strategy):
    if strategy.num_replicas_in_sync == 1:
        return
    devices = strategy.extended.worker_devices
    if any("CPU" in device for device in devices):
        raise ValueError(
            "XLA cannot compile a step for several CPU devices. Received: "
            f"jit_compile=True, {strategy.num_replicas_in_sync} devices: "
            f"{', '.join(devices)}."
        )


def _sum_over_replicas(values):
    context = tf.distribute.get_replica_context()
    return context.all_reduce(tf.distribute.ReduceOp.SUM, values)
