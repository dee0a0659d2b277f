"""Tokens per second of byte-level BPE tokenizers on one core.

    python benchmarks/byte_pair_speed.py --input_file=text.txt \
        --tokenizer_dir=roberta --keras_hub_python=hub/bin/python

`--tokenizer_dir` holds a vocab.json and a merges.txt. Each turn of each
tokenizer is a process of its own, pinned to the first core, and they take
turns, so that a busy machine slows all of them alike; the medians are
compared. KerasHub, which remembers the words that it has cut, has cut all of
them before the clock starts. Without --keras_hub_python it is left out.
"""

import json
import os
import pathlib
import sys
import time

# Before the libraries read them.
os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["TF_NUM_INTEROP_THREADS"] = "1"
os.environ["TF_NUM_INTRAOP_THREADS"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import measuring  # noqa: E402
from absl import app  # noqa: E402
from absl import flags  # noqa: E402

_INPUT_FILE = flags.DEFINE_string(
    "input_file", None, "Text, one paragraph a line.", required=True
)
_TOKENIZER_DIR = flags.DEFINE_string(
    "tokenizer_dir", None, "Vocabulary and merges.", required=True
)
_KERAS_HUB_PYTHON = flags.DEFINE_string(
    "keras_hub_python", None, "The Python that KerasHub is installed for."
)
_ROUNDS = flags.DEFINE_integer("rounds", 5, "Turns of each.", lower_bound=1)
_NUM_LINES = flags.DEFINE_integer("num_lines", 8192, "Of the first ones.")
_BATCH_SIZE = flags.DEFINE_integer(
    "batch_size", 1024, "Lines given at once.", lower_bound=1
)
_ONLY = flags.DEFINE_string("only", None, "Measure this one, here.")
_REPETITIONS = 3


def _ours(directory):
    from keras_bert.text.byte_pair.settings import read_byte_pair

    return _in_graph(read_byte_pair(directory).tokenizer())


def _ours_with_offsets(directory):
    import tensorflow as tf

    from keras_bert.text.byte_pair.settings import read_byte_pair

    tokenizer = read_byte_pair(directory).tokenizer()

    def cut(texts):
        ids, starts, ends = tokenizer.tokenize_with_offsets(texts)
        # What is not read would be pruned from the graph.
        last = tf.reduce_max(starts.values) + tf.reduce_max(ends.values)
        return ids.with_values(ids.values + 0 * tf.cast(last, tf.int32))

    return _in_graph(cut)


def _keras_hub(directory):
    import keras_hub

    merges = (directory / "merges.txt").read_text(encoding="utf-8")
    return _in_graph(
        keras_hub.tokenizers.BytePairTokenizer(
            json.loads((directory / "vocab.json").read_text(encoding="utf-8")),
            merges.removesuffix("\n").split("\n")[1:],
        )
    )


def _in_graph(cut):
    import tensorflow as tf

    traced = tf.function(
        lambda texts: tf.size(cut(texts).values),
        input_signature=[tf.TensorSpec([None], tf.string)],
    )
    return lambda batch: int(traced(tf.constant(batch)))


def _tokenizers(directory):
    import tokenizers

    tokenizer = tokenizers.ByteLevelBPETokenizer(
        str(directory / "vocab.json"), str(directory / "merges.txt")
    )
    return lambda batch: sum(
        len(encoding.ids) for encoding in tokenizer.encode_batch(batch)
    )


_CONTENDERS = {
    "BytePairTokenizer": _ours,
    "BytePairTokenizer, offsets": _ours_with_offsets,
    "Hugging Face tokenizers": _tokenizers,
    "KerasHub BytePairTokenizer": _keras_hub,
}


def _speed(name):
    """Tokens per second of the fastest of a few passes over the text."""
    count = _CONTENDERS[name](pathlib.Path(_TOKENIZER_DIR.value))
    text = pathlib.Path(_INPUT_FILE.value).read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if line.strip()]
    lines = lines[: _NUM_LINES.value]
    size = _BATCH_SIZE.value
    batches = [lines[i : i + size] for i in range(0, len(lines), size)]
    speeds = []
    for turn in range(1 + _REPETITIONS):
        start = time.perf_counter()
        num_tokens = sum(map(count, batches))
        if turn:  # The first warms up.
            speeds.append(num_tokens / (time.perf_counter() - start))
    return max(speeds)


def _command(name):
    python = sys.executable
    if _CONTENDERS[name] is _keras_hub:
        python = _KERAS_HUB_PYTHON.value
    return ["taskset", "-c", "0", python, *sys.argv, f"--only={name}"]


def main(_):
    if _ONLY.value:
        print(_speed(_ONLY.value))
        return
    speeds = {name: [] for name in _CONTENDERS}
    if not _KERAS_HUB_PYTHON.value:
        del speeds["KerasHub BytePairTokenizer"]
    for _ in range(_ROUNDS.value):
        for name, values in speeds.items():
            values.append(float(measuring.output(_command(name))))
    medians = {name: measuring.median(s) for name, s in speeds.items()}
    print("| tokenizer | million tokens/s | of tokenizers |")
    print("|---|---|---|")
    for name, median in medians.items():
        ratio = median / medians["Hugging Face tokenizers"]
        print(f"| {name} | {median / 1e6:.2f} | {ratio:.2f} |")


if __name__ == "__main__":
    app.run(main)
