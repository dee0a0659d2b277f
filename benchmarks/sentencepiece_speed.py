"""Tokens per second of SentencePiece tokenizers on one core.

    pip install sentencepiece
    python benchmarks/sentencepiece_speed.py --input_file=text.txt \\
        --model_file=spiece.model

Each normalises as ALBERT does; for `sentencepiece` that is done in Python, as
in google-research/albert.
"""

import pathlib

import sentencepiece
import tokenizer_turns
import tokenizers
from absl import app
from absl import flags
from tokenizer_turns import in_graph
from tokenizer_turns import in_graph_with_offsets

from keras_bert.text import SentencePieceTokenizer
from keras_bert.text.normalization.normalizers import NORMALIZERS
from keras_bert.text.normalization.normalizers import normalize_text
from keras_bert.text.sentencepiece.model import SentencePieceModel

_MODEL_FILE = flags.DEFINE_string(
    "model_file", None, "An uncased `spiece.model`.", required=True
)


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


def _sentencepiece(model_file):
    processor = sentencepiece.SentencePieceProcessor(model_file=model_file)

    def count(batch):
        texts = [normalize_text(text, lowercase=True) for text in batch]
        return sum(map(len, processor.encode(texts, num_threads=1)))

    return count


def main(_):
    model = SentencePieceModel(pathlib.Path(_MODEL_FILE.value).read_bytes())
    graphs = {}
    for name in NORMALIZERS:
        tokenizer = SentencePieceTokenizer(_MODEL_FILE.value, normalizer=name)
        graphs[f"SentencePieceTokenizer, {name}"] = in_graph(tokenizer)
        graphs[f"the same with offsets, {name}"] = in_graph_with_offsets(
            tokenizer.tokenize_with_offsets
        )
    speeds = tokenizer_turns.million_tokens_per_s(
        graphs,
        {
            "sentencepiece": _sentencepiece(_MODEL_FILE.value),
            "Hugging Face tokenizers": _hugging_face(model),
        },
    )
    print("| tokenizer | million tokens/s |")
    print("|---|---|")
    for name, speed in speeds.items():
        print(f"| {name} | {speed:.2f} |")


if __name__ == "__main__":
    app.run(main)
