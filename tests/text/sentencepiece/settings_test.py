"""Directories with a SentencePiece tokenizer, read and written."""

import json
import shutil
import subprocess
import sys

import pytest

from keras_bert.text.normalization.normalizers import GOOGLE_RESEARCH
from keras_bert.text.normalization.normalizers import HUGGING_FACE
from keras_bert.text.normalization.normalizers import NORMALIZERS
from keras_bert.text.sentencepiece.settings import SentencePieceSettings
from keras_bert.text.sentencepiece.vocabulary import SentencePieceVocabulary


@pytest.fixture
def directory(spiece_file, tmp_path):
    shutil.copy(spiece_file, tmp_path / "spiece.model")
    return tmp_path


def _settings(directory, **values):
    (directory / "tokenizer_config.json").write_text(json.dumps(values))


def test_a_model_is_enough(directory):
    settings = SentencePieceSettings.read(directory)
    assert settings.lowercase and len(settings.vocabulary) == 400


def test_the_download_of_google_research_is_read(directory):
    (directory / "spiece.model").rename(directory / "30k-clean.model")
    assert len(SentencePieceSettings.read(directory).vocabulary) == 400


@pytest.mark.parametrize("lowercase", [True, False])
def test_what_is_saved_is_read_back(spiece_file, tmp_path, lowercase):
    vocabulary = SentencePieceVocabulary.from_file(spiece_file)
    SentencePieceSettings(vocabulary, lowercase).write(tmp_path)
    settings = SentencePieceSettings.read(tmp_path)
    assert settings.lowercase is lowercase
    assert settings.vocabulary.sha256 == vocabulary.sha256
    values = json.loads((tmp_path / "tokenizer_config.json").read_text())
    assert values["tokenizer_class"] == "AlbertTokenizer"
    assert settings.make().settings == settings


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
def test_a_tokenizer_json_is_enough(directory, normalizer, lowercase):
    settings = _save(directory, lowercase, normalizer)
    assert SentencePieceSettings.read(directory).normalizer == normalizer
    (directory / "spiece.model").unlink()
    (directory / "tokenizer_config.json").unlink()
    again = SentencePieceSettings.read(directory)
    assert again.lowercase is lowercase
    assert again.normalizer == normalizer
    assert again.vocabulary.tokens == settings.vocabulary.tokens
    texts = ["The (model) is ``a'' naïve ﬁle,\u200b日本. [MASK] 😀 \u0903"]
    ours, theirs = (x.make()(texts) for x in (settings, again))
    assert ours.to_list() == theirs.to_list()


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("normalizer", NORMALIZERS)
def test_the_library_cuts_as_we_do_by_our_tokenizer_json(
    directory, normalizer, lowercase
):
    tokenizers = pytest.importorskip("tokenizers")
    settings = _save(directory, lowercase, normalizer)
    peer = tokenizers.Tokenizer.from_file(str(directory / "tokenizer.json"))
    texts = [
        "The (model) is ``a'' naïve ﬁle,\u200b日本.",
        "of [MASK] model",
        "the\u0903 ''' the\x0bmodel\x1ca",
    ]
    tokenizer = settings.make().with_special_tokens()
    for text, ids in zip(texts, tokenizer(texts).to_list(), strict=True):
        assert peer.encode(text, add_special_tokens=False).ids == ids
    pair = peer.encode("a", "the")
    assert pair.tokens == ["[CLS]", "▁a", "[SEP]", "▁the", "[SEP]"]
    assert pair.type_ids == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("change", "received"),
    [
        (lambda v: v["model"].update(type="BPE"), "a model of type BPE"),
        (lambda v: v["model"].update(vocab=[1]), "."),
        (lambda v: v.pop("model"), "'type'|None"),
        (lambda v: v.update(normalizer=None), "."),
        (
            lambda v: v.update(normalizer={"type": "NFC"}),
            "a normalizer of NFC; supported: Replace",
        ),
        (
            lambda v: v["normalizer"].update(normalizers=[{"type": "NFKC"}]),
            "a normalizer of NFKC; supported: Replace",
        ),
        (
            lambda v: v["normalizer"]["normalizers"].pop(0),
            "a normalizer of Replace, NFKD, StripAccents, Lowercase;",
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


def test_a_directory_without_a_model_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="must contain a spiece.model"):
        SentencePieceSettings.read(tmp_path)


def test_a_broken_model_is_named(directory):
    (directory / "spiece.model").write_bytes(b"version https://git-lfs")
    with pytest.raises(ValueError, match="spiece.model is not a complete"):
        SentencePieceSettings.read(directory)


def test_reading_needs_no_tensorflow(directory):
    program = (
        "import pathlib, sys\n"
        "from keras_bert.text.sentencepiece import settings\n"
        "settings.SentencePieceSettings.read(pathlib.Path(sys.argv[1]))\n"
        "print(sorted({'tensorflow', 'sentencepiece'} & {*sys.modules}))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, directory],
        capture_output=True,
        text=True,
    )
    assert result.stdout == "[]\n", result.stderr
