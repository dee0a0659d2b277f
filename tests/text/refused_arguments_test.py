"""Arguments that tokenizers, vocabularies and preprocessors refuse.

Wrong files are in the tests of their kind.
"""

import dataclasses

import pytest
import tensorflow as tf

from keras_bert.template import Template
from keras_bert.text import BertPreprocessor
from keras_bert.text import BertTokenizer
from keras_bert.text import Preprocessor
from keras_bert.text.base_vocabulary import AddedToken
from keras_bert.text.bpe.byte_vocabulary import SPECIAL_TOKENS
from keras_bert.text.bpe.byte_vocabulary import BytePairVocabulary
from keras_bert.text.bpe.character_settings import BpeSettings
from keras_bert.text.host_tokenizer import HostTokenizer
from keras_bert.text.sentencepiece.settings import SentencePieceSettings
from keras_bert.text.tokenizer_kinds import kind_of_file

_NEW = [AddedToken("new")]


def _host(get, texts):
    return HostTokenizer(get("tokenizer").settings)(texts)


def _word(get, **arguments):
    return BertTokenizer(get("vocabulary"), **arguments)


def _bytes(get, **arguments):
    return dataclasses.replace(get("byte_pair"), **arguments)


def _pieces(get, **arguments):
    return SentencePieceSettings(get("spiece_file"), **arguments)


# Calls with a function that returns a fixture, and words of the message.
_REFUSED = [
    (lambda get: BertPreprocessor(get("tokenizer"), 2), "seq_length=2\\."),
    (
        lambda get: Preprocessor(
            get("tokenizer"), Template(pair="cls A sep sep B sep"), 3
        ),
        r"at least 4, to fit .*A \[SEP\] \[SEP\] B.*seq_length=3",
    ),
    (
        lambda get: BertPreprocessor(get("tokenizer"), 8)(["a", "b"], ["c"]),
        "Shapes of all",
    ),
    (
        lambda get: Preprocessor(get("bpe").make(), Template(), 8),
        "'cls'.*the types unknown",
    ),
    (lambda get: _host(get, [1]), "`texts` must be .* Received: 1"),
    (lambda get: _host(get, [["a"]]), r"`texts` must be .* Received: \['a'"),
    (lambda get: _host(get, 3.5), "`texts` must be .* Received: 3.5"),
    (lambda get: _word(get, max_chars_per_word=0), "max_chars_per_word=0"),
    (lambda get: _word(get, tokenize_chinese_chars=False), "_chars=False"),
    (
        lambda get: _word(get, lowercase=False, strip_accents=True),
        "lowercase=False, strip_accents=True",
    ),
    (lambda get: _word(get, added_tokens=_NEW), "`added_tokens` must .*'new'"),
    (lambda get: _bytes(get, added_tokens=_NEW), "of the vocab.*'new'"),
    (lambda get: _bytes(get, normalizer="NFKC"), "must be one of NFC.*'NFKC'"),
    (
        lambda get: BpeSettings(get("bpe").vocabulary, [("t", "zz</w>")]),
        "must join two symbols.*t zz</w>",
    ),
    (lambda get: get("bpe").vocabulary.roles["mask"], "of type 'mask'.*unkno"),
    (lambda get: get("bpe").vocabulary.is_continuation, "continue a word"),
    (
        lambda get: BytePairVocabulary([*SPECIAL_TOKENS, "a", "a"]),
        "twice. Received: 'a'",
    ),
    (
        lambda get: _pieces(get, lowercase=True, normalizer="model"),
        "`lowercase` must be False.*=True",
    ),
    (
        lambda get: _pieces(get, special_tokens_in_text="no"),
        "True or False. Received: spec.*'no'",
    ),
    (lambda get: kind_of_file("bpe.json"), "txt, vocab.json, .*: bpe.json"),
    (lambda get: kind_of_file("albert.model"), "spiece.model, or .*: albert"),
]


@pytest.mark.parametrize(
    ("call", "words"), _REFUSED, ids=[words for _, words in _REFUSED]
)
def test_what_is_wrong_is_named(call, words, request):
    errors = (ValueError, TypeError, tf.errors.InvalidArgumentError)
    with pytest.raises(errors, match=words):
        call(request.getfixturevalue)
