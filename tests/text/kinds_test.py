"""Each kind of tokenizer compared with Hugging Face `tokenizers`.

Small vocabularies replace the published ones. To test these too, set
KERAS_BERT_PUBLISHED to a folder with `bert-base-uncased.vocab.txt` and so on.
"""

import dataclasses
import itertools
import os
import pathlib
import random
import unicodedata

import numpy as np
import pytest
import tensorflow as tf
import tokenizers

from keras_bert.checkpoints.family import find_family
from keras_bert.export.onnx.tokenizer_json import write_tokenizer_json
from keras_bert.export.saved_model.served_ops import check_ops
from keras_bert.template import Template
from keras_bert.text import Vocabulary
from keras_bert.text.base_vocabulary import AddedToken
from keras_bert.text.bpe.byte_settings import BytePairSettings
from keras_bert.text.bpe.byte_vocabulary import SPECIAL_TOKENS as BYTE_TOKENS
from keras_bert.text.bpe.byte_vocabulary import BytePairVocabulary
from keras_bert.text.bpe.byte_vocabulary import byte_characters
from keras_bert.text.bpe.character_settings import BpeSettings
from keras_bert.text.bpe.character_vocabulary import BpeVocabulary
from keras_bert.text.host_tokenizer import HostTokenizer
from keras_bert.text.preprocessor import Preprocessor
from keras_bert.text.sentencepiece.settings import SentencePieceSettings
from keras_bert.text.wordpiece.settings import WordpieceSettings
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
from tests.text.sentencepiece.trained import LINES

_LATIN = "abcdefghijklmnopqrstuvwxyz0123456789"
_ACCENTED = "éàñüöçøßæœ"
_OTHER = "αβγςσдйіأبतमกขあカ한국ﬁ²½"
_CHINESE = "中文龍一\u2028"
_SYMBOLS = "[](){}.,;:!?-_'\"#$%&*+/<=>@^`|~…–—“”«»。、¡€™"
_WHITE = " \t\n\r\u00a0\u2003\u2028\u2029\u3000"
_DROPPED = "\0\x07\u00ad\u200b\u200d\ufeff\ufffd"
_MARKS = "\u0301\u0308\u0327\u0323\u1161\u11ab"
_HARD = (
    *("[MASK]", "[CLS]", "[SEP]", "[UNK]", "[PAD]", "[mask]", "[MASK", "MASK]"),
    *("[ MASK]", "[MA\u200bSK]", "[MASK\u0301]", "[[MASK]]", "[MASK]s", "##s"),
    *("<mask>", " <mask>", "<s>", "</s>", "<pad>", "<mask", "<MASK>", "<<s>>"),
    *("don't", "U.S.A.", "naïve", "Straße", "ﬁancée", "İstanbul", "ıǅ", "x²"),
    *("we'll", "I'm", "they've", "you're", "'s 'S 're's", "''ll", "'m 'd1 '"),
    *("ＡＢＣ１２", "㍿", "한국어", "เด็ก", "हिन्दी", "עִבְרִית", "ελληνικά", "Йод"),
    *(
        "👩\u200d👩\u200d👧",
        "e\u0301\u0323",
        "a\u0301" * 99,
        "é" * 200,
        "  \n\n ",
    ),
    *("a" * 200, "a" * 201, "中" * 201, "한" * 70, "q" * 900, "𝒙" * 201),
    *("龍𠮷㐀豈", "http://x.org/?q=%C3%A9", "3,141.59", "\U0001d400", "ǆ"),
)


def _texts(number, seed=20181011):
    """Return hard strings, alone and joined with others."""
    choose = random.Random(seed)
    alphabet = (_LATIN * 3 + _LATIN.upper() + _ACCENTED + _OTHER + _CHINESE) * 2
    alphabet += _SYMBOLS + _WHITE * 4 + _DROPPED + _MARKS

    def part():
        if choose.random() < 0.4:
            return choose.choice(_HARD)
        return "".join(choose.choices(alphabet, k=choose.randint(1, 12)))

    mixed = [
        choose.choice(["", " "]).join(
            part() for _ in range(choose.randint(1, 9))
        )
        for _ in range(number)
    ]
    return [*_HARD, "", " ", *mixed]


