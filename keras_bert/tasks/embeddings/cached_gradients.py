"""Training step that keeps the activations of few examples in memory."""

import keras
import tensorflow as tf

from keras_bert import checks
from keras_bert import features


def check_mini_batch_size(mini_batch_size, recipe):
    """Raise ValueError if `CachedModel` cannot be trained with a recipe."""
    checks.at_least(1, mini_batch_size=mini_batch_size)
    if recipe.parallel_parts > 1:
        raise ValueError(
            "`mini_batch_size` computes one part of a batch after the other, "
            "`parallel_parts` several at the same time; pass one of them. "
            f"Received: mini_batch_size={mini_batch_size}, "
            f"parallel_parts={recipe.parallel_parts}."
        )
    check_backend("`mini_batch_size`")


def check_backend(user):
    """Raise ValueError on another backend of Keras than TensorFlow."""
    if keras.backend.backend() != "tensorflow":
        raise ValueError(
            f"{user} needs Keras's TensorFlow backend. Received: "
            f"{keras.backend.backend()}."
        )


class CachedModel(keras.Model):
    """Functional model whose training step bounds the memory of a batch.

    The step computes the embeddings of the batch, part by part and without
    keeping activations; then the loss and its gradient with respect to the
    embeddings; and then each part again, now with activations, to propagate
    this gradient to the weights. The result equals that of an ordinary step.
    The random layers, such as dropout, get the same seeds in both passes.

    Args:
        inputs, outputs: arguments of `keras.Model`, dicts of tensors. The
            output is `embedding`.
        mini_batch_size: int, number of examples in a part.

    References:
        [Scaling Deep Contrastive Learning Batch Size under Memory Limited
        Setup](https://arxiv.org/abs/2101.06983)
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
        """Compute the embeddings of all examples without activations."""
        output = self.output["embedding"]

        def compute(rows, parts):
            found = self(_part(inputs, rows), training=True)["embedding"]
            return parts.write(parts.size(), found)

        parts = tf.TensorArray(
            output.dtype,
            size=0,
            dynamic_size=True,
            infer_shape=False,
            element_shape=output.shape,
        )
        return self._for_each_part(inputs, compute, parts).concat()

    def _gradients(self, inputs, upstream):
        """Return the sums of the gradients of all parts, and the variables.

        Args:
            inputs: dict of int32 `(batch_size, num_texts, width)`.
            upstream: float `(batch_size, num_texts, dim)`, gradient of the
                loss with respect to the embeddings.
        """
        variables, unused = self.trainable_variables, set()

        def add(rows, sums):
            with tf.GradientTape() as tape:
                found = self(_part(inputs, rows), training=True)["embedding"]
            gradients = tape.gradient(found, variables, upstream[rows])
            unused.update(n for n, x in enumerate(gradients) if x is None)
            return [
                total if x is None else _sum(total, x)
                for total, x in zip(sums, gradients, strict=True)
            ]

        sums = [tf.zeros(x.shape, x.dtype) for x in variables]
        sums = self._for_each_part(inputs, add, sums)
        pairs = enumerate(zip(sums, variables, strict=True))
        return [pair for n, pair in pairs if n not in unused]

    def _for_each_part(self, inputs, step, state):
        """Call `state = step(rows, state)` for the rows of each part."""
        count = tf.shape(next(iter(inputs.values())))[0]

        def body(start, state):
            stop = tf.minimum(start + self._mini_batch_size, count)
            return stop, step(slice(start, stop), state)

        # TensorFlow would otherwise compute ten parts at the same time.
        _, state = tf.while_loop(
            lambda start, _: start < count,
            body,
            (0, state),
            parallel_iterations=1,
        )
        return state


def _part(inputs, rows):
    """Select rows of the inputs without columns that are all padding."""
    inputs = {name: x[rows] for name, x in inputs.items()}
    mask = inputs[features.INPUT_MASK.name]  # [B, T, S]
    is_used = tf.reduce_any(mask > 0, axis=[0, 1])
    return {
        name: tf.boolean_mask(x, is_used, axis=2) for name, x in inputs.items()
    }


def _sum(total, gradient):
    """Add a gradient, which has only some rows if it is of a table."""
    if isinstance(gradient, tf.IndexedSlices):
        places = gradient.indices[:, tf.newaxis]
        return tf.tensor_scatter_nd_add(total, places, gradient.values)
    return total + gradient
