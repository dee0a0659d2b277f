"""Directories that hold a SentencePiece tokenizer, in and out."""

import json
import shutil
import subprocess
import sys

import pytest

from keras_bert.text.normalization.normalizers import GOOGLE_RESEARCH
from keras_bert.text.normalization.normalizers import HUGGING_FACE
from keras_bert.text.normalization.normalizers import NORMALIZERS
from keras_bert.text.sentencepiece.settings import SentencePieceSettings
from keras_bert.text.sentencepiece.settings import read_sentencepiece
from keras_bert.text.sentencepiece.vocabulary import SentencePieceVocabulary


@pytest.fixture
def directory(spiece_file, tmp_path):
    shutil.copy(spiece_file, tmp_path / "spiece.model")
    return tmp_path


def _settings(directory, **values):
    (directory / "tokenizer_config.json").write_text(json.dumps(values))


def test_a_model_is_enough(directory):
    settings = read_sentencepiece(directory)
    assert settings.lowercase and len(settings.vocabulary) == 400


def test_the_download_of_google_research_is_read(directory):
    (directory / "spiece.model").rename(directory / "30k-clean.model")
    assert len(read_sentencepiece(directory).vocabulary) == 400


@pytest.mark.parametrize("lowercase", [True, False])
def test_what_is_saved_is_read_back(spiece_file, tmp_path, lowercase):
    vocabulary = SentencePieceVocabulary.from_file(spiece_file)
    SentencePieceSettings(vocabulary, lowercase).save(tmp_path)
    settings = read_sentencepiece(tmp_path)
    assert settings.lowercase is lowercase
    assert settings.vocabulary.sha256 == vocabulary.sha256
    values = json.loads((tmp_path / "tokenizer_config.json").read_text())
    assert values["tokenizer_class"] == "AlbertTokenizer"
    assert settings.tokenizer().settings == settings


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"keep_accents": True}, "`keep_accents` must be false"),
        ({"do_lower_case": "yes"}, "`do_lower_case`.*Received: 'yes'"),
        ({"cls_token": "<s>"}, "`cls_token` must be .CLS.. Received: '<s>'"),
        ({"mask_token": {"content": "<m>"}}, "`mask_token`.*Received: '<m>'"),
    ],
)
def test_settings_that_the_graph_has_not_are_errors(directory, values, message):
    _settings(directory, **values)
    with pytest.raises(ValueError, match=f"tokenizer_config.json: {message}"):
        read_sentencepiece(directory)


def test_casings_that_disagree_are_an_error(directory):
    _settings(directory, do_lower_case=False)
    assert read_sentencepiece(directory).lowercase is False
    with pytest.raises(ValueError, match="must be the same everywhere"):
        read_sentencepiece(directory, lowercase=True)


def _save(directory, lowercase=True, normalizer=GOOGLE_RESEARCH):
    vocabulary = read_sentencepiece(directory).vocabulary
    settings = SentencePieceSettings(vocabulary, lowercase, normalizer)
    settings.save(directory)
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
    assert read_sentencepiece(directory).normalizer == normalizer
    (directory / "spiece.model").unlink()
    (directory / "tokenizer_config.json").unlink()
    again = read_sentencepiece(directory)
    assert again.lowercase is lowercase
    assert again.normalizer == normalizer
    assert again.vocabulary.tokens == settings.vocabulary.tokens
    texts = ["The (model) is ``a'' naïve ﬁle,\u200b日本. [MASK] 😀 \u0903"]
    ours, theirs = (x.tokenizer()(texts) for x in (settings, again))
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
    tokenizer = settings.tokenizer().with_special_tokens()
    for text, ids in zip(texts, tokenizer(texts).to_list(), strict=True):
        assert peer.encode(text, add_special_tokens=False).ids == ids
    pair = peer.encode("a", "the")
    assert pair.tokens == ["[CLS]", "▁a", "[SEP]", "▁the", "[SEP]"]
    assert pair.type_ids == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("change", "received"),
    [
        (lambda v: v["model"].update(type="BPE"), "a model of the type BPE"),
        (lambda v: v["model"].update(vocab=[1]), "."),
        (lambda v: v.pop("model"), "nothing named 'model'"),
        (lambda v: v.update(normalizer=None), "."),
        (
            lambda v: v.update(normalizer={"type": "NFC"}),
            "a normalizer of NFC; ALBERT's is",
        ),
        (
            lambda v: v["normalizer"].update(normalizers=[{"type": "NFKC"}]),
            "a normalizer of NFKC; ALBERT's is",
        ),
        (
            lambda v: v["normalizer"]["normalizers"].pop(0),
            "a normalizer of Replace, NFKD, StripAccents, Lowercase;",
        ),
        (
            lambda v: v["pre_tokenizer"]["pretokenizers"].pop(0),
            "a pre-tokenizer of Metaspace",
        ),
        (
            lambda v: v["pre_tokenizer"]["pretokenizers"][1].update(
                prepend_scheme="never"
            ),
            "marks no word at the beginning",
        ),
        (
            lambda v: v["added_tokens"].append({"id": 5, "content": "("}),
            "the added token '\\('",
        ),
    ],
)
def test_another_tokenizer_json_is_an_error(directory, change, received):
    _save(directory, normalizer=HUGGING_FACE)
    (directory / "spiece.model").unlink()
    _change_json(directory, change)
    with pytest.raises(
        ValueError, match=f"tokenizer.json must hold a Unigram.*{received}"
    ):
        read_sentencepiece(directory)


@pytest.mark.parametrize(
    ("change", "received"),
    [
        (
            lambda v: v["model"]["vocab"].append(["newer", -1.0]),
            "'newer' with id 400, where that has None",
        ),
        (
            lambda v: v["normalizer"]["normalizers"].pop(),
            "another table of replacements",
        ),
    ],
)
def test_files_of_two_tokenizers_are_an_error(directory, change, received):
    _save(directory)
    _change_json(directory, change)
    with pytest.raises(
        ValueError, match=f"tokenizer.json must be of the same.*{received}"
    ):
        read_sentencepiece(directory)


def test_a_directory_without_a_model_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="must hold a spiece.model"):
        read_sentencepiece(tmp_path)


def test_a_broken_model_is_named(directory):
    (directory / "spiece.model").write_bytes(b"version https://git-lfs")
    with pytest.raises(ValueError, match="spiece.model must be a SentencePi"):
        read_sentencepiece(directory)


def test_reading_needs_no_tensorflow(directory):
    program = (
        "import pathlib, sys\n"
        "from keras_bert.text.sentencepiece import settings\n"
        "settings.read_sentencepiece(pathlib.Path(sys.argv[1]))\n"
        "print(sorted({'tensorflow', 'sentencepiece'} & {*sys.modules}))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, directory],
        capture_output=True,
        text=True,
    )
    assert result.stdout == "[]\n", result.stderr
