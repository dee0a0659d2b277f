"""Training step with gradient caching on JAX."""

import jax
import jax.numpy as jnp
import keras


class CachedModel(keras.Model):
    """Functional model trained with gradient caching.

    JAX computes each mini-batch again when it backpropagates.

    Args:
        inputs, outputs, mini_batch_size: see `cached_model`.
    """

    def __init__(self, inputs, outputs, mini_batch_size):
        super().__init__(inputs, outputs)
        self._mini_batch_size = mini_batch_size

    def stateless_call(
        self,
        trainable_variables,
        non_trainable_variables,
        inputs,
        return_losses=False,
        training=False,
    ):
        call = super().stateless_call

        def step(variables, chunk):
            outputs, variables = call(
                trainable_variables, variables, chunk, training=training
            )
            return variables, outputs["embedding"]

        (count,) = {x.shape[0] for x in inputs.values()}
        chunks = {name: self._chunks(x) for name, x in inputs.items()}
        variables, chunks = jax.lax.scan(
            jax.checkpoint(step), non_trainable_variables, chunks
        )
        embeddings = jnp.reshape(chunks, (-1, *chunks.shape[2:]))[:count]
        outputs = {"embedding": embeddings}
        if return_losses:
            return outputs, variables, []
        return outputs, variables

    def _chunks(self, array):
        """Reshape to `(num_chunks, mini_batch_size, ...)`, padded with 0."""
        padding = -array.shape[0] % self._mini_batch_size
        padding = [(0, padding)] + [(0, 0)] * (array.ndim - 1)
        shape = -1, self._mini_batch_size, *array.shape[1:]
        return jnp.reshape(jnp.pad(array, padding), shape)
