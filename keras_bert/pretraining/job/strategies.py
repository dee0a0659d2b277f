"""Distribution strategies for one or several devices."""

import os

import tensorflow as tf


def make_strategy(name):
    """Create a distribution strategy.

    Call this function before any other use of TensorFlow.

    Args:
        name: "one_device"; "mirrored" for all GPUs of this machine (or its
            logical CPU devices if it has no GPU); "multi_worker" for the
            machines in the environment variable TF_CONFIG; or "tpu".

    Returns:
        A `tf.distribute.Strategy`.

    Raises:
        ValueError: the devices do not exist.
    """
    return _MAKERS[name]()


def _mirrored():
    devices = tf.config.list_logical_devices("GPU")
    devices = devices or tf.config.list_logical_devices("CPU")
    if len(devices) < 2:
        raise ValueError(
            "strategy='mirrored' needs at least two devices. Received: "
            f"{', '.join(device.name for device in devices)}. Use "
            "strategy='one_device'."
        )
    return tf.distribute.MirroredStrategy([device.name for device in devices])


def _multi_worker():
    text = os.environ.get("TF_CONFIG", "")
    # If it is not set, TensorFlow silently trains on one machine.
    if not ('"worker"' in text and '"index"' in text):
        raise ValueError(
            "strategy='multi_worker' needs the environment variable "
            f'TF_CONFIG, such as {{"cluster": {{"worker": ["host1:port", '
            f'"host2:port"]}}, "task": {{"type": "worker", "index": 0}}}}. '
            f"Received: {text!r}."
        )
    return tf.distribute.MultiWorkerMirroredStrategy()


def _tpu():
    try:
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver()
        tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
    except (ValueError, tf.errors.OpError) as error:
        first = str(error).strip().splitlines()[0]
        raise ValueError(
            "strategy='tpu' needs a TPU: run it on a TPU machine, or give "
            f"its address in the variable TPU_NAME. TensorFlow says: {first}"
        ) from None
    return tf.distribute.TPUStrategy(resolver)


_MAKERS = {
    "one_device": tf.distribute.get_strategy,
    "mirrored": _mirrored,
    "multi_worker": _multi_worker,
    "tpu": _tpu,
}


def mean_over_workers(strategy, value):
    """Return the mean of a float over all workers."""
    if not isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy):
        return value
    values = strategy.run(lambda: tf.constant(value, tf.float32))
    mean = tf.distribute.ReduceOp.MEAN
    return float(strategy.reduce(mean, values, axis=None))


def is_chief(strategy):
    """Return True in the first worker, which writes all files."""
    resolver = strategy.cluster_resolver
    return resolver is None or not resolver.task_id
