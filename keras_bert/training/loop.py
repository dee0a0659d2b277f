"""The training loop, step by step."""

import keras
import tensorflow as tf

from keras_bert.training.losses import pretraining_losses
from keras_bert.training.losses import pretraining_metrics


class PretrainingLoop:
    """Trains and evaluates a pre-trainer, step by step.

    It means what `model.fit` means with `pretraining_losses` and the same
    optimizer; a test holds the two to the same losses.

    Args:
        model: a model of `bert_pretrainer`.
        optimizer: a Keras optimizer made for the model.
    """

    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer
        self._losses = pretraining_losses()
        self._accuracies = pretraining_metrics()
        self._mean_losses = {
            output: keras.metrics.Mean(name=output.replace("logits", "loss"))
            for output in self._losses
        }
        optimizer.build(model.trainable_variables)

    @tf.function(reduce_retracing=True)
    def train_step(self, inputs, labels, weights):
        """Takes one optimizer step.

        Args:
            inputs, labels, weights: a batch of `pretraining_dataset`.

        Returns:
            The loss of the batch before the step, float32 scalar.
        """
        with tf.GradientTape() as tape:
            outputs = self.model(inputs, training=True)
            loss = self._total_loss(labels, outputs, weights)
        variables = self.model.trainable_variables
        self.optimizer.apply(tape.gradient(loss, variables), variables)
        return loss

    @tf.function(reduce_retracing=True)
    def _evaluation_step(self, inputs, labels, weights):
        outputs = self.model(inputs, training=False)
        self._total_loss(labels, outputs, weights)

    def _total_loss(self, labels, outputs, weights):
        """The sum of the losses; also counts them into the metrics."""
        total = 0.0
        for name, loss_function in self._losses.items():
            batch = labels[name], outputs[name], weights[name]
            loss = loss_function(*batch)
            self._mean_losses[name].update_state(
                loss, tf.reduce_sum(weights[name])
            )
            self._accuracies[name].update_state(*batch)
            total += loss
        return total

    def evaluate(self, dataset):
        """Means over a whole dataset, every real prediction counting alike.

        Args:
            dataset: batches of `pretraining_dataset`.

        Returns:
            A dict of floats: `mlm_loss`, `mlm_accuracy`, `nsp_loss` and
            `nsp_accuracy`.
        """
        self.collect_metrics()
        for batch in dataset:
            self._evaluation_step(*batch)
        return self.collect_metrics()

    def collect_metrics(self):
        """The metrics since the last call, as a dict of floats."""
        metrics = [*self._mean_losses.values(), *self._accuracies.values()]
        values = {metric.name: float(metric.result()) for metric in metrics}
        for metric in metrics:
            metric.reset_state()
        return values
