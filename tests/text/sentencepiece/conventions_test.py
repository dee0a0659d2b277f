"""Models with custom roles and ids, compared with the sentencepiece library."""

import dataclasses
import json
import random
import shutil

import pytest
import sentencepiece
import tokenizers

from keras_bert.checkpoints.tokenizer import read_tokenizer
from keras_bert.template import Template
from keras_bert.text import SentencePieceTokenizer
from keras_bert.text.conventions import MODEL
from keras_bert.text.preprocessor import Preprocessor
from keras_bert.text.sentencepiece.conventions import conventions_of_file
from keras_bert.text.sentencepiece.settings import SentencePieceSettings
from tests.text.kinds_test import check_host
from tests.text.sentencepiece.trained import LINES
from tests.text.sentencepiece.trained import train

DEBERTA = conventions_of_file("spm.model")
XLM_ROBERTA = conventions_of_file("sentencepiece.bpe.model")
_TEXTS = [
    *LINES,
    *("", "  ", "\tthe  quick\n fox ", "ﬁne ｆｏｘ ①②", "cafe\u0301 \u0301x"),
    *("[CLS] <s> [MASK] <mask>x", "\u200bthe\u200b", "the\u00a0fox\u3000so"),
    *("😀 the 😀😀", "▁the ▁ fox", "Aſ ß İ", "\x01a\x7fb", "ｶﾞ ｶﾞ"),
]
_PARTS = (
    *("the", "café", "cafe\u0301", "e\u0323\u0302", "ệ", "\u00ea\u0323", "Ａ"),
    *(" ", "  ", "\t", "\n", "\r\n", "a\u00a0\u3000x", "a\u00a0b", "½", "ﬁ"),
    *("中", "한국어", "\u1112\u1161\u11ab", "\u212b", "!!", "😀", "\u200b"),
)


@pytest.fixture(
    scope="module", params=[DEBERTA, XLM_ROBERTA], ids=["deberta", "xlm"]
)
def words(request):
    return request.param


