"""Tokens per second of tokenizers on one core.

    python benchmarks/tokenizer_speed.py --input_file=text.txt \
        --vocab_file=vocab.txt

The tokenizers take turns on the same text, so that a busy machine slows all
of them alike; the medians are compared. Each counts its own tokens.
"""

import os
import pathlib
import statistics
import time

# Before the libraries read them.
os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import tensorflow as tf  # noqa: E402
import tensorflow_text as tf_text  # noqa: E402
import tokenizers  # noqa: E402
from absl import app  # noqa: E402
from absl import flags  # noqa: E402

from keras_bert.text import BertTokenizer  # noqa: E402
from keras_bert.text import Vocabulary  # noqa: E402

_INPUT_FILE = flags.DEFINE_string(
    "input_file", None, "Text, one paragraph a line.", required=True
)
_VOCAB_FILE = flags.DEFINE_string(
    "vocab_file", None, "An uncased `vocab.txt`.", required=True
)
_REPETITIONS = flags.DEFINE_integer(
    "repetitions", 11, "Turns of each tokenizer.", lower_bound=1
)
_BATCH_SIZE = flags.DEFINE_integer(
    "batch_size", 1024, "Lines given at once.", lower_bound=1
)

_STOCK = "Stock FastBertTokenizer"


def _in_graph(function):
    traced = tf.function(
        function, input_signature=[tf.TensorSpec([None], tf.string)]
    )

    def count(batches):
        return sum(int(traced(batch)[0]) for batch in batches)

    return count


def _size(tokens):
    return [tf.size(tokens.values)]


def _size_with_offsets(tokens):
    ids, starts, ends = tokens
    # What is not read would be pruned from the graph.
    last = tf.reduce_max(starts.values) + tf.reduce_max(ends.values)
    return [tf.size(ids.values), last]


def _hugging_face(vocabulary):
    tokenizer = tokenizers.BertWordPieceTokenizer(
        {token: index for index, token in enumerate(vocabulary.tokens)},
        lowercase=True,
    )

    def count(batches):
        return sum(
            len(encoding.ids)
            for batch in batches
            for encoding in tokenizer.encode_batch(
                batch, add_special_tokens=False
            )
        )

    return count


def _rivals(vocabulary, lines, batch_size):
    """Name to a function that counts the tokens, and its batches."""
    stock = tf_text.FastBertTokenizer(
        list(vocabulary.tokens),
        token_out_type=tf.int32,
        lower_case_nfd_strip_accents=True,
    )
    plain = BertTokenizer(vocabulary)
    special = plain.with_special_tokens()

    starts = range(0, len(lines), batch_size)
    texts = [lines[start : start + batch_size] for start in starts]
    tensors = [tf.constant(batch) for batch in texts]
    graphs = {
        _STOCK: lambda t: _size(stock.tokenize(t)),
        "BertTokenizer": lambda t: _size(plain(t)),
        "BertTokenizer, special tokens": lambda t: _size(special(t)),
        f"{_STOCK}, offsets": lambda t: _size_with_offsets(
            stock.tokenize_with_offsets(t)
        ),
        "BertTokenizer, offsets": lambda t: _size_with_offsets(
            plain.tokenize_with_offsets(t)
        ),
    }
    rivals = {name: (_in_graph(f), tensors) for name, f in graphs.items()}
    rivals["Hugging Face tokenizers"] = _hugging_face(vocabulary), texts
    return rivals


def _measure(rivals, repetitions):
    """Name to the tokens per second of each turn."""
    speeds = {name: [] for name in rivals}
    for turn in range(1 + repetitions):
        for name, (count, batches) in rivals.items():
            start = time.perf_counter()
            num_tokens = count(batches)
            seconds = time.perf_counter() - start
            if turn:  # The first warms up.
                speeds[name].append(num_tokens / seconds)
    return speeds


def main(_):
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    text = pathlib.Path(_INPUT_FILE.value).read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if line.strip()]
    vocabulary = Vocabulary.from_file(_VOCAB_FILE.value)
    rivals = _rivals(vocabulary, lines, _BATCH_SIZE.value)
    speeds = _measure(rivals, _REPETITIONS.value)
    medians = {name: statistics.median(s) for name, s in speeds.items()}
    print("| tokenizer | million tokens/s | of stock |")
    print("|---|---|---|")
    for name, median in medians.items():
        ratio = median / medians[_STOCK]
        print(f"| {name} | {median / 1e6:.2f} | {ratio:.2f} |")


if __name__ == "__main__":
    app.run(main)
