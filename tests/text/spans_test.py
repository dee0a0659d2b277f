"""Spans of the tokens of each kind of tokenizer."""

import dataclasses
import itertools
import random
import unicodedata

import hypothesis
import pytest
from hypothesis import strategies

from keras_bert.text import SentencePieceTokenizer
from keras_bert.text import SentencePieceVocabulary
from tests.text.kinds_test import check_host
from tests.text.sentencepiece.trained import LINES
from tests.text.sentencepiece.trained import train

_PARTS = (
    *("the", "café", "word1", "wo", "中文", "한국어", "ﬁ", "㍿", "ﷺ", "½", "¨"),
    *(" ", "  ", "\n", "\t", "\u00a0", "\u3000", "\u2028", "▁", " ▁ "),
    *("!", "。", "(", "'", "``", "''", "...", "‹", "—", "😀", "😀😀", "é", "e"),
    *("\u0301", "\u0308", "\u200b", "\u00ad", "\x07", "\x00", "\ufffd", "ｶﾞ"),
    *("[MASK]", "[SEP]", "<mask>", "</s>", "<unk>", "[mask]", "M", "İ", "ẞ"),
)
_TEXTS = strategies.lists(
    strategies.lists(
        strategies.one_of(
            strategies.sampled_from(_PARTS), strategies.text(max_size=3)
        ),
        max_size=7,
    ).map("".join),
    min_size=1,
    max_size=12,
)


def _trained(name, get, file="spiece.model"):
    path = get("tmp_path_factory").mktemp("model") / file
    path.write_bytes(train(name, [*LINES, "한국어 한국어 ো ো"]))
    vocabulary = SentencePieceVocabulary.from_file(path, name)
    return SentencePieceTokenizer(vocabulary)


_KINDS = {
    "wordpiece": lambda get: get("tokenizer"),
    "mpnet": lambda get: get("make_settings_of")("mpnet").make(),
    "byte_bpe": lambda get: get("byte_pair_tokenizer"),
    "prefixed": lambda get: get("make_settings")("byte_bpe").make(),
    "bpe": lambda get: get("make_settings")("bpe").make(),
    "albert": lambda get: SentencePieceTokenizer(get("spiece_file")),
    "hugging_face": lambda get: SentencePieceTokenizer(
        get("spiece_file"), normalizer="hugging_face"
    ),
    "deberta": lambda get: _trained("DebertaV2Tokenizer", get, "spm.model"),
    "albert_trained": lambda get: _trained("AlbertTokenizer", get),
    "xlnet": lambda get: _trained("XLNetTokenizer", get),
    "xlm": lambda get: _trained(
        "XLMRobertaTokenizer", get, "sentencepiece.bpe.model"
    ),
}


@pytest.fixture(scope="module", params=_KINDS)
def plain(request):
    return _KINDS[request.param](request.getfixturevalue)


@pytest.fixture(scope="module", params=[False, True])
def tokenizer_of_kind(request, plain):
    return plain.with_special_tokens() if request.param else plain


@pytest.mark.smoke("wordpiece", "byte_bpe", "xlm")
@hypothesis.given(texts=_TEXTS)
@hypothesis.settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    phases=[hypothesis.Phase.generate],  # Shrinking takes minutes.
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture],
)
def test_spans_tile_the_text(tokenizer_of_kind, texts):
    tokenizer = tokenizer_of_kind
    rows = (x.to_list() for x in tokenizer.tokenize_with_offsets(texts))
    for text, ids, starts, ends in zip(texts, *rows, strict=True):
        data, spans = text.encode(), [*zip(starts, ends, strict=True)]
        tokens = [tokenizer.vocabulary.tokens[index] for index in ids]
        for (start, end), token in zip(spans, tokens, strict=True):
            assert 0 <= start <= end <= len(data)
            span = data[start:end].decode()  # The span ends between characters.
            is_space = tokenizer.kind == "byte_bpe" and not span.strip()
            assert is_space or span, (text, token, spans)
            ends_in_space = any(map(_is_space, (span[:1], span[-1:])))
            assert is_space or not ends_in_space, (text, token, spans)
        assert starts == sorted(starts) and ends == sorted(ends), (text, spans)
        for one, other in itertools.pairwise(spans):
            shared = data[other[0] : one[1]].decode()
            # Tokens share a span, or one split character.
            assert one == other or len(_characters(shared)) < 2, (text, spans)
        _check_covered(tokenizer, text, spans)


# Parts that the table of a model composes; some are known as a whole.
_COMPOSED = (
    *(
        "한",
        "국",
        "어",
        "한국어",
        "각",
        "갸",
        "ㄱ",
        "㈎",
        "㉮",
        "하\u11ab",
        "각\u1161",
    ),
    *("\u1112\u1161\u11ab", "\u1112\u1161", "\u1112", "\u1161", "\u11ab"),
    *("\u1112\u0301\u1161", "\u1112\x01\u1161", "\u09cb", "\u09c7\u09be"),
    *("\u09c7", "\u09be", "\u0ccb", "\u0cc6\u0cc2\u0cd5", "\u0cc6\u0cc2"),
    *("\u0ddd", "\U0001112e", "\U00011131", "\U00011127", "q", "é", "e\u0301"),
    *(" ", "  ", "``", "'", "[MASK]", "<mask>", "😀", "1,", "the", "中"),
)


@pytest.mark.parametrize("normalizer", ["google_research", "xlnet"])
@pytest.mark.parametrize("name", ["AlbertTokenizer", "XLNetTokenizer"])
@pytest.mark.parametrize("in_text", [False, True])
def test_spans_of_composed_characters(name, normalizer, in_text, request):
    settings = dataclasses.replace(
        _trained(name, request.getfixturevalue).settings,
        normalizer=normalizer,
        special_tokens_in_text=in_text,
    )
    choose = random.Random(20)
    texts = [
        "".join(choose.choices(_COMPOSED, k=choose.randint(1, 9)))
        for _ in range(100)
    ]
    texts += ["", *_COMPOSED, *(f"한국어 {x} q" for x in _COMPOSED)]
    if in_text:  # The ids differ: the graph keeps a gap for the accent.
        texts = [text for text in texts if "\u1112\u0301" not in text]
    check_host(settings, texts)


def _is_space(character):
    """Return whether a character is white space and not a control."""
    return (
        character.isspace() and character not in "\x0b\x0c\x1c\x1d\x1e\x1f\x85"
    )


def _characters(text):
    """Return characters that are kept, without combining marks."""
    kinds = map(unicodedata.category, text)
    return [c for c in kinds if c not in ("Mn", "Mc", "Me", "Cc", "Cf")]


def _check_covered(tokenizer, text, spans):
    """Check that text outside of spans is white space or removed."""
    covered = {place for span in spans for place in range(*span)}
    place = 0
    for character in text:
        if place not in covered and not _is_space(character):
            assert tokenizer([character]).to_list() == [[]], (text, spans)
        place += len(character.encode())
