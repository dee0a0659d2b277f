"""Compare the tokens per second of tokenizers on one core.

    python benchmarks/studies/tokenizer_speed.py --kind=wordpiece \\
        --input_file=text.txt --tokenizer=vocab.txt
    python benchmarks/studies/tokenizer_speed.py --kind=sentencepiece \\
        --input_file=text.txt --tokenizer=spiece.model
    python benchmarks/studies/tokenizer_speed.py --kind=byte_pair \\
        --input_file=text.txt --tokenizer=roberta \\
        --keras_hub_python=hub/bin/python

--tokenizer is an uncased vocab.txt, an uncased spiece.model or a directory with
vocab.json and merges.txt. Each measurement is a separate process, pinned to the
first core. The tokenizers alternate, so that a busy machine slows all of them
alike; the medians are compared. The first pass over the text warms up; it also
fills the word cache of KerasHub. Without --keras_hub_python, KerasHub is
skipped. SentencePiece tokenizers normalize as ALBERT does; for `sentencepiece`
(pip install sentencepiece), Python code normalizes, as in
google-research/albert.
"""

import json
import os
import pathlib
import sys
import time

# Set before the libraries read them.
os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["TF_NUM_INTEROP_THREADS"] = "1"
os.environ["TF_NUM_INTRAOP_THREADS"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

from absl import app  # noqa: E402
from absl import flags  # noqa: E402

sys.path.append(str(pathlib.Path(__file__).parents[1]))

import measuring  # noqa: E402

_KIND = flags.DEFINE_enum(
    "kind",
    "wordpiece",
    ["wordpiece", "byte_pair", "sentencepiece"],
    "Tokenizer type.",
)
_INPUT_FILE = flags.DEFINE_string(
    "input_file", None, "Text, one paragraph per line.", required=True
)
_TOKENIZER = flags.DEFINE_string(
    "tokenizer", None, "Tokenizer file or directory.", required=True
)
_KERAS_HUB_PYTHON = flags.DEFINE_string(
    "keras_hub_python", None, "Python with KerasHub."
)
_ROUNDS = flags.DEFINE_integer(
    "rounds", 5, "Number of processes per tokenizer.", lower_bound=1
)
_NUM_LINES = flags.DEFINE_integer("num_lines", 8192, "Number of lines to read.")
_BATCH_SIZE = flags.DEFINE_integer(
    "batch_size", 1024, "Number of lines per call.", lower_bound=1
)
_ONLY = flags.DEFINE_string("only", None, "Only measure this tokenizer.")
_REPETITIONS = 3


def main(_):
    if _ONLY.value:
        print(_speed(_ONLY.value))
        return
    contenders = _CONTENDERS[_KIND.value]
    speeds = {
        name: []
        for name in contenders
        if _KERAS_HUB_PYTHON.value or contenders[name] is not _keras_hub
    }
    for _ in range(_ROUNDS.value):
        for name, values in speeds.items():
            values.append(float(measuring.output(_command(name))))
    medians = {name: measuring.median(s) for name, s in speeds.items()}
    last = [*medians][-1]
    print(f"| tokenizer | million tokens/s | ratio to {last} |")
    print("|---|---|---|")
    for name, median in medians.items():
        print(f"| {name} | {median / 1e6:.2f} | {median / medians[last]:.2f} |")


def _command(name):
    is_hub = _CONTENDERS[_KIND.value][name] is _keras_hub
    python = _KERAS_HUB_PYTHON.value if is_hub else sys.executable
    return ["taskset", "-c", "0", python, *sys.argv, f"--only={name}"]


def _speed(name):
    """Return the tokens per second of the fastest of a few passes."""
    load = _CONTENDERS[_KIND.value][name]
    count = load(pathlib.Path(_TOKENIZER.value))
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


def _counting(tokenize):
    """Return a compiled function that counts the tokens of a batch of texts.

    Args:
        tokenize: function that takes a string tensor and returns a RaggedTensor
            of ids, or RaggedTensors of ids, starts and ends.
    """
    import tensorflow as tf

    def count(texts):
        ids, *offsets = tf.nest.flatten(
            tokenize(texts), expand_composites=False
        )
        # TensorFlow would prune unused tensors from the graph.
        return [tf.size(ids.values)] + [
            tf.reduce_max(x.values) for x in offsets
        ]

    traced = tf.function(
        count, input_signature=[tf.TensorSpec([None], tf.string)]
    )
    return lambda batch: int(traced(tf.constant(batch))[0])


def _ours(read, has_offsets=False):
    def load(path):
        tokenizer = read(path)
        tokenize = tokenizer.tokenize_with_offsets if has_offsets else tokenizer
        return _counting(tokenize)

    return load


def _wordpiece(path):
    from keras_bert.text import BertTokenizer
    from keras_bert.text import Vocabulary

    return BertTokenizer(Vocabulary.from_file(path))


def _byte_pair(path):
    from keras_bert.text.bpe.byte_settings import BytePairSettings

    return BytePairSettings.read(path).make()


def _sentencepiece(normalizer):
    def read(path):
        from keras_bert.text import SentencePieceTokenizer

        return SentencePieceTokenizer(str(path), normalizer=normalizer)

    return read


def _host(read, has_offsets=False):
    """Measure the tokenizer that runs without TensorFlow."""

    def load(path):
        from keras_bert.text.host_tokenizer import HostTokenizer

        tokenizer = HostTokenizer(read(path).settings)
        if has_offsets:
            return lambda batch: sum(
                map(len, tokenizer.tokenize_with_offsets(batch)[0])
            )
        return lambda batch: sum(map(len, tokenizer(batch)))

    return load


def _stock(has_offsets):
    def load(path):
        import tensorflow as tf
        import tensorflow_text as tf_text

        stock = tf_text.FastBertTokenizer(
            path.read_text(encoding="utf-8").splitlines(),
            token_out_type=tf.int32,
            lower_case_nfd_strip_accents=True,
        )
        return _counting(
            stock.tokenize_with_offsets if has_offsets else stock.tokenize
        )

    return load


def _keras_hub(path):
    import keras_hub

    merges = (path / "merges.txt").read_text(encoding="utf-8")
    return _counting(
        keras_hub.tokenizers.BytePairTokenizer(
            json.loads((path / "vocab.json").read_text(encoding="utf-8")),
            merges.removesuffix("\n").split("\n")[1:],
        )
    )


def _counting_encodings(tokenizer, **options):
    return lambda batch: sum(
        len(x.ids) for x in tokenizer.encode_batch(batch, **options)
    )


def _hugging_face_wordpiece(path):
    import tokenizers

    tokenizer = tokenizers.BertWordPieceTokenizer(str(path), lowercase=True)
    return _counting_encodings(tokenizer, add_special_tokens=False)


def _hugging_face_byte_pair(path):
    import tokenizers

    tokenizer = tokenizers.ByteLevelBPETokenizer(
        str(path / "vocab.json"), str(path / "merges.txt")
    )
    return _counting_encodings(tokenizer)


def _hugging_face_sentencepiece(path):
    """Build the tokenizer of the published tokenizer.json files."""
    import tokenizers

    from keras_bert.text.sentencepiece.model import SentencePieceModel

    model = SentencePieceModel(path.read_bytes())
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
    return _counting_encodings(tokenizer)


def _sentencepiece_package(path):
    import sentencepiece

    from keras_bert.text.normalization.normalizers import normalize_text

    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))

    def count(batch):
        texts = [normalize_text(text, lowercase=True) for text in batch]
        return sum(map(len, processor.encode(texts, num_threads=1)))

    return count


