"""Tokenizers on the host, compared with the graph; see also kinds_test.py."""

import dataclasses

import pytest

from keras_bert.text.base_vocabulary import AddedToken
from keras_bert.text.host_tokenizer import HostTokenizer
from keras_bert.text.sentencepiece.settings import SentencePieceSettings
from keras_bert.text.sentencepiece.vocabulary import SentencePieceVocabulary

_TEXTS = (
    *("", "  \t\n ", "the  cat", "The cat, unaffable.", "a" * 300, "'s don't"),
    *(
        "caf\u0301e\u0301",
        "e\u0323\u0301 q\u0307\u0323",
        "İß ﬁ½Ⅷ",
        "가\u1100\u1161",
    ),
    *(
        "``quoted''",
        "'\u0301'",
        "日本the 日",
        "a\u200bb c\x01",
        "▁a ▁b",
        "😀👩\u200d👧",
    ),
    *("[MASK]the [CLS]", "<mask> <s>a", "x<unk>y", "word1 word3", "[mask]"),
    *(b"a\xffb", b"\xc3 the \xe4\xb8", b"\xed\xa0\x80word2"),
)


def _settings(name, request):
    make = request.getfixturevalue("make_settings_of")
    if name in ("google_research", "hugging_face"):
        path = request.getfixturevalue("spiece_file")
        vocabulary = SentencePieceVocabulary.from_file(path)
        return SentencePieceSettings(vocabulary, normalizer=name)
    if name == "NFC":
        settings = request.getfixturevalue("byte_pair")
        return dataclasses.replace(settings, normalizer=name)
    if name == "added":
        tokens = AddedToken("the", False), AddedToken("cat", False, True, False)
        settings = request.getfixturevalue("tokenizer").settings
        return dataclasses.replace(settings, added_tokens=tokens)
    return make(name)


@pytest.mark.parametrize(
    "name",
    ["google_research", "hugging_face", "xlm-roberta", "NFC", "added", "bert"],
)
def test_ids_and_offsets_equal_the_graph(name, request):
    settings = dataclasses.replace(
        _settings(name, request), special_tokens_in_text=True
    )
    graph, host = settings.make(), HostTokenizer(settings)
    texts = [x if isinstance(x, bytes) else x.encode() for x in _TEXTS]
    found = host.tokenize_with_offsets(texts)
    for rows, expected in zip(found, graph.tokenize_with_offsets(texts)):
        assert [row.tolist() for row in rows] == expected.to_list()
    assert [row.tolist() for row in host(texts)] == [*map(list, found[0])]
    assert repr(host).startswith("HostTokenizer(vocab_size=")


@pytest.mark.parametrize(
    "step", [4999, pytest.param(1, marks=pytest.mark.exhaustive)]
)
@pytest.mark.parametrize(
    "name", ["google_research", "xlm-roberta", "NFC", "bert"]
)
def test_each_code_point_equals_the_graph(name, step, request):
    settings = _settings(name, request)
    graph, host = settings.make(), HostTokenizer(settings)
    # For a final "▁" without a table, the spans of the graph differ.
    skipped = {*range(0xD800, 0xE000), ord("▁")}
    points = (n for n in range(1, 0x110000, step) if n not in skipped)
    texts = [f"a{chr(n)}b {chr(n)}" for n in points]
    found = host.tokenize_with_offsets(texts)
    for rows, expected in zip(found, graph.tokenize_with_offsets(texts)):
        assert [row.tolist() for row in rows] == expected.to_list()
