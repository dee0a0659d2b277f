"""ModernBERT's tokenizer format compared with Hugging Face `tokenizers`."""

import json
import random

import pytest
import tokenizers

from keras_bert.text import BytePairTokenizer
from keras_bert.text.base_vocabulary import AddedToken
from keras_bert.text.bpe.byte_settings import BytePairSettings
from keras_bert.text.bpe.byte_vocabulary import ROLES
from keras_bert.text.bpe.byte_vocabulary import BytePairVocabulary
from keras_bert.text.bpe.byte_vocabulary import byte_characters
from keras_bert.text.tokenizer_kinds import KINDS
from tests.text.kinds_test import compare

_NO_UTF_8 = (0xC0, 0xC1, *range(0xF5, 0x100))
_CHARACTERS = [c for n, c in enumerate(byte_characters()) if n not in _NO_UTF_8]
_PARTS = (
    *(" ", "  ", "   ", " " * 24, " " * 25, "\t", "\n", "\u3000", "\xa0"),
    *("a", "the", " the", "e", "é", "e\u0301", "\u0301", "\u0323", "\u0308"),
    *("中", "日本", "😀", "\0", "\x07", "\u200b", "한", "ᄀ", "ᅡ", "ᆨ", "가"),
    *("[MASK]", " [MASK]", "[SEP]", "[mask]", "[unused3]", "[unused12]"),
    *("<|endoftext|>", "<|padding|>", "|||IP|||", "|||IP", "'s", "'ll", "1"),
    *("\u09c7", "\u09be", "\u212b", "\u0344", "\u0958", "ﬁ", "𝐌", ".", "!!"),
)


@pytest.fixture(scope="module")
def values(byte_pair):
    """Return the contents of such a tokenizer.json."""
    made = map("".join, byte_pair.merges)
    tokens = ["|||IP|||", "<|padding|>", *_CHARACTERS, *made]
    ids = {token: number for number, token in enumerate(tokens)}
    peer = tokenizers.Tokenizer(tokenizers.models.BPE(ids, byte_pair.merges))
    peer.normalizer = tokenizers.normalizers.NFC()
    peer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(False)
    peer.add_tokens(["|||IP|||", *(" " * n for n in range(24, 1, -1))])
    special = ["<|padding|>", "<|endoftext|>", "[UNK]", "[CLS]", "[SEP]"]
    peer.add_special_tokens([*special, "[PAD]"])
    peer.add_special_tokens([tokenizers.AddedToken("[MASK]", lstrip=True)])
    peer.add_tokens([f"[unused{n}]" for n in range(14)])
    return json.loads(peer.to_str())


def _write(directory, values):
    text = json.dumps(values, ensure_ascii=False)
    (directory / "tokenizer.json").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def directory(values, tmp_path_factory):
    directory = tmp_path_factory.mktemp("modern")
    _write(directory, values)
    return directory


@pytest.fixture(scope="module")
def plain(directory):
    return BytePairSettings.read(directory).make()


@pytest.fixture(scope="module")
def finding(plain):
    return plain.with_special_tokens()


def _peer(directory, finds):
    peer = tokenizers.Tokenizer.from_file(str(directory / "tokenizer.json"))
    # Like ours, it excludes spaces from spans.
    peer.post_processor = tokenizers.processors.ByteLevel(
        add_prefix_space=False, trim_offsets=True
    )
    peer.encode_special_tokens = not finds
    return peer


def _check(tokenizer, directory, texts):
    peer = _peer(directory, tokenizer.settings.special_tokens_in_text)
    rows = tokenizer.tokenize_with_offsets([text.encode() for text in texts])
    compare(peer, "byte_bpe", texts, rows)


def _texts(number):
    choose = random.Random(19)
    return [
        "".join(choose.choices(_PARTS, k=choose.randint(1, 12)))
        for _ in range(number)
    ]


@pytest.mark.parametrize("finds", [False, True])
def test_texts_give_the_same(plain, finding, directory, finds):
    texts = [" " * n + "a" + " " * (60 - n) for n in range(60)]
    texts += ["[MASK]\u0301", "a\t [MASK]  [MASK]", "e[SEP]\u0301", ""]
    _check(finding if finds else plain, directory, texts + _texts(1500))