# For each kind, functions from --tokenizer to functions that count the tokens
# of a list of str. The last one is the baseline.
_CONTENDERS = {
    "wordpiece": {
        "BertTokenizer": _ours(_wordpiece),
        "BertTokenizer, special tokens": _ours(
            lambda path: _wordpiece(path).with_special_tokens()
        ),
        "BertTokenizer, offsets": _ours(_wordpiece, has_offsets=True),
        "HostTokenizer": _host(_wordpiece),
        "HostTokenizer, offsets": _host(_wordpiece, has_offsets=True),
        "Hugging Face tokenizers": _hugging_face_wordpiece,
        "Stock FastBertTokenizer, offsets": _stock(has_offsets=True),
        "Stock FastBertTokenizer": _stock(has_offsets=False),
    },
    "byte_pair": {
        "BytePairTokenizer": _ours(_byte_pair),
        "BytePairTokenizer, offsets": _ours(_byte_pair, has_offsets=True),
        "HostTokenizer": _host(_byte_pair),
        "HostTokenizer, offsets": _host(_byte_pair, has_offsets=True),
        "KerasHub BytePairTokenizer": _keras_hub,
        "Hugging Face tokenizers": _hugging_face_byte_pair,
    },
    "sentencepiece": {
        **{
            f"SentencePieceTokenizer, {name}{suffix}": _ours(
                _sentencepiece(name), bool(suffix)
            )
            for name in ("google_research", "hugging_face")
            for suffix in ("", ", offsets")
        },
        "HostTokenizer": _host(_sentencepiece("google_research")),
        "HostTokenizer, offsets": _host(
            _sentencepiece("google_research"), has_offsets=True
        ),
        "sentencepiece": _sentencepiece_package,
        "Hugging Face tokenizers": _hugging_face_sentencepiece,
    },
}


if __name__ == "__main__":
    app.run(main)
