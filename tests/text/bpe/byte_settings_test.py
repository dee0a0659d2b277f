"""Files read and written, and their errors."""

import json

import pytest

from keras_bert.text.bpe.byte_settings import BytePairSettings
from keras_bert.text.bpe.byte_vocabulary import SPECIAL_TOKENS
from keras_bert.text.bpe.byte_vocabulary import BytePairVocabulary
from keras_bert.text.bpe.byte_vocabulary import byte_characters

_MERGES = (("t", "h"), ("th", "e"))
_TOKENS = (*SPECIAL_TOKENS, *byte_characters(), "th", "the", "other")


@pytest.fixture
def directory(tmp_path):
    BytePairSettings(BytePairVocabulary(_TOKENS), _MERGES).write(tmp_path)
    return tmp_path


def _fast(**changes):
    """Return a tokenizer.json with changes by "part" or "part.key"."""
    tokens = {token: index for index, token in enumerate(_TOKENS)}
    added = [
        {"id": tokens[token], "content": token, "special": True}
        for token in SPECIAL_TOKENS
    ]
    values = {
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "vocab": tokens,
            "merges": ["t h", "th e"],
        },
    }
    for name, value in changes.items():
        part, _, key = name.partition("__")
        if key:
            values[part][key] = value
        else:
            values[part] = value
    return values


@pytest.mark.parametrize("add_prefix_space", [False, True])
def test_what_is_saved_is_read_again(tmp_path, add_prefix_space):
    vocabulary = BytePairVocabulary(_TOKENS)
    BytePairSettings(vocabulary, _MERGES, add_prefix_space).write(tmp_path)
    path = tmp_path / "merges.txt"  # Lines may end as on Windows.
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    again = BytePairSettings.read(tmp_path)
    assert again.vocabulary.sha256 == vocabulary.sha256
    assert again.merges == _MERGES
    assert again.add_prefix_space is add_prefix_space


@pytest.mark.parametrize("as_lists", [False, True])
def test_a_tokenizer_json_is_enough(tmp_path, as_lists):
    merges = [[*merge] if as_lists else " ".join(merge) for merge in _MERGES]
    values = _fast(model__merges=merges)
    (tmp_path / "tokenizer.json").write_text(json.dumps(values))
    settings = BytePairSettings.read(tmp_path)
    assert settings.vocabulary.tokens == _TOKENS
    assert settings.merges == _MERGES
    assert settings.add_prefix_space


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model__type": "Unigram"}, "`type` of the model.*'Unigram'"),
        ({"model": None}, "model with a vocabulary.*None"),
        ({"normalizer": {"type": "NFKC"}}, "`normalizer` must be.*NFC.*NFKC"),
        ({"pre_tokenizer": {"type": "Metaspace"}}, "Received: 'Metaspace'"),
        ({"pre_tokenizer__use_regex": False}, "`use_regex`.*Received: False"),
        ({"model__ignore_merges": True}, "`ignore_merges`.*Received: True"),
        ({"model__dropout": 0.1}, "`dropout`.*Received: 0.1"),
        ({"model__end_of_word_suffix": "</w>"}, "end_of_word_suffix.*</w>"),
        ({"model__merges": ["t h", "t h e"]}, "Merge 2 of 2.*'t h e'"),
    ],
)
def test_another_tokenizer_is_an_error(tmp_path, changes, message):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(_fast(**changes)))
    with pytest.raises(ValueError, match=message) as error:
        BytePairSettings.read(tmp_path)
    assert str(tmp_path) in str(error.value)


def _without(token):
    tokens = [text for text in _TOKENS if text != token]
    return json.dumps({text: index for index, text in enumerate(tokens)})


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("vocab.json", "[]", "JSON object"),
        ("vocab.json", "\x00\xff", "not a JSON file"),
        ("vocab.json", '{"a": 1, "b": 1}', "a unique integer id"),
        ("vocab.json", '{"a": "0"}', "a unique integer id"),
        ("vocab.json", '{"a": 1099511627776}', "integer id.*below 65537"),
        ("vocab.json", '{"a": 0}', "Missing: <pad>"),
        ("vocab.json", _without("Ġ"), "243 bytes.*1.*'Ġ'"),
        ("vocab.json", _without("the"), "Merge 2 of 2.*'th e'"),
        ("merges.txt", None, "vocab.json and merges.txt"),
        ("merges.txt", "t h\n\xffh e\n", "merges.txt.*0xff at offset 4"),
        ("merges.txt", "t h\nthe\n", "two tokens.*'the' in line 2"),
        ("merges.txt", "#version: 0.2\nt h\n\nth e", "'' in line 3"),
        ("merges.txt", "th e\nt h\n", "Merge 1 of 2.*earlier.*'th e'"),
        ("merges.txt", "t h\nt h\n", "Merge 2 of 2.*new token.*'t h'"),
        ("merges.txt", "o t\n", "Merge 1 of 1.*vocabulary.*'o t'"),
        ("tokenizer_config.json", '{"pad_token": "[PAD]"}', "Missing: .PAD"),
        ("tokenizer_config.json", '{"add_prefix_space": 3}', "space=3"),
    ],
)
def test_a_wrong_file_is_named(directory, name, content, message):
    path = directory / name
    path.unlink()
    if content is not None:
        encoding = "latin-1" if "\xff" in content else "utf-8"
        path.write_bytes(content.encode(encoding))
    with pytest.raises(ValueError, match=message) as error:
        BytePairSettings.read(directory)
    assert str(directory) in str(error.value)


def test_special_tokens_may_be_written_out(directory):
    token = {"content": "<mask>", "lstrip": True}
    settings = json.dumps({"mask_token": token, "add_prefix_space": None})
    (directory / "tokenizer_config.json").write_text(settings)
    assert not BytePairSettings.read(directory).add_prefix_space
