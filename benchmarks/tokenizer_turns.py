"""Tokenizers that take turns on one text, on one core.

A busy machine then slows all of them alike; their medians are compared.
"""

import os
import pathlib
import statistics
import time

# Before the libraries read them.
os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["TF_NUM_INTEROP_THREADS"] = "1"
os.environ["TF_NUM_INTRAOP_THREADS"] = "1"

import tensorflow as tf  # noqa: E402
from absl import flags  # noqa: E402

_INPUT_FILE = flags.DEFINE_string(
    "input_file", None, "Text, one paragraph a line.", required=True
)
_REPETITIONS = flags.DEFINE_integer(
    "repetitions", 11, "Turns of each tokenizer.", lower_bound=1
)
_BATCH_SIZE = flags.DEFINE_integer(
    "batch_size", 1024, "Lines given at once.", lower_bound=1
)


def in_graph(tokenize):
    """A function that counts the tokens of a batch of texts, compiled.

    Args:
        tokenize: function of a string tensor that gives a RaggedTensor.
    """
    return _counting(lambda texts: [tf.size(tokenize(texts).values)])


def in_graph_with_offsets(tokenize):
    """As `in_graph`, of a function that gives ids, starts and ends."""

    def count(texts):
        ids, starts, ends = tokenize(texts)
        # What is not read would be pruned from the graph.
        last = tf.reduce_max(starts.values) + tf.reduce_max(ends.values)
        return [tf.size(ids.values), last]

    return _counting(count)


def _counting(function):
    traced = tf.function(
        function, input_signature=[tf.TensorSpec([None], tf.string)]
    )
    return lambda batch: int(traced(batch)[0])


def million_tokens_per_s(graphs, others):
    """The median speed of each tokenizer, on the text of --input_file.

    Each counts its own tokens.

    Args:
        graphs: dict from names to functions as of `in_graph`.
        others: dict from names to functions that count the tokens of a list
            of str.

    Returns:
        A dict from the names to floats.
    """
    text = pathlib.Path(_INPUT_FILE.value).read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if line.strip()]
    size = _BATCH_SIZE.value
    texts = [lines[i : i + size] for i in range(0, len(lines), size)]
    tensors = [tf.constant(batch) for batch in texts]
    rivals = {name: (count, tensors) for name, count in graphs.items()}
    rivals.update({name: (count, texts) for name, count in others.items()})
    speeds = {name: [] for name in rivals}
    for turn in range(1 + _REPETITIONS.value):
        for name, (count, batches) in rivals.items():
            start = time.perf_counter()
            num_tokens = sum(map(count, batches))
            seconds = time.perf_counter() - start
            if turn:  # The first warms up.
                speeds[name].append(num_tokens / seconds / 1e6)
    return {name: statistics.median(values) for name, values in speeds.items()}
