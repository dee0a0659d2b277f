import sys

import pytest

from keras_bert.pretraining.corpus.learning import measure_tokenizer
from keras_bert.pretraining.corpus.sentencepiece_learning import (
    learn_sentencepiece,
)
from keras_bert.pretraining.corpus.sources import open_sources
from keras_bert.text import SentencePieceTokenizer
from keras_bert.text import SentencePieceVocabulary


@pytest.fixture
def corpus_file(make_documents, write_documents):
    return write_documents("text.txt", make_documents(1, 150))


def test_special_tokens_get_their_published_ids(corpus_file):
    settings, _ = learn_sentencepiece(open_sources([corpus_file]), 80)
    vocabulary = settings.vocabulary
    assert vocabulary.tokens[:13] == (
        *("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"),
        *("(", ")", '"', "-", ".", "–", "£", "€"),
    )
    assert len(vocabulary) <= 80


def test_text_is_normalised_as_the_tokenizer_does(write_documents):
    path = write_documents("text.txt", [["Ein schöner Bär, ﬁn"] * 9])
    lower, _ = learn_sentencepiece(open_sources([path]), 100)
    cased, _ = learn_sentencepiece(open_sources([path]), 100, lowercase=False)
    assert lower.lowercase and not cased.lowercase
    vocabulary = lower.vocabulary
    assert vocabulary.is_lowercase and not cased.vocabulary.is_lowercase
    assert not any({*"öäﬁ"} & {*token} for token in vocabulary.tokens)
    ids = lower.make()(["Bär schön"]).values.numpy()
    assert vocabulary.unk_id not in ids


@pytest.mark.parametrize("vocab_size", [13, 20, 10**9])
def test_a_size_out_of_reach_is_an_error(corpus_file, vocab_size):
    with pytest.raises(ValueError, match=f"vocab_size={vocab_size}"):
        learn_sentencepiece(open_sources([corpus_file]), vocab_size)


def test_a_missing_package_is_named(corpus_file, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(ModuleNotFoundError, match=r"keras-bert-tf\[vocabulary"):
        learn_sentencepiece(open_sources([corpus_file]), 100)


def test_the_measure_is_known_on_a_tiny_text(spiece_file):
    vocabulary = SentencePieceVocabulary.from_file(spiece_file)
    tokenizer = SentencePieceTokenizer(vocabulary)
    unknown, pieces = measure_tokenizer(tokenizer, ["the 日", b"the"])
    # ▁the ▁ <unk> ▁the: each begins a word by ALBERT's rule.
    assert unknown == pytest.approx(1 / 4)
    assert pieces == pytest.approx(1.0)
    assert str(measure_tokenizer(tokenizer, [])) == "(nan, nan)"
