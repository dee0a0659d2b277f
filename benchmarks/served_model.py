"""A SavedModel of a `TextEmbedder`, loaded as TensorFlow Serving does."""

import numpy as np
import tensorflow as tf
import tensorflow_text  # noqa: F401, registers the tokenizer's ops


def load(directory, op_threads=0, ops_at_once=0):
    """The function from texts to vectors.

    Args:
        directory: str.
        op_threads: int, how many threads compute an op; 0 for all cores.
        ops_at_once: int, how many ops are computed at once; 0 likewise.

    Returns:
        A function from a list of str to a float32 array.
    """
    config = tf.compat.v1.ConfigProto(
        intra_op_parallelism_threads=op_threads,
        inter_op_parallelism_threads=ops_at_once,
    )
    session = tf.compat.v1.Session(graph=tf.Graph(), config=config)
    with session.graph.as_default():
        loaded = tf.compat.v1.saved_model.load(session, ["serve"], directory)
    signature = loaded.signature_def["serving_default"]
    call = session.make_callable(
        signature.outputs["embedding"].name, [signature.inputs["text"].name]
    )
    return lambda texts: call(np.array(texts, object))
