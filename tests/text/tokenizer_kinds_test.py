import dataclasses
import json
import pickle

import pytest

from keras_bert.text.tokenizer_kinds import KINDS
from keras_bert.text.tokenizer_kinds import kind_of_directory
from keras_bert.text.tokenizer_kinds import kind_of_file
from keras_bert.text.tokenizer_kinds import settings_from_json
from keras_bert.text.tokenizer_kinds import vocabulary_of_file
from keras_bert.text.tokenizer_settings import identifying_settings
from keras_bert.text.wordpiece.settings import WordpieceSettings
from keras_bert.text.wordpiece.vocabulary import Vocabulary

_WORDPIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "##b")


@pytest.fixture
def byte_bpe(make_settings):
    return make_settings("byte_bpe")


@pytest.mark.parametrize(
    "name, kind",
    [
        ("my_words.txt", "wordpiece"),
        ("vocab.json", "byte_bpe"),
        ("merges.txt", "byte_bpe"),
        ("spiece.model", "sentencepiece"),
        ("30k-clean.model", "sentencepiece"),
    ],
)
def test_a_file_tells_its_kind_by_its_name(name, kind):
    assert kind_of_file(f"some/where/{name}") is KINDS[kind]


def test_the_model_of_a_tokenizer_json_tells_its_kind(tmp_path):
    path = tmp_path / "tokenizer.json"
    for type, kind in (("BPE", "byte_bpe"), ("Unigram", "sentencepiece")):
        path.write_text(json.dumps({"model": {"type": type}}))
        assert kind_of_file(str(path)) is KINDS[kind]
    for values in ({"model": {"type": "WordPiece"}}, {"model": None}):
        path.write_text(json.dumps(values))
        with pytest.raises(ValueError, match="of a BPE or Unigram model"):
            kind_of_file(str(path))


def test_settings_are_read_from_the_directory_of_a_file(byte_bpe, tmp_path):
    byte_bpe.write(tmp_path)
    for name in ("vocab.json", "merges.txt"):
        path = str(tmp_path / name)
        assert vocabulary_of_file(path).tokens == byte_bpe.vocabulary.tokens
        settings = kind_of_file(path).for_corpus(path, None)
        assert settings.merges == byte_bpe.merges


def test_a_casing_of_byte_level_bpe_is_refused(byte_bpe, tmp_path):
    byte_bpe.write(tmp_path)
    kind, path = KINDS["byte_bpe"], str(tmp_path / "vocab.json")
    assert kind.casing(path, {"--do_lower_case": None, "a": None}) is None
    with pytest.raises(ValueError, match="Received: --do_lower_case=False for"):
        kind.casing(path, {"a": None, "--do_lower_case": False})
    with pytest.raises(ValueError, match="Received: lowercase=True for"):
        kind.read(tmp_path, lowercase=True)
    with pytest.raises(ValueError, match="Received: do_lower_case=True for"):
        kind.lowercased(byte_bpe)


def test_what_is_told_is_short(byte_bpe):
    wordpiece = WordpieceSettings(Vocabulary(_WORDPIECES), lowercase=False)
    assert identifying_settings(wordpiece) == {
        "kind": "wordpiece",
        "lowercase": False,
        "strip_accents": False,
        "tokenize_chinese_chars": True,
        "max_chars_per_word": 200,
        "special_tokens_in_text": False,
    }
    found = identifying_settings(byte_bpe)
    assert len(found.pop("merges")) == len(found.pop("added_tokens")) == 64
    assert found == {
        "kind": "byte_bpe",
        "add_prefix_space": True,
        "special_tokens_in_text": False,
        "normalizer": None,
    }
    assert KINDS["wordpiece"].facts(wordpiece) == {"do_lower_case": False}
    assert KINDS["byte_bpe"].described(byte_bpe) == (
        "`kind`: byte_bpe, `add_prefix_space`: True, "
        "`special_tokens_in_text`: False, `normalizer`: None"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_settings_survive_files_packing_and_pickling(
    kind, make_settings, tmp_path
):
    settings = dataclasses.replace(
        make_settings(kind), special_tokens_in_text=True
    )
    settings.write(tmp_path)
    assert kind_of_directory(tmp_path, "wordpiece") == kind
    values = json.loads(json.dumps(settings.to_json()))
    for again in (
        KINDS[kind].read(tmp_path, 200),
        settings_from_json(values),
        pickle.loads(pickle.dumps(settings)),  # Beam sends it to workers.
    ):
        assert type(again) is type(settings)
        assert identifying_settings(again) == identifying_settings(settings)
        assert again.vocabulary.tokens == settings.vocabulary.tokens
    # The texts of a corpus are plain.
    path = tmp_path / KINDS[kind].files[0]
    casing = kind_of_file(path).casing(path, {}, default=True)
    of_corpus = kind_of_file(path).for_corpus(path, casing)
    assert of_corpus.special_tokens_in_text is False


def test_a_file_cannot_leave_its_directory(byte_bpe, tmp_path):
    values = byte_bpe.to_json()
    files = {f"../../{name}": x for name, x in values["files"].items()}
    again = settings_from_json({**values, "files": files})
    assert again.merges == byte_bpe.merges


@pytest.mark.parametrize(
    "files, default, kind",
    [
        ({}, "sentencepiece", "sentencepiece"),
        ({"vocab.txt": ""}, "sentencepiece", "wordpiece"),
        ({"30k-clean.model": ""}, "wordpiece", "sentencepiece"),
        ({"vocab.json": "", "merges.txt": ""}, "wordpiece", "byte_bpe"),
        ({"vocab.txt": "", "vocab.json": ""}, "byte_bpe", "byte_bpe"),
        ({"tokenizer.json": "BPE"}, "wordpiece", "byte_bpe"),
        ({"tokenizer.json": "WordPiece"}, "sentencepiece", "wordpiece"),
        ({"vocab.txt": "", "tokenizer.json": "BPE"}, "byte_bpe", "wordpiece"),
    ],
)
def test_the_files_of_a_directory_decide_of_the_kind(
    files, default, kind, tmp_path
):
    for name, model in files.items():
        content = json.dumps({"model": {"type": model}}) if model else ""
        (tmp_path / name).write_text(content)
    assert kind_of_directory(tmp_path, default) == kind


def test_a_broken_tokenizer_json_is_named(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(ValueError, match="tokenizer.json: not a JSON file"):
        kind_of_directory(tmp_path, "wordpiece")