def _vocabulary(letters, extra=()):
    pieces = [*SPECIAL_TOKENS, "the", "##ing", "mask", "MASK", "##sk"]
    pieces += [*letters, *(f"##{letter}" for letter in letters), *extra]
    return Vocabulary(dict.fromkeys(pieces))


def _uncased():
    decomposed = "".join(
        c
        for c in unicodedata.normalize("NFD", _OTHER)
        if unicodedata.category(c) != "Mn"
    )
    return _vocabulary(_LATIN + decomposed + _SYMBOLS)


def _cased():
    upper = _LATIN.upper().replace("0123456789", "")
    return _vocabulary(_LATIN + upper + _ACCENTED + _OTHER + _SYMBOLS + _MARKS)


_CASES = {
    "uncased": lambda get: WordpieceSettings(_uncased()),
    "cased": lambda get: WordpieceSettings(_cased(), False),
    "accents": lambda get: WordpieceSettings(_cased(), True, False),
    "chinese": lambda get: WordpieceSettings(
        _vocabulary(_LATIN + "[].," + _CHINESE)
    ),
    "no brackets": lambda get: WordpieceSettings(
        _vocabulary(_LATIN + "".join({*_SYMBOLS} - {*"[]"}))
    ),
    "byte_bpe": lambda get: get("byte_pair"),
    "prefixed": lambda get: dataclasses.replace(
        get("byte_pair"), add_prefix_space=True
    ),
    "bpe": lambda get: get("bpe"),
}


@pytest.fixture(params=_CASES)
def settings(request):
    return _CASES[request.param](request.getfixturevalue)


def _with_added_tokens(get):
    tokens = AddedToken("the", False), AddedToken("mask", False, True, False)
    return dataclasses.replace(_CASES["uncased"](get), added_tokens=tokens)


_ALL = {
    **_CASES,
    # Compared on the host and in the graph only.
    "added": _with_added_tokens,
    "NFC": lambda get: dataclasses.replace(get("byte_pair"), normalizer="NFC"),
    "google_research": lambda get: SentencePieceSettings(get("spiece_file")),
    "hugging_face": lambda get: SentencePieceSettings(
        get("spiece_file"), normalizer="hugging_face"
    ),
    "xlm-roberta": lambda get: get("make_settings_of")("xlm-roberta"),
}
_MORE_TEXTS = (
    *("``quoted''", "'\u0301'", "日本the 日", "▁a ▁b", "q\u0307\u0323"),
    *("[MASK]the [CLS]", "<mask> <s>a", "x<unk>y", "word1 word3"),
    *(b"a\xffb", b"\xe4\xb8 \x80", b"\xed\xa0\x80 c", b"\xc3 the \xe4\xb8"),
)


def check_host(settings, texts):
    graph, host = settings.make(), HostTokenizer(settings)
    found = host.tokenize_with_offsets(texts)
    for rows, expected in zip(found, graph.tokenize_with_offsets(texts)):
        assert [row.tolist() for row in rows] == expected.to_list()
    assert [row.tolist() for row in host(texts)] == graph(texts).to_list()
    assert host(texts[0]).tolist() == graph(texts[0]).numpy().tolist()
    ids, lengths = host.flat_ids(texts)
    np.testing.assert_array_equal(ids, np.concatenate(found[0]))
    assert lengths.tolist() == [*map(len, found[0])]
    assert host.detokenize(found[0][0]) == graph.detokenize(found[0][0])


@pytest.mark.parametrize("in_text", [False, True])
@pytest.mark.parametrize("name", _ALL)
def test_the_host_tokenizer_equals_the_graph(name, in_text, request):
    settings = dataclasses.replace(
        _ALL[name](request.getfixturevalue), special_tokens_in_text=in_text
    )
    texts = [text.encode() for text in _texts(100)]
    texts += [x if isinstance(x, bytes) else x.encode() for x in _MORE_TEXTS]
    check_host(settings, texts)


