"""Beside Hugging Face `tokenizers`: ids and spans.

A small vocabulary stands in for the published one. To compare with that too,
set KERAS_BERT_ROBERTA to a folder that holds its vocab.json and merges.txt.
"""

import itertools
import os
import pathlib
import random

import pytest
import tensorflow as tf

from keras_bert.text import BytePairTokenizer
from keras_bert.text.byte_pair.settings import read_byte_pair
from keras_bert.text.byte_pair.vocabulary import SPECIAL_TOKENS
from keras_bert.text.byte_pair.vocabulary import BytePairVocabulary
from keras_bert.text.byte_pair.vocabulary import byte_characters

tokenizers = pytest.importorskip("tokenizers")

_WHITE = " \t\n\r\x0b\x0c\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000"
_RARE = "\0\x01\x07\x1b\x7f\u200b\u200d\ufeff\ufffd\u0301\u0308\u0e34\u20e3"
_WORDS = (
    "the of don't we'll I'm they've you're he'd it's 'tis o'clock 's 'S 're "
    "'re's ''ll can''t x' 'm 'd1 ' 1990's <mask> <s> </s> <pad> <mask <MASK> "
    "<<s>> https://a.b/c?d=%20 foo_bar 3,141.59 ½ Ⅷ ٣٤ ६ ²x naïve Straße ﬁ "
    "привет мир 中文字符 日本語 한국어 เด็ก हिन्दी עִבְרִית ǅ 𝒙𝒚 𐍈 Ā Ġ Ċ 🇩🇪 👍🏽 ❤️ 1️⃣"
).split()
_RANGES = (
    *[(0x20, 0x7F)] * 6,
    *((0xA0, 0x250), (0x370, 0x530), (0x590, 0x700), (0x900, 0xA00)),
    *((0xE00, 0xE80), (0x2000, 0x2070), (0x2460, 0x2500), (0x3040, 0x3100)),
    *((0x4E00, 0x9FFF), (0xAC00, 0xD7A0), (0x1F300, 0x1F700)),
    *((0x1D400, 0x1D800), (0x10000, 0x10800), (0xE0000, 0xE0200)),
)


def _texts(number, seed=20190220):
    choose = random.Random(seed)

    def part():
        kind = choose.randrange(8)
        if kind == 0:
            return choose.choice(_WORDS)
        if kind == 1:
            return "".join(choose.choices(_WHITE, k=choose.randint(1, 4)))
        if kind == 2:
            return " " * choose.randint(1, 5)
        if kind == 3:
            return "".join(choose.choices(_RARE, k=choose.randint(1, 3)))
        if kind == 4:
            return choose.choice("abz'\"!.-0") * choose.randint(1, 30)
        if kind == 5:
            return "".join(choose.choices("'sStTrevlmd ", k=8))
        first, last = choose.choice(_RANGES)
        return "".join(chr(choose.randrange(first, last)) for _ in range(kind))

    return [
        choose.choice(["", "", " "]).join(
            part() for _ in range(choose.randint(1, 12))
        )
        for _ in range(number)
    ]


def _peer(settings, special_tokens):
    peer = tokenizers.Tokenizer(
        tokenizers.models.BPE(
            {t: index for index, t in enumerate(settings.vocabulary.tokens)},
            [*settings.merges],
        )
    )
    peer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(
        add_prefix_space=settings.add_prefix_space
    )
    peer.post_processor = tokenizers.processors.RobertaProcessing(
        ("</s>", settings.vocabulary.id_of("</s>")),
        ("<s>", settings.vocabulary.id_of("<s>")),
        add_prefix_space=settings.add_prefix_space,
    )
    peer.add_special_tokens(
        [
            *SPECIAL_TOKENS[:-1],
            tokenizers.AddedToken("<mask>", lstrip=True, normalized=False),
        ]
    )
    peer.encode_special_tokens = not special_tokens
    return peer


