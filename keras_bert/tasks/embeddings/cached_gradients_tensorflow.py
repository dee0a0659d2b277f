"""Training step with gradient caching on TensorFlow."""

import keras
import tensorflow as tf


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
        before = [tf.identity(seed.value) for seed in seeds]
        embeddings = self._embeddings(inputs)
        with tf.GradientTape() as tape:
            tape.watch(embeddings)
            outputs = {"embedding": embeddings}
            loss = self.compute_loss(inputs, targets, outputs, weights)
            scaled_loss = self.optimizer.scale_loss(loss)
        upstream = tape.gradient(scaled_loss, embeddings)
        for seed, value in zip(seeds, before, strict=True):
            seed.assign(value)
        self.optimizer.apply_gradients(self._gradients(inputs, upstream))
        for metric in self.metrics:
            if metric.name == "loss":
                count = tf.shape(embeddings)[0]
                metric.update_state(loss, sample_weight=count)
        return self.compute_metrics(inputs, targets, outputs, weights)

    def _embeddings(self, inputs):
        """Compute the embeddings of a batch without storing activations."""
        output = self.output["embedding"]

        def compute(rows, chunks):
            batch = {name: x[rows] for name, x in inputs.items()}
            embeddings = self(batch, training=True)["embedding"]
            return chunks.write(chunks.size(), embeddings)

        chunks = tf.TensorArray(
            output.dtype,
            size=0,
            dynamic_size=True,
            infer_shape=False,
            element_shape=output.shape,
        )
        return self._for_each_mini_batch(inputs, compute, chunks).concat()

    def _gradients(self, inputs, upstream):
        """Return a list of (gradient of the batch, variable) pairs.

        Args:
            inputs: dict of int32 tensors `(batch_size, num_texts, width)`.
            upstream: float `(batch_size, num_texts, dim)`, gradient of the
                loss with respect to the embeddings.
        """
        variables, unused = self.trainable_variables, set()

        def add(rows, sums):
            with tf.GradientTape() as tape:
                batch = {name: x[rows] for name, x in inputs.items()}
                embeddings = self(batch, training=True)["embedding"]
            gradients = tape.gradient(embeddings, variables, upstream[rows])
            unused.update(n for n, x in enumerate(gradients) if x is None)
            return [
                total if x is None else _sum(total, x)
                for total, x in zip(sums, gradients, strict=True)
            ]

        sums = [tf.zeros(x.shape, x.dtype) for x in variables]
        sums = self._for_each_mini_batch(inputs, add, sums)
        pairs = enumerate(zip(sums, variables, strict=True))
        return [pair for n, pair in pairs if n not in unused]

    def _for_each_mini_batch(self, inputs, step, state):
        """Call `state = step(rows, state)` for the rows of each mini-batch."""
        count = tf.shape(next(iter(inputs.values())))[0]

        def body(start, state):
            stop = tf.minimum(start + self._mini_batch_size, count)
            return stop, step(slice(start, stop), state)

        # By default, TensorFlow runs ten iterations at the same time.
        _, state = tf.while_loop(
            lambda start, _: start < count,
            body,
            (0, state),
            parallel_iterations=1,
        )
        return state


def _sum(total, gradient):
    """Add a gradient, which is `tf.IndexedSlices` for embedding tables."""
    if isinstance(gradient, tf.IndexedSlices):
        indices = gradient.indices[:, tf.newaxis]
        return tf.tensor_scatter_nd_add(total, indices, gradient.values)
    return total + gradient
