"""Rules and added tokens of published files, compared with `tokenizers`."""

import json
import random

import pytest
import tensorflow as tf
import tokenizers

from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.base_vocabulary import AddedToken
from keras_bert.text.tokenizer_kinds import KINDS
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_PIECES = (
    *SPECIAL_TOKENS,
    *("the", "cat", "##s", "s", "[", "]", "/", "e", "##1", "e1", "E1", "1"),
    *("mask", "MASK", "list", "of", "##e", "é", "x", "##x", "<", ">", "中"),
)
_NORMAL = ("[E1]", "[/E1]", "list of", "é!", "cat", "x", "中e", "E\u0301X")
_RAW, _SPECIAL = ("<Raw>", "[E1", "文"), ("[Special]", "<x>", "ENTITY")
_PARTS = (
    *(_NORMAL + _RAW + _SPECIAL + SPECIAL_TOKENS),
    *("[e1]", "[special]", "<raw>", "LIST OF", "list  of", "entity", "E1"),
    *(" ", " ", "\n", "the", "cats", "xs", "e", "]", "中", "\u0301", "\x07"),
)


def _read(directory):
    return KINDS["wordpiece"].read(directory, 100)


def _peer(pieces=_PIECES, lowercase=True):
    """Return a tokenizer of the package with BERT's rules."""
    peer = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(
            {piece: index for index, piece in enumerate(pieces)},
            unk_token="[UNK]",
            max_input_chars_per_word=9,
        )
    )
    peer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=lowercase)
    peer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    peer.add_special_tokens([*SPECIAL_TOKENS])
    return peer


@pytest.mark.parametrize("lowercase", [True, False])
def test_added_tokens_are_found_as_by_the_library(lowercase, tmp_path):
    peer = _peer(lowercase=lowercase)
    peer.add_tokens([*_NORMAL])
    raw = [tokenizers.AddedToken(text, normalized=False) for text in _RAW]
    peer.add_tokens(raw)
    peer.add_special_tokens([*_SPECIAL])
    peer.save(str(tmp_path / "tokenizer.json"))
    tokenizer = _read(tmp_path).make()
    choose = random.Random(3)
    texts = [
        "".join(choose.choices(_PARTS, k=choose.randint(0, 8)))
        for _ in range(400)
    ]
    for finds in (False, True):
        peer.encode_special_tokens = not finds
        if finds:
            tokenizer = tokenizer.with_special_tokens()
        theirs = peer.encode_batch(texts, add_special_tokens=False)
        rows, starts, ends = tokenizer.tokenize_with_offsets(texts)
        assert rows.to_list() == tokenizer(texts).to_list()
        spans = zip(texts, starts.to_list(), ends.to_list(), strict=True)
        for row, their, (text, firsts, lasts) in zip(
            rows.to_list(), theirs, spans, strict=True
        ):
            assert row == their.ids, (text, their.tokens)
            data = text.encode()
            for index, first, last in zip(row, firsts, lasts, strict=True):
                token = tokenizer.vocabulary.tokens[index]
                if token in (*_RAW, *_SPECIAL):
                    assert data[first:last].decode() == token
    # The settings are the same after saving and packing.
    kind, settings = KINDS["wordpiece"], tokenizer.settings
    (tmp_path / "tokenizer.json").unlink()
    settings.write(tmp_path)
    packed = json.loads(json.dumps(kind.to_json(settings)))
    for same in (_read(tmp_path), kind.from_json(packed)):
        assert same.added_tokens == settings.added_tokens
        assert same.make()(texts).to_list() == rows.to_list()


def _entry(text, special=False):
    return {"content": text, "special": special, "normalized": not special}


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("form", ["added_tokens.json", "decoder"])
def test_added_tokens_come_from_each_file(form, special, tmp_path):
    size = len(_PIECES)
    (tmp_path / "vocab.txt").write_text("\n".join(_PIECES) + "\n")
    settings = {"do_lower_case": True}
    if form == "decoder":
        entries = {str(size): _entry("[E2]", special)}
        settings["added_tokens_decoder"] = entries
    else:
        settings["additional_special_tokens"] = ["[E2]"] * special
        added = json.dumps({"[E2]": size})
        (tmp_path / "added_tokens.json").write_text(added)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    settings = _read(tmp_path)
    assert len(settings.vocabulary) == size + 1
    tokenizer = settings.make()
    assert ([size] in tokenizer(["[E2]"]).to_list()) is not special
    assert tokenizer.with_special_tokens()(["[E2]"]).to_list() == [[size]]
    assert (settings.added_tokens[0].is_special) is special


