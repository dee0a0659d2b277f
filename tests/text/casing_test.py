import json

import pytest

from keras_bert.files.outputs import new_file
from keras_bert.text.casing import agreed_casing
from keras_bert.text.casing import casing_from_files
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS
from keras_bert.text.wordpiece.vocabulary import Vocabulary

_LOWER = Vocabulary([*SPECIAL_TOKENS, "word"])
_CASED = Vocabulary([*SPECIAL_TOKENS, "word", "Word"])


@pytest.mark.parametrize("answer", [True, False])
def test_all_that_tell_must_agree(answer):
    answers = {"--do_lower_case": answer, "a.json": None, "b.json": answer}
    assert agreed_casing(_LOWER, answers) is answer
    with pytest.raises(
        ValueError, match="--do_lower_case says (true|false), b.json says"
    ):
        agreed_casing(_LOWER, {**answers, "b.json": not answer})


def test_nothing_is_told_by_the_look_of_a_vocabulary():
    for vocabulary in (_LOWER, _CASED):
        with pytest.raises(ValueError, match="No file says.*Searched: a.json"):
            agreed_casing(vocabulary, {"a.json": None})
    assert agreed_casing(_LOWER, {}, default=True) is True


def test_a_cased_vocabulary_with_lower_casing_is_warned_of(caplog):
    agreed_casing(_LOWER, {"--do_lower_case": True})
    agreed_casing(_CASED, {"--do_lower_case": False})
    assert not caplog.records
    agreed_casing(_CASED, {"--do_lower_case": True})
    assert "upper-case letters" in caplog.text


def test_the_published_table_answers_and_says_so(caplog, monkeypatch):
    table = {_CASED.sha256: ("the Chinese models", True)}
    monkeypatch.setattr("keras_bert.text.casing._PUBLISHED", table)
    with caplog.at_level("INFO"):
        assert agreed_casing(_CASED, {}, default=False) is True
    (record,) = caplog.records
    assert "the Chinese models, which lower-case texts" in record.getMessage()
    assert agreed_casing(_CASED, {"--do_lower_case": False}) is False


def test_what_stands_beside_a_vocabulary_is_read(tmp_path):
    path = tmp_path / "vocab.txt"
    assert casing_from_files(path) == {}
    _LOWER.save(path)
    assert casing_from_files(path) == {}
    settings = tmp_path / "tokenizer_config.json"
    settings.write_text(json.dumps({"do_lower_case": False}))
    assert casing_from_files(path) == {str(settings): False}
    _LOWER.save(tmp_path / "other.txt")
    assert casing_from_files(tmp_path / "other.txt") == {}
    settings.write_text("[")
    with pytest.raises(ValueError, match="tokenizer_config.json: not a JSON"):
        casing_from_files(path)


def test_the_manifest_of_a_vocabulary_comes_first(tmp_path):
    path = tmp_path / "vocab.txt"
    with new_file(path, {"do_lower_case": True}) as name:
        _LOWER.save(name)
    manifest = tmp_path / "manifest-vocab.txt.json"
    assert casing_from_files(path) == {str(manifest): True}
    _CASED.save(path)
    with pytest.raises(ValueError, match="vocab.txt has changed"):
        casing_from_files(path)