@pytest.mark.parametrize(
    "step", [4999, pytest.param(1, marks=pytest.mark.exhaustive)]
)
@pytest.mark.parametrize(
    "name", ["uncased", "NFC", "google_research", "xlm-roberta"]
)
def test_each_code_point_on_the_host_equals_the_graph(name, step, request):
    # For a final "▁" without a table, the spans of the graph differ.
    skipped = {*range(0xD800, 0xE000), ord("▁")}
    points = (n for n in range(1, 0x110000, step) if n not in skipped)
    texts = [f"a{chr(n)}b {chr(n)}".encode() for n in points]
    check_host(_ALL[name](request.getfixturevalue), texts)


def compare(peer, kind, texts, rows, with_spans=True):
    """Compare ids and spans with a tokenizer of the package; return the ids."""
    theirs = peer.encode_batch(texts, add_special_tokens=False)
    ids, starts, ends = (x.to_list() for x in rows)
    for text, encoding, *row in zip(
        texts, theirs, ids, starts, ends, strict=True
    ):
        assert row[0] == encoding.ids, (text, encoding.tokens)
        if with_spans:
            places = itertools.accumulate(len(c.encode()) for c in text)
            places = [0, *places]
            spans = [[places[n] for n in x] for x in encoding.offsets]
            own = [[*span] for span in zip(*row[1:], strict=True)]
            if kind != "byte_bpe":  # End offsets differ.
                spans, own = ([x[0] for x in y] for y in (spans, own))
            assert own == spans, (text, encoding.tokens)
    return ids


@pytest.fixture
def check(tmp_path, in_tf_data):
    """Return a function that compares a tokenizer with its `tokenizer.json`."""

    def check(tokenizer, texts, with_spans=True):
        settings, path = tokenizer.settings, tmp_path / "tokenizer.json"
        single = settings.kind == "bpe" and Template("A", "A B", "unknown")
        write_tokenizer_json(
            Preprocessor(tokenizer, single or Template(), 64), path
        )
        peer = tokenizers.Tokenizer.from_file(str(path))
        peer.no_padding()
        peer.no_truncation()
        if settings.kind == "byte_bpe":  # Spans exclude spaces, like ours.
            peer.post_processor = tokenizers.processors.ByteLevel(
                add_prefix_space=settings.add_prefix_space, trim_offsets=True
            )
        rows = in_tf_data(tokenizer.tokenize_with_offsets, texts)
        ids = compare(peer, settings.kind, texts, rows, with_spans)
        # Eagerly, the ops of BPE take long.
        assert tokenizer(texts[:20]).to_list() == ids[:20]
        return ids

    return check


@pytest.mark.parametrize("finds_special", [False, True])
def test_texts_are_cut_as_by_tokenizers(settings, finds_special, check):
    tokenizer = settings.make()
    if finds_special:
        if settings.kind == "bpe":
            pytest.skip("It finds them in the normalised text.")
        tokenizer = tokenizer.with_special_tokens()
    # There, the span of a text's first space depends on the prefix space.
    has_prefix = getattr(settings, "add_prefix_space", False)
    texts = [*_texts(600), *LINES]
    check(tokenizer, texts, with_spans=not has_prefix)
    function = tf.function(tokenizer, [tf.TensorSpec([None], tf.string)])
    graph = function.get_concrete_function().graph.as_graph_def()
    check_ops(graph, settings.kind)


def _overlapping_merges(seed, ends):
    choose = random.Random(seed)
    known, merges = [c + end for end in ends for c in "abc"], []
    while len(merges) < 40:
        left, right = choose.choice(known), choose.choice(known)
        if not left.endswith("</w>") and left + right not in known:
            known.append(left + right)
            merges.append((left, right))
    return known, merges


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", ["bpe", "byte_bpe"])
def test_merges_that_overlap_are_made_in_the_same_order(kind, seed, check):
    if kind == "bpe":
        known, merges = _overlapping_merges(seed, ("", "</w>"))
        settings = BpeSettings(BpeVocabulary(["<unk>", *known]), merges)
    else:
        known, merges = _overlapping_merges(seed, ("",))
        tokens = [*BYTE_TOKENS, *byte_characters(), *known[3:]]
        settings = BytePairSettings(BytePairVocabulary(tokens), merges)
    choose = random.Random(seed)
    texts = [
        "".join(choose.choices("abc", k=choose.randint(1, 60)))
        for _ in range(300)
    ]
    check(settings.make(), texts)


