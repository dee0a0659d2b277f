"""One process of `serving_speed.py`: ours.

    python benchmarks/serving_ours.py WAY DIRECTORY TEXT_FILE NUM_TEXTS

WAY is `saved_model`, loaded as TensorFlow Serving does, of a SavedModel;
`saved_model_1`, with one thread for each op; `saved_model_1_1`, with one thread
in all; or `float32` or `bfloat16`, a `TextEmbedder` of a checkpoint, also with
`_1`.
"""

import sys
import time

_START = time.perf_counter()

import serving_contender  # noqa: E402


def _saved_model(*arguments):
    import served_model

    return served_model.load(*arguments)


def _embedder(directory, policy, num_op_threads=0):
    import keras
    import tensorflow as tf

    import keras_bert

    tf.config.threading.set_intra_op_parallelism_threads(num_op_threads)
    keras.config.set_dtype_policy(policy)
    return keras_bert.TextEmbedder.from_pretrained(directory).embed


_WAYS = {
    "saved_model": _saved_model,
    "saved_model_1": lambda x: _saved_model(x, 1),
    "saved_model_1_1": lambda x: _saved_model(x, 1, 1),
    "float32": lambda x: _embedder(x, "float32"),
    "float32_1": lambda x: _embedder(x, "float32", 1),
    "bfloat16": lambda x: _embedder(x, "mixed_bfloat16"),
    "bfloat16_1": lambda x: _embedder(x, "mixed_bfloat16", 1),
}


if __name__ == "__main__":
    way, directory, text_file, number = sys.argv[1:]
    serving_contender.contend(
        lambda: _WAYS[way](directory),
        serving_contender.read_texts(text_file, int(number)),
        _START,
    )
