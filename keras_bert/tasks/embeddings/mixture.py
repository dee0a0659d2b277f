"""Training on several datasets with one loss each."""

import functools
import math

import keras
import numpy as np
from keras import ops

from keras_bert.lazy_tensorflow import tf
from keras_bert.losses import EmbeddingLoss

SAMPLINGS = "proportional", "round_robin"


class Mixture:
    """Examples from several datasets, with each batch from one dataset.

    Args:
        datasets: list with the `EmbeddingExamples` of each dataset.
        sampling: str, one of `SAMPLINGS`. "proportional" shuffles the batches
            of all datasets together. "round_robin" takes a batch of each
            dataset in turn, until a dataset has no batch left.

    Attributes:
        num_texts: None, because the number of texts per example differs.
    """

    num_texts = None
    extra_targets: dict = {}

    def __init__(self, datasets, sampling):
        self.datasets, self._sampling = datasets, sampling
        self._ends = np.cumsum([len(dataset) for dataset in datasets])
        self._starts = self._ends - [len(dataset) for dataset in datasets]
        self._num_targets = max(map(_num_targets, datasets))

    def epoch_batches(self, batch_size, seed, epoch):
        parts = [
            [
                start + batch
                for batch in dataset.epoch_batches(batch_size, seed, epoch)
            ]
            for start, dataset in zip(self._starts, self.datasets, strict=True)
        ]
        if self._sampling == "round_robin":
            turns = zip(*parts, strict=False)
            return [batch for turn in turns for batch in turn]
        batches = [batch for part in parts for batch in part]
        random = np.random.default_rng([seed, epoch])
        return [batches[index] for index in random.permutation(len(batches))]

    def batch(self, indices):
        """Create a batch for `model.fit`.

        Args:
            indices: int array `(batch_size,)`.

        Returns:
            The inputs, targets and weights. The targets are float32
            `(batch_size, 1 + num_targets)`: the index of the dataset, then the
            targets of the examples, padded with 0.
        """
        number = np.searchsorted(self._ends, indices[0], side="right")
        batch = self.datasets[number].batch(indices - self._starts[number])
        return self._with_number(number, batch)

    def probe_batches(self):
        return [
            self._with_number(number, batch)
            for number, dataset in enumerate(self.datasets)
            for batch in dataset.probe_batches()
        ]

    def _with_number(self, number, batch):
        inputs, outputs, weights = batch
        ((name, values),) = outputs.items()
        targets = np.zeros((len(values), 1 + self._num_targets), np.float32)
        targets[:, 0] = number
        end = 1 + _num_targets(self.datasets[number])
        targets[:, 1:end] = values.reshape(len(values), end - 1)
        return inputs, {name: targets}, weights


class MixtureLoss(EmbeddingLoss):
    """Loss that applies each dataset's own loss to its batches.

    Args:
        losses: list with the `EmbeddingLoss` of each dataset.
        datasets: list with the `EmbeddingExamples` of each dataset.

    Call arguments:
        targets: targets returned by `Mixture.batch`.
        embeddings: float `(batch_size, num_texts, dim)`.
    """

    def __init__(self, losses, datasets):
        super().__init__(name="mixture_loss")
        self._pairs = [*zip(losses, datasets, strict=True)]
        self.variables = tuple(x for loss in losses for x in loss.variables)

    def callbacks(self):
        return [x for loss, _ in self._pairs for x in loss.callbacks()]

    def accepts(self, num_texts, label_shape):
        return False

    def call(self, targets, embeddings):
        if keras.backend.backend() == "tensorflow":
            return self._switched(targets, embeddings)
        # Shapes are known, so that only some datasets can have the batch.
        pairs = [
            (index, functools.partial(_loss, *pair))
            for index, pair in enumerate(self._pairs)
            if pair[1].num_texts == embeddings.shape[1]
        ]
        indices, branches = zip(*pairs, strict=True)
        number = ops.cast(targets[0, 0], "int32")
        branch = ops.sum(ops.cast(ops.array(indices) < number, "int32"))
        return ops.switch(branch, branches, targets[:, 1:], embeddings)

    def _switched(self, targets, embeddings):
        """Compute the loss in a TensorFlow graph of unknown shapes."""
        number = tf.cast(targets[0, 0], tf.int32)
        # Compute gradients in the branches, because TensorFlow logs a warning
        # about types in the gradient of `switch_case`.
        branches = [
            functools.partial(
                _loss_and_gradient,
                loss,
                dataset,
                targets[:, 1:],
                tf.stop_gradient(embeddings),
            )
            for loss, dataset in self._pairs
        ]
        loss, gradient = tf.switch_case(number, branches)
        change = embeddings - tf.stop_gradient(embeddings)  # 0
        return loss + tf.reduce_sum(tf.stop_gradient(gradient) * change)


def _loss_and_gradient(loss, examples, targets, embeddings):
    with tf.GradientTape() as tape:
        tape.watch(embeddings)
        mean = _loss(loss, examples, targets, embeddings)
    return mean, tape.gradient(mean, embeddings)


def _loss(loss, examples, targets, embeddings):
    """Compute the mean loss of a batch of one dataset."""
    targets = targets[:, : _num_targets(examples)]
    targets = ops.reshape(targets, (-1, *examples.targets.shape[1:]))
    # Texts may have several vectors.
    shape = (-1, examples.num_texts, *ops.shape(embeddings)[2:])
    return ops.mean(loss.call(targets, ops.reshape(embeddings, shape)))


def _num_targets(examples):
    """Return the number of targets per example."""
    return math.prod(examples.targets.shape[1:])