def _code_points(step):
    """Return all code points of texts, and some of empty planes."""
    return [
        chr(point)
        for point in range(0x110000)
        if not 0xD800 <= point < 0xE000 and (point < 0x300 or point % step == 0)
    ]


@pytest.mark.parametrize(
    "step", [211, pytest.param(1, marks=pytest.mark.exhaustive)]
)
def test_code_points_give_the_same(byte_pair_tokenizer, step, check):
    check(byte_pair_tokenizer, [f"a{c}1{c} {c}!" for c in _code_points(step)])


@pytest.mark.large
@pytest.mark.parametrize(
    "name, lowercase",
    [
        ("bert-base-uncased", True),
        ("bert-base-cased", False),
        ("bert-base-multilingual-cased", False),
        ("bert-base-chinese", True),
    ],
)
def test_published_vocabularies_give_the_same(name, lowercase, check):
    folder = pathlib.Path(os.environ.get("KERAS_BERT_PUBLISHED", "none"))
    path = folder / f"{name}.vocab.txt"
    if not path.exists():
        pytest.skip(f"KERAS_BERT_PUBLISHED holds no {path.name}")
    tokenizer = WordpieceSettings(Vocabulary.from_file(path), lowercase).make()
    for each in (tokenizer, tokenizer.with_special_tokens()):
        check(each, _texts(5000))


# M, S and P are replaced by the special tokens of a kind.
_SPECIAL = (
    *("M", "S", "M word1", "word1 M", "word1M", "Mword1", "wMord1"),
    *("MM", "M M", "MSP", " M ", "\tM\u3000M\n", "word1  M  word2", "MM."),
    *("S.", "M,", "(M)", "'M'", "[M]", "<M>", "M\u0301", "\u0301M", "éMé"),
    "😀M😀P<SM",
)


def _special_texts(vocabulary):
    choose = random.Random(7)
    parts = [*"MSPw é😀.[<\n", "word1", "  "]
    texts = [
        *_SPECIAL,
        *(
            "".join(choose.choices(parts, k=choose.randint(2, 9)))
            for _ in range(300)
        ),
    ]
    roles = {"M": "mask", "S": "sep", "P": "pad"}
    tokens = {ord(x): vocabulary.roles[role] for x, role in roles.items()}
    mask = vocabulary.roles["mask"]
    near = (mask.swapcase(), mask.title(), mask[:-1], mask[1:], f" {mask[:2]}")
    return [text.translate(tokens) for text in texts] + [*near]


def test_sentencepiece_finds_special_tokens_as_there(make_settings, check):
    settings = make_settings("sentencepiece")
    tokenizer = settings.make()
    texts = _special_texts(settings.vocabulary)
    mask = settings.vocabulary.id_of("[MASK]")
    assert not any(mask in ids for ids in tokenizer(texts).to_list())
    ids = check(tokenizer.with_special_tokens(), texts, with_spans=False)
    assert sum(row.count(mask) for row in ids) > 100


@pytest.mark.parametrize(
    "model_type",
    ["albert", "bert", "deberta", "deberta-v2", "longformer", "mpnet"]
    + ["openai-gpt", "roberta", "xlm-roberta"],
)
def test_typed_special_tokens_stay_text_in_tokenizers(
    model_type, make_settings_of, tmp_path
):
    settings = make_settings_of(model_type)
    template = find_family(model_type).template
    preprocess = Preprocessor(settings.make(), template, 64)
    write_tokenizer_json(preprocess, tmp_path / "tokenizer.json")
    peer = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    typed = settings.vocabulary.roles.values()
    texts = [*typed, *(f"word1 {x}word2{x} {x}" for x in typed), "word3"]
    ours = preprocess(texts)
    theirs = peer.encode_batch(texts)
    ids = [encoding.ids for encoding in theirs]
    mask = [encoding.attention_mask for encoding in theirs]
    width = len(ids[0])
    assert ours["input_ids"].numpy()[:, :width].tolist() == ids
    assert ours["input_mask"].numpy()[:, :width].tolist() == mask
    special = {settings.vocabulary.id_of(token) for token in typed}
    special.discard(settings.vocabulary.unk_id)
    peer.no_padding()
    plain = peer.encode_batch(texts, add_special_tokens=False)
    assert not any(special & {*encoding.ids} for encoding in plain)