@pytest.mark.parametrize(
    "added, received",
    [
        ({"[E2]": 99}, r"without a gap.*Add a line.*\[E2\]': 99"),
        ({"the": 9}, "'the' must have the id 5.*Received: 9"),
        ({"[PAD]": 3}, r"'\[PAD\]' must have the id 0.*Received: 3"),
    ],
)
def test_ids_of_added_tokens_are_checked(added, received, tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join(_PIECES) + "\n")
    (tmp_path / "added_tokens.json").write_text(json.dumps(added))
    with pytest.raises(ValueError, match=received):
        _read(tmp_path)


@pytest.mark.parametrize(
    "part, change, received",
    [
        ("model", {"type": "WordLevel"}, "`type` of the model.*'WordLevel'"),
        ("model", {"continuing_subword_prefix": ""}, "'##'.*''.*pass ids"),
        ("model", {"unk_token": "<unk>"}, r"'\[UNK\]'.*'<unk>'"),
        ("model", {"vocab": {"the": 0}}, "same id. Received: 5 and 0 for"),
        ("pre_tokenizer", {"type": "Whitespace"}, "'Whitespace'.*pass ids"),
        ("normalizer", {"type": "NFC"}, "`type` of the normalizer.*'NFC'"),
        ("normalizer", {"clean_text": False}, "`clean_text`.*True.*False"),
        ("normalizer", {"handle_chinese_chars": False}, "tokenize_chinese"),
        ("normalizer", None, "`type` of the normalizer.*None"),
        ("added_tokens", [_entry("x") | {"single_word": True, "id": 1}], "'x'"),
    ],
)
def test_other_rules_of_a_file_are_refused(part, change, received, tmp_path):
    values = json.loads(_peer().to_str())
    is_changed = isinstance(change, dict)
    values[part] = values[part] | change if is_changed else change
    (tmp_path / "vocab.txt").write_text("\n".join(_PIECES) + "\n")
    (tmp_path / "tokenizer.json").write_text(json.dumps(values))
    with pytest.raises(ValueError, match=received):
        _read(tmp_path)


def test_the_file_limits_the_length_of_words(tmp_path):
    _peer().save(str(tmp_path / "tokenizer.json"))
    assert _read(tmp_path).max_chars_per_word == 9
    (unknown,) = _read(tmp_path).make()(["x" * 10]).to_list()
    assert unknown == [1]


_TWICE = (*SPECIAL_TOKENS, "the", "cat", "the", "##s", "", "")


@pytest.mark.parametrize("form", ["vocab.txt", "tokenizer.json"])
def test_the_last_of_equal_lines_counts(form, tmp_path, caplog):
    if form == "vocab.txt":
        (tmp_path / form).write_text("\n".join(_TWICE) + "\n")
        (tmp_path / "tokenizer_config.json").write_text(
            json.dumps({"do_lower_case": True})
        )
    else:  # transformers 5 writes no vocab.txt.
        _peer(_TWICE).save(str(tmp_path / form))
    settings = _read(tmp_path)
    assert len(settings.vocabulary) == len(_TWICE)
    assert "more than once" in caplog.text
    texts = ["the cats", "thes"]
    theirs = _peer(_TWICE).encode_batch(texts, add_special_tokens=False)
    rows = settings.make()(texts).to_list()
    assert rows == [x.ids for x in theirs] == [[7, 6, 8], [7, 8]]
    settings.write(tmp_path)
    assert _read(tmp_path).vocabulary.sha256 == settings.vocabulary.sha256


def test_a_graph_finds_added_tokens(in_tf_data):
    vocabulary = Vocabulary([*_PIECES, "[E2]"])
    added = [AddedToken("[E2]", is_special=False)]
    tokenizer = BertTokenizer(vocabulary, added_tokens=added)
    texts = ["the [e2]cats", "", "[E2]"]
    wanted = [[5, 28, 6, 7], [], [28]]
    assert in_tf_data(tokenizer, texts).to_list() == wanted
    assert tokenizer(tf.constant(texts)).to_list() == wanted