def test_what_is_saved_is_read_again_here_and_there(plain, directory, tmp_path):
    settings = plain.settings
    settings.write(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        *KINDS["byte_bpe"].files
    }
    again = BytePairSettings.read(tmp_path)
    for one, other in (
        (again, settings),
        (BytePairSettings.read(directory), again),
    ):
        assert one.vocabulary.tokens == other.vocabulary.tokens
        assert one.vocabulary.roles == other.vocabulary.roles
        assert (one.merges, one.normalizer) == (other.merges, "NFC")
        assert {*one.added_tokens} == {*other.added_tokens}
    config = json.loads((tmp_path / "tokenizer_config.json").read_text())
    assert config["mask_token"] == "[MASK]"
    assert config["tokenizer_class"] == "PreTrainedTokenizerFast"
    peer = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert peer.encode("a", "1").tokens == ["[CLS]", "a", "[SEP]", "1", "[SEP]"]
    peer.encode_special_tokens = True
    for text, ids in zip(_texts(300), plain(_texts(300)).to_list()):
        assert peer.encode(text, add_special_tokens=False).ids == ids


def test_roles_are_those_of_the_file(plain, values, tmp_path):
    roles = {**ROLES, "mask": "[MASK]", "cls": "[CLS]", "sep": "[SEP]"}
    roles |= {"pad": "[PAD]", "unknown": "[UNK]"}
    assert plain.vocabulary.roles == roles
    _write(tmp_path, values)
    config = {"pad_token": "<|padding|>", "bos_token": "<|endoftext|>"}
    path = tmp_path / "tokenizer_config.json"
    path.write_text(json.dumps(config))
    vocabulary = BytePairSettings.read(tmp_path).vocabulary
    assert vocabulary.roles == {**roles, "pad": "<|padding|>"}


def test_no_byte_is_lost(plain):
    unknown = plain.vocabulary.unk_id
    text = b"e\xc0\xcc\x81 \xff  \x80"
    ids, starts, ends = plain.tokenize_with_offsets([text])
    tokens = [plain.vocabulary.tokens[n] for n in ids.to_list()[0]]
    assert tokens == ["e", "[UNK]", "Ì", "ģ", "Ġ", "[UNK]", "  ", "Ģ"]
    assert unknown in ids.to_list()[0]
    assert [*zip(starts.to_list()[0], ends.to_list()[0])] == [
        *((0, 1), (1, 2), (2, 4), (2, 4), (5, 5), (5, 6), (8, 8), (8, 9))
    ]
    assert (
        plain.detokenize(plain(["a   b [SEP]"]).to_list()[0]) == "a   b [SEP]"
    )


def test_the_longest_is_found_from_the_left():
    found = ["ab", "aba", "b", "bbab", "aabb", "abaab"]
    added = [AddedToken(text, is_special=False) for text in found]
    tokens = [*ROLES.values(), *_CHARACTERS, *found[:2], *found[3:]]
    vocabulary = BytePairVocabulary(tokens)
    tokenizer = BytePairTokenizer(vocabulary, [], added_tokens=added)
    ids = {token: number for number, token in enumerate(tokens)}
    peer = tokenizers.Tokenizer(tokenizers.models.BPE(ids, []))
    peer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(False)
    peer.add_tokens([tokenizers.AddedToken(text) for text in found])
    choose = random.Random(3)
    texts = [
        "".join(choose.choices("abc", k=choose.randint(0, 40)))
        for _ in range(500)
    ]
    texts.append("abaab" * 3000)
    assert tokenizer(texts).to_list() == [
        encoding.ids for encoding in peer.encode_batch(texts)
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rstrip": True}, "`rstrip` of the added token 'x' must be False"),
        ({"single_word": True}, "`single_word`.*Received: True"),
        ({"normalized": False}, "`normalized`.*must be True"),
        ({"special": True}, "`normalized`.*must be False. Received: True"),
    ],
)
def test_another_way_of_finding_is_an_error(values, tmp_path, change, message):
    added = {**values["added_tokens"][0], "content": "x", **change}
    _write(tmp_path, {**values, "added_tokens": [added]})
    with pytest.raises(ValueError, match=message) as error:
        BytePairSettings.read(tmp_path)
    assert "tokenizer.json" in str(error.value)
