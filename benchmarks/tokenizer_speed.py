"""Tokens per second of WordPiece tokenizers on one core.

    python benchmarks/tokenizer_speed.py --input_file=text.txt \\
        --vocab_file=vocab.txt
"""

import tensorflow as tf
import tensorflow_text as tf_text
import tokenizer_turns
import tokenizers
from absl import app
from absl import flags
from tokenizer_turns import in_graph
from tokenizer_turns import in_graph_with_offsets

from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary

_VOCAB_FILE = flags.DEFINE_string(
    "vocab_file", None, "An uncased `vocab.txt`.", required=True
)

_STOCK = "Stock FastBertTokenizer"


def _graphs(vocabulary):
    stock = tf_text.FastBertTokenizer(
        list(vocabulary.tokens),
        token_out_type=tf.int32,
        lower_case_nfd_strip_accents=True,
    )
    plain = BertTokenizer(vocabulary)
    special = plain.with_special_tokens()
    return {
        _STOCK: in_graph(stock.tokenize),
        "BertTokenizer": in_graph(plain),
        "BertTokenizer, special tokens": in_graph(special),
        f"{_STOCK}, offsets": in_graph_with_offsets(
            stock.tokenize_with_offsets
        ),
        "BertTokenizer, offsets": in_graph_with_offsets(
            plain.tokenize_with_offsets
        ),
    }


def _hugging_face(vocabulary):
    tokenizer = tokenizers.BertWordPieceTokenizer(
        {token: index for index, token in enumerate(vocabulary.tokens)},
        lowercase=True,
    )
    return lambda batch: sum(
        map(len, tokenizer.encode_batch(batch, add_special_tokens=False))
    )


def main(_):
    vocabulary = Vocabulary.from_file(_VOCAB_FILE.value)
    speeds = tokenizer_turns.million_tokens_per_s(
        _graphs(vocabulary),
        {"Hugging Face tokenizers": _hugging_face(vocabulary)},
    )
    print("| tokenizer | million tokens/s | of stock |")
    print("|---|---|---|")
    for name, speed in speeds.items():
        print(f"| {name} | {speed:.2f} | {speed / speeds[_STOCK]:.2f} |")


if __name__ == "__main__":
    app.run(main)
