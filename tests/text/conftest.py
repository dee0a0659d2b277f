"""A small vocabulary with ids that are easy to derive by hand."""

import pytest
import tensorflow as tf

from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_PIECES = (
    *SPECIAL_TOKENS,
    *("the", "cat", "##s", "c", "##at", "cafe", "un", "##aff", "##able"),
    *(",", ".", "[", "]", "mask", "中", "文", "##a"),
)


@pytest.fixture(scope="session")
def vocabulary():
    return Vocabulary(_PIECES)


@pytest.fixture(scope="session")
def tokenizer(vocabulary):
    return BertTokenizer(vocabulary)


@pytest.fixture(scope="session")
def in_tf_data():
    """Return the outputs of a function inside `tf.data`; trace it once."""
    traced = {}

    def in_tf_data(function, texts):
        if function not in traced:
            traced[function] = tf.function(
                function, input_signature=[tf.TensorSpec([None], tf.string)]
            )
        dataset = tf.data.Dataset.from_tensors(tf.constant(texts, tf.string))
        return next(iter(dataset.map(traced[function])))

    return in_tf_data


@pytest.fixture(scope="session")
def make_tflite_runner():
    """Return a function that converts a `tf.function` to TFLite."""
    from keras_bert.export.tflite.comparison import signature_runner

    def make_tflite_runner(function):
        converter = tf.lite.TFLiteConverter.from_concrete_functions(
            [function.get_concrete_function()], tf.Module()
        )
        converter.allow_custom_ops = True
        return signature_runner(converter.convert(), has_text=True)

    return make_tflite_runner


_PROSE = """The quick brown fox doesn't jump over the lazy dogs, we'll say so.
There they're running through 1990's streets of 3,141 houses; I've seen it.
Über den Wolken schöner Straßen fährt die Straßenbahn nach Köln.
Съешь ещё этих мягких французских булок, да выпей же чаю, чаю, чаю.
中文的文字和日本語のテキスト、日本語のテキスト。 한국어 한국어 텍스트
aaaaaaaa aaaa bababa abab hahaha !!!!!! ------ ....... 0000000 2024 2024
"""


@pytest.fixture(scope="session")
def byte_pair(tmp_path_factory):
    """Return `BytePairSettings` of a few lines, with all kinds of merges."""
    from keras_bert.pretraining import learn_byte_pair
    from keras_bert.pretraining import open_sources

    path = tmp_path_factory.mktemp("prose") / "prose.txt"
    lines = [line for line in _PROSE.splitlines() for _ in range(3)]
    # Copies of one line are all held out or not at all.
    path.write_text("\n".join(lines), encoding="utf-8")
    settings, unseen = learn_byte_pair(open_sources([str(path)]), 700)
    assert not unseen
    return settings


@pytest.fixture(scope="session")
def byte_pair_tokenizer(byte_pair):
    """Return the tokenizer; its tables are built once."""
    tokenizer = byte_pair.make()
    tokenizer([""])
    return tokenizer


@pytest.fixture(scope="session")
def bpe(tmp_path_factory):
    """Return `BpeSettings` learned from the same lines."""
    import tokenizers

    from keras_bert.text.bpe.character_settings import BpeSettings

    end = {"end_of_word_suffix": "</w>"}
    peer = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>", **end))
    peer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    peer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<unk>"], show_progress=False, **end
    )
    peer.train_from_iterator(_PROSE.splitlines() * 3, trainer)
    path = tmp_path_factory.mktemp("learned")
    peer.save(str(path / "tokenizer.json"))
    return BpeSettings.read(path)
