"""One process of `serving_speed.py`: ours.

    python benchmarks/serving_ours.py WAY DIRECTORY TEXT_FILE NUM_TEXTS

WAY is `saved_model`, loaded as TensorFlow Serving does, of a SavedModel, or
`float32` or `bfloat16`, a `TextEmbedder` of a checkpoint.
"""

import sys
import time

_START = time.perf_counter()

import serving_contender  # noqa: E402


def _saved_model(directory):
    import numpy as np
    import tensorflow as tf
    import tensorflow_text  # noqa: F401, registers the tokenizer's ops

    session = tf.compat.v1.Session(graph=tf.Graph())
    with session.graph.as_default():
        loaded = tf.compat.v1.saved_model.load(session, ["serve"], directory)
    signature = loaded.signature_def["serving_default"]
    call = session.make_callable(
        signature.outputs["embedding"].name, [signature.inputs["text"].name]
    )
    return lambda texts: call(np.array(texts, object))


def _embedder(directory, policy):
    import keras

    import keras_bert

    keras.config.set_dtype_policy(policy)
    return keras_bert.TextEmbedder.from_pretrained(directory).embed


_WAYS = {
    "saved_model": _saved_model,
    "float32": lambda x: _embedder(x, "float32"),
    "bfloat16": lambda x: _embedder(x, "mixed_bfloat16"),
}


if __name__ == "__main__":
    way, directory, text_file, number = sys.argv[1:]
    serving_contender.contend(
        lambda: _WAYS[way](directory),
        serving_contender.read_texts(text_file, int(number)),
        _START,
    )