@pytest.fixture(scope="module")
def path(words, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / words.files[0]
    path.write_bytes(train(words.tokenizer_class))
    return path


@pytest.fixture(scope="module")
def tokenizer(path):
    return SentencePieceTokenizer(path)


def _random_texts(number):
    choose = random.Random(3)
    return [
        "".join(choose.choices(_PARTS, k=choose.randint(0, 9)))
        for _ in range(number)
    ]


def _id_of_peer(words, index):
    """Return the id by an independent version of the published rule."""
    if words is DEBERTA:
        return index
    return {0: 3, 1: 0, 2: 2}.get(index, index + 1)


def test_ids_are_those_of_the_library(words, path, tokenizer, in_tf_data):
    peer = sentencepiece.SentencePieceProcessor(model_file=str(path))
    expected = [
        [_id_of_peer(words, index) for index in peer.encode(text)]
        for text in _TEXTS
    ]
    assert tokenizer(_TEXTS).to_list() == expected
    assert in_tf_data(tokenizer, _TEXTS).to_list() == expected
    offsets = tokenizer.tokenize_with_offsets
    for function in offsets, lambda texts: in_tf_data(offsets, texts):
        assert function(_TEXTS)[0].to_list() == expected


def test_only_spaces_separate_words_without_a_table(tmp_path):
    path = tmp_path / XLM_ROBERTA.files[0]
    rule = {"normalization_rule_name": "identity"}
    path.write_bytes(train(XLM_ROBERTA.tokenizer_class, **rule))
    peer = sentencepiece.SentencePieceProcessor(model_file=str(path))
    tokenizer = SentencePieceTokenizer(path)
    texts = _random_texts(200)
    expected = [
        [_id_of_peer(XLM_ROBERTA, index) for index in peer.encode(text)]
        for text in texts
    ]
    assert tokenizer(texts).to_list() == expected
    check_host(tokenizer.settings, texts)
    text = b"the\tfox\n says"
    _, starts, ends = tokenizer.tokenize_with_offsets(text.decode())
    spans = [text[a:b] for a, b in zip(starts.numpy(), ends.numpy())]
    assert b"\t" in spans and b"".join(spans) == text.replace(b" ", b"")


def test_spans_are_those_of_the_words(tokenizer):
    text = "\tthe  ｆｏｘ\n 3,141 cafe\u0301 "
    ids, starts, ends = (
        x.to_list()[0] for x in tokenizer.tokenize_with_offsets([text])
    )
    data = text.encode()
    spans = [data[start:end].decode() for start, end in zip(starts, ends)]
    tokens = [tokenizer.vocabulary.tokens[index] for index in ids]
    spelled = "".join(
        ("▁" if token.startswith("▁") else "") + span * (token != "▁")
        for token, span in zip(tokens, spans)
    )
    assert spelled == "▁the▁ｆｏｘ▁3,141▁cafe\u0301"


def test_what_is_saved_is_read_back(words, tokenizer, tmp_path):
    tokenizer.settings.write(tmp_path)
    for _ in range(2):
        settings = SentencePieceSettings.read(tmp_path)
        assert settings.normalizer == MODEL and settings.lowercase is False
        assert settings.vocabulary.conventions is words
        assert settings.vocabulary.tokens == tokenizer.vocabulary.tokens
        again = settings.make()
        assert again(_TEXTS).to_list() == tokenizer(_TEXTS).to_list()
        # A `tokenizer.json` is enough.
        (tmp_path / words.files[0]).unlink(missing_ok=True)
        (tmp_path / "tokenizer_config.json").unlink(missing_ok=True)


def test_the_only_file_of_transformers_5_is_enough(words, tokenizer, tmp_path):
    """Read its tokenizer.json, for DeBERTa without the model's table."""
    tokenizer.settings.write(tmp_path)
    path = tmp_path / "tokenizer.json"
    values = json.loads(path.read_text())
    metaspace = values["pre_tokenizer"]["pretokenizers"]
    if words is DEBERTA:
        regex = {"Regex": r"\s{2,}|[\n\r\t]"}
        values["normalizer"]["normalizers"] = [
            {"type": "Replace", "pattern": regex, "content": " "},
            {"type": "NFC"},
            {"type": "Strip", "strip_left": False, "strip_right": True},
        ]
    else:
        values["normalizer"] = values["normalizer"]["normalizers"][0]
        split = [{"type": "WhitespaceSplit"}, *metaspace]
        values["pre_tokenizer"]["pretokenizers"] = split
    path.write_text(json.dumps(values))
    settings = {"do_lower_case": words is XLM_ROBERTA}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    with_model = SentencePieceSettings.read(tmp_path).make()
    assert with_model(_TEXTS).to_list() == tokenizer(_TEXTS).to_list()
    (tmp_path / words.files[0]).unlink()
    read = read_tokenizer("wordpiece", tmp_path, 100)
    assert read.vocabulary.conventions is words
    peer = tokenizers.Tokenizer.from_file(str(path))
    texts = _random_texts(500)
    theirs = peer.encode_batch(texts, add_special_tokens=False)
    assert read.make()(texts).to_list() == [x.ids for x in theirs]
    text = "the {mask} fox {cls}so \u0378, {mask}{sep}".format(
        **tokenizer.roles
    )
    finding = dataclasses.replace(read, special_tokens_in_text=True).make()
    theirs = peer.encode(text, add_special_tokens=False).ids
    assert finding(text).numpy().tolist() == theirs
    if words is DEBERTA:
        values["normalizer"]["normalizers"].append({"type": "Lowercase"})
        path.write_text(json.dumps(values))
        message = "Received: a normalizer with the step"
        with pytest.raises(ValueError, match=message):
            SentencePieceSettings.read(tmp_path)


def test_another_casing_is_refused(path, words, tmp_path):
    shutil.copy(path, tmp_path)
    with pytest.raises(ValueError, match=words.tokenizer_class):
        SentencePieceSettings.read(tmp_path, lowercase=True)


def test_pairs_are_laid_out_as_transformers_does(words, tokenizer):
    preprocess = Preprocessor(tokenizer, Template(), seq_length=12)
    inputs = preprocess("the", "the")
    names = [tokenizer.vocabulary.tokens[n] for n in inputs["input_ids"]]
    expected, second = {
        DEBERTA: ("[CLS] ▁the [SEP] ▁the [SEP]", 2),
        XLM_ROBERTA: ("<s> ▁the </s> </s> ▁the </s>", 0),
    }[words]
    num = len(expected.split())
    assert " ".join(names[:num]) == expected
    assert tokenizer.vocabulary.tokens[-1] == tokenizer.roles["mask"]
    segments = [0] * (num - second) + [1] * second
    assert inputs["segment_ids"].numpy().tolist()[:num] == segments
