"""Tokens per second of SentencePiece tokenizers on one core.

    pip install sentencepiece
    python benchmarks/sentencepiece_speed.py --input_file=text.txt \
        --model_file=spiece.model

The tokenizers take turns on the same text, so that a busy machine slows all
of them alike; the medians are compared. Each normalises as ALBERT does; for
`sentencepiece` that is done in Python, as in google-research/albert.
"""

import os
import pathlib
import statistics
import time

# Before the libraries read it.
os.environ["RAYON_NUM_THREADS"] = "1"

import sentencepiece  # noqa: E402
import tensorflow as tf  # noqa: E402
import tokenizers  # noqa: E402
from absl import app  # noqa: E402
from absl import flags  # noqa: E402

from keras_bert.text import SentencePieceTokenizer  # noqa: E402
from keras_bert.text.albert_normalizer import NORMALIZERS  # noqa: E402
from keras_bert.text.albert_normalizer import normalize_text  # noqa: E402
from keras_bert.text.sentencepiece_model import SentencePieceModel  # noqa: E402

_INPUT_FILE = flags.DEFINE_string(
    "input_file", None, "Text, one paragraph a line.", required=True
)
_MODEL_FILE = flags.DEFINE_string(
    "model_file", None, "An uncased `spiece.model`.", required=True
)
_REPETITIONS = flags.DEFINE_integer(
    "repetitions", 11, "Turns of each tokenizer.", lower_bound=1
)
_BATCH_SIZE = flags.DEFINE_integer(
    "batch_size", 1024, "Lines given at once.", lower_bound=1
)


def _in_graph(function):
    traced = tf.function(
        function, input_signature=[tf.TensorSpec([None], tf.string)]
    )
    return lambda batch: int(traced(batch)[0])


def _size_with_offsets(tokens):
    ids, starts, ends = tokens
    # What is not read would be pruned from the graph.
    last = tf.reduce_max(starts.values) + tf.reduce_max(ends.values)
    return [tf.size(ids.values), last]


def _hugging_face(model):
    """As the tokenizer.json of the published models is."""
    normalizers = tokenizers.normalizers
    pre_tokenizers = tokenizers.pre_tokenizers
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.Unigram(
            [(piece.text, piece.score) for piece in model.pieces], unk_id=1
        )
    )
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace("``", '"'),
            normalizers.Replace("''", '"'),
            normalizers.NFKD(),
            normalizers.StripAccents(),
            normalizers.Lowercase(),
            normalizers.Precompiled(model.charsmap),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    return lambda batch: sum(map(len, tokenizer.encode_batch(batch)))


def _ours(normalizer):
    tokenizer = SentencePieceTokenizer(_MODEL_FILE.value, normalizer=normalizer)
    return (
        _in_graph(lambda t: [tf.size(tokenizer(t).values)]),
        _in_graph(
            lambda t: _size_with_offsets(tokenizer.tokenize_with_offsets(t))
        ),
    )


def _sentencepiece(model_file):
    processor = sentencepiece.SentencePieceProcessor(model_file=model_file)

    def count(batch):
        texts = [normalize_text(text, lowercase=True) for text in batch]
        return sum(map(len, processor.encode(texts, num_threads=1)))

    return count


def _measure(rivals, repetitions):
    """Name to the tokens per second of each turn."""
    speeds = {name: [] for name in rivals}
    for turn in range(1 + repetitions):
        for name, (count, batches) in rivals.items():
            start = time.perf_counter()
            num_tokens = sum(map(count, batches))
            seconds = time.perf_counter() - start
            if turn:  # The first warms up.
                speeds[name].append(num_tokens / seconds)
    return speeds


def main(_):
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    text = pathlib.Path(_INPUT_FILE.value).read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if line.strip()]
    starts = range(0, len(lines), _BATCH_SIZE.value)
    texts = [lines[start : start + _BATCH_SIZE.value] for start in starts]
    tensors = [tf.constant(batch) for batch in texts]
    model = SentencePieceModel(pathlib.Path(_MODEL_FILE.value).read_bytes())
    rivals = {}
    for name in NORMALIZERS:
        cut, cut_with_offsets = _ours(name)
        rivals[f"SentencePieceTokenizer, {name}"] = (cut, tensors)
        rivals[f"the same with offsets, {name}"] = (cut_with_offsets, tensors)
    rivals["sentencepiece"] = (_sentencepiece(_MODEL_FILE.value), texts)
    rivals["Hugging Face tokenizers"] = (_hugging_face(model), texts)
    speeds = _measure(rivals, _REPETITIONS.value)
    print("| tokenizer | million tokens/s |")
    print("|---|---|")
    for name, values in speeds.items():
        print(f"| {name} | {statistics.median(values) / 1e6:.2f} |")


if __name__ == "__main__":
    app.run(main)