def _spans(text, encoding):
    """Its offsets count characters."""
    places = [0, *itertools.accumulate(len(c.encode()) for c in text)]
    return [(places[start], places[end]) for start, end in encoding.offsets]


def _check(tokenizer, texts, with_spans=True):
    peer = _peer(tokenizer.settings, tokenizer.settings.special_tokens_in_text)
    encodings = peer.encode_batch(texts, add_special_tokens=False)
    rows = tokenizer.tokenize_with_offsets(tf.constant(texts))
    for text, encoding, ids, starts, ends in zip(
        texts, encodings, *(part.to_list() for part in rows), strict=True
    ):
        assert ids == encoding.ids, (text, encoding.tokens)
        if with_spans:
            spans = [*zip(starts, ends)]
            assert spans == _spans(text, encoding), (text, encoding.tokens)


@pytest.fixture(scope="module")
def tokenizer(byte_pair_tokenizer):
    return byte_pair_tokenizer


def test_random_texts_give_the_same(tokenizer):
    _check(tokenizer, _texts(6000))


def test_texts_with_special_tokens_give_the_same(tokenizer):
    _check(tokenizer.with_special_tokens(), _texts(3000))


@pytest.mark.parametrize("special_tokens", [False, True])
def test_a_prefix_space_gives_the_same_ids(byte_pair, special_tokens):
    tokenizer = BytePairTokenizer(
        byte_pair.vocabulary,
        byte_pair.merges,
        add_prefix_space=True,
        special_tokens_in_text=special_tokens,
    )
    # There, the span of a text's own first space depends on this setting.
    _check(tokenizer, _texts(2000), with_spans=False)


def _code_points(step):
    """All that can be in a text; of planes without characters some."""
    return [
        chr(point)
        for point in range(0x110000)
        if not 0xD800 <= point < 0xE000
        and (point < 0x32400 or 0xE0000 <= point < 0xE0200 or point % step == 0)
    ]


def _joined(form, code_points):
    """Texts of many code points, each in a form such as "a{}b"."""
    return [
        "".join(map(form.format, code_points[start : start + 256]))
        for start in range(0, len(code_points), 256)
    ]


def test_every_code_point_gives_the_same(tokenizer):
    characters = _code_points(step=101)
    _check(tokenizer, _joined("a{0}1{0} {0}!", characters))


def _random_merges(choose, number):
    """Merges of few letters, so that they overlap as often as can be."""
    known, merges = ["a", "b", "c"], []
    while len(merges) < number:
        merge = choose.choice(known), choose.choice(known)
        if "".join(merge) not in known:
            known.append("".join(merge))
            merges.append(merge)
    return merges


@pytest.mark.parametrize("seed", range(4))
def test_merges_that_overlap_are_made_in_the_same_order(seed):
    choose = random.Random(seed)
    merges = _random_merges(choose, 40)
    made = ["".join(merge) for merge in merges]
    tokens = [*SPECIAL_TOKENS, *byte_characters(), *made]
    tokenizer = BytePairTokenizer(BytePairVocabulary(tokens), merges)
    texts = [
        "".join(choose.choices("abc", k=choose.randint(1, 60)))
        for _ in range(1000)
    ]
    _check(tokenizer, texts)


@pytest.mark.large
def test_the_published_vocabulary_gives_the_same():
    folder = os.environ.get("KERAS_BERT_ROBERTA")
    if not folder:
        pytest.skip("KERAS_BERT_ROBERTA names no folder")
    tokenizer = read_byte_pair(pathlib.Path(folder)).tokenizer()
    for seed in range(25):
        texts = _texts(4000, seed)
        _check(tokenizer, texts)
        _check(tokenizer.with_special_tokens(), texts)
    for form in ("{}", "a{}b", "1{}2", " {} ", "! {0}{0}'s"):
        _check(tokenizer, [*map(form.format, _code_points(step=1))])
