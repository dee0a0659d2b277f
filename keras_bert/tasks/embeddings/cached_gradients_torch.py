"""Training step with gradient caching on PyTorch."""

import keras
import torch


class CachedModel(keras.Model):
    """Functional model trained with gradient caching.

    Args:
        inputs, outputs, mini_batch_size: see `cached_model`.
    """

    def __init__(self, inputs, outputs, mini_batch_size):
        super().__init__(inputs, outputs)
        self._mini_batch_size = mini_batch_size

    def train_step(self, data):
        inputs, targets, weights = keras.utils.unpack_x_y_sample_weight(data)
        seeds = [x for x in self.variables if x.name == "seed_generator_state"]
        before = [seed.value.clone() for seed in seeds]
        with torch.no_grad():
            chunks = [self._embed(inputs, rows) for rows in self._rows(inputs)]
        embeddings = torch.cat(chunks).requires_grad_()
        outputs = {"embedding": embeddings}
        loss = self.compute_loss(inputs, targets, outputs, weights)
        self.zero_grad()
        self.optimizer.scale_loss(loss).backward()
        for seed, value in zip(seeds, before, strict=True):
            seed.assign(value)
        for rows in self._rows(inputs):
            chunk = self._embed(inputs, rows)
            chunk.backward(embeddings.grad[rows])
        trained = self.trainable_variables
        with torch.no_grad():
            self.optimizer.apply([x.value.grad for x in trained], trained)
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss, sample_weight=len(embeddings))
        return self.compute_metrics(inputs, targets, outputs, weights)

    def _rows(self, inputs):
        """Return the slices of the mini-batches."""
        size, count = self._mini_batch_size, len(next(iter(inputs.values())))
        return [slice(n, min(n + size, count)) for n in range(0, count, size)]

    def _embed(self, inputs, rows):
        batch = {name: x[rows] for name, x in inputs.items()}
        return self(batch, training=True)["embedding"]
