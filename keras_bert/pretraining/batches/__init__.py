"""Records to batches of `tf.data`."""
