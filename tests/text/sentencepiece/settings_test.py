"""Directories with a SentencePiece tokenizer, read and written."""

import json
import shutil

import pytest
import tokenizers

from keras_bert.text.normalization.normalizers import GOOGLE_RESEARCH
from keras_bert.text.normalization.normalizers import HUGGING_FACE
from keras_bert.text.normalization.normalizers import NORMALIZERS
from keras_bert.text.sentencepiece.settings import SentencePieceSettings
from keras_bert.text.tokenizer_settings import identifying_settings


@pytest.fixture
def directory(spiece_file, tmp_path):
    shutil.copy(spiece_file, tmp_path / "spiece.model")
    return tmp_path


def _settings(directory, **values):
    (directory / "tokenizer_config.json").write_text(json.dumps(values))


@pytest.mark.parametrize("name", ["spiece.model", "30k-clean.model"])
def test_a_model_is_enough(directory, name):
    (directory / "spiece.model").rename(directory / name)
    settings = SentencePieceSettings.read(directory)
    assert settings.lowercase and len(settings.vocabulary) == 400


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"keep_accents": True}, "`keep_accents` must be false"),
        ({"do_lower_case": "yes"}, "`lowercase` must be True or False.*'yes'"),
        ({"cls_token": "<s>"}, r"must be .*\[CLS\].*Received: .*<s>"),
        ({"mask_token": {"content": "<m>"}}, r"\[MASK\].*Received: .*<m>"),
    ],
)
def test_settings_that_the_graph_has_not_are_errors(directory, values, message):
    _settings(directory, **values)
    with pytest.raises(ValueError, match=message):
        SentencePieceSettings.read(directory)


def test_casings_that_disagree_are_an_error(directory):
    _settings(directory, do_lower_case=False)
    assert SentencePieceSettings.read(directory).lowercase is False
    with pytest.raises(ValueError, match="must be the same in all files"):
        SentencePieceSettings.read(directory, lowercase=True)


def _save(directory, lowercase=True, normalizer=GOOGLE_RESEARCH):
    vocabulary = SentencePieceSettings.read(directory).vocabulary
    settings = SentencePieceSettings(
        vocabulary, lowercase, normalizer=normalizer
    )
    settings.write(directory)
    return settings


def _change_json(directory, change):
    path = directory / "tokenizer.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    change(values)
    path.write_text(json.dumps(values), encoding="utf-8")


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("normalizer", NORMALIZERS)
def test_what_is_saved_is_read_back_here_and_there(
    directory, normalizer, lowercase
):
    settings = _save(directory, lowercase, normalizer)
    again = SentencePieceSettings.read(directory)
    assert identifying_settings(again) == identifying_settings(settings)
    assert again.vocabulary.sha256 == settings.vocabulary.sha256
    values = json.loads((directory / "tokenizer_config.json").read_text())
    assert values["tokenizer_class"] == "AlbertTokenizer"
    # A `tokenizer.json` is enough.
    (directory / "spiece.model").unlink()
    (directory / "tokenizer_config.json").unlink()
    again = SentencePieceSettings.read(directory)
    assert identifying_settings(again) == identifying_settings(settings)
    assert again.vocabulary.tokens == settings.vocabulary.tokens

    peer = tokenizers.Tokenizer.from_file(str(directory / "tokenizer.json"))
    texts = [
        "The (model) is ``a'' naïve ﬁle,\u200b日本.",
        "of [MASK] model",
        "the\u0903 ''' the\x0bmodel\x1ca",
    ]
    rows = again.make().with_special_tokens()(texts).to_list()
    assert rows == settings.make().with_special_tokens()(texts).to_list()
    for text, ids in zip(texts, rows, strict=True):
        assert peer.encode(text, add_special_tokens=False).ids == ids
    pair = peer.encode("a", "the")
    assert pair.tokens == ["[CLS]", "▁a", "[SEP]", "▁the", "[SEP]"]
    assert pair.type_ids == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("change", "received"),
    [
        (lambda v: v["model"].update(type="BPE"), "a model of type BPE"),
        (lambda v: v["model"].update(vocab=[1]), "."),
        (lambda v: v.update(normalizer=None), "."),
        (
            lambda v: v["normalizer"].update(normalizers=[{"type": "NFKC"}]),
            "a normalizer with the steps NFKC; supported steps",
        ),
        (
            lambda v: v["normalizer"]["normalizers"].pop(0),
            "the steps Replace, NFKD, StripAccents, Lowercase;",
        ),
        (
            lambda v: v["pre_tokenizer"]["pretokenizers"].pop(1),
            "a pre-tokenizer of WhitespaceSplit",
        ),
        (
            lambda v: v["pre_tokenizer"]["pretokenizers"][1].update(
                prepend_scheme="never"
            ),
            "does not mark the first word",
        ),
    ],
)
def test_another_tokenizer_json_is_an_error(directory, change, received):
    _save(directory, normalizer=HUGGING_FACE)
    (directory / "spiece.model").unlink()
    _change_json(directory, change)
    with pytest.raises(
        ValueError, match=f"tokenizer.json must contain a Unigram.*{received}"
    ):
        SentencePieceSettings.read(directory)


def test_files_of_two_tokenizers_are_an_error(directory):
    _save(directory)
    _change_json(
        directory, lambda v: v["model"]["vocab"].append(["newer", -1.0])
    )
    with pytest.raises(ValueError, match="must have the same tokens.*401.*400"):
        SentencePieceSettings.read(directory)


def test_a_missing_or_broken_model_is_named(directory):
    path = directory / "spiece.model"
    path.write_bytes(b"version https://git-lfs")
    with pytest.raises(ValueError, match="spiece.model is not a complete"):
        SentencePieceSettings.read(directory)
    path.unlink()
    with pytest.raises(ValueError, match="must contain a spiece.model"):
        SentencePieceSettings.read(directory)
