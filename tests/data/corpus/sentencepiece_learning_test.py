import sys
import zlib

import pytest

from keras_bert.data.corpus.learning import measure_tokenizer
from keras_bert.data.corpus.sentencepiece_learning import learn_sentencepiece
from keras_bert.data.corpus.sources import open_sources
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


def test_the_same_text_gives_the_same_model(corpus_file):
    once, again = (
        learn_sentencepiece(open_sources([corpus_file]), 80) for _ in range(2)
    )
    assert once[0].vocabulary.model.data == again[0].vocabulary.model.data
    assert once[1] == again[1]


def test_every_fiftieth_sentence_is_held_out(corpus_file, make_documents):
    sentences = [
        sentence.encode()
        for document in make_documents(1, 150)
        for sentence in document
    ]
    _, unseen = learn_sentencepiece(open_sources([corpus_file]), 80)
    assert unseen == [s for s in sentences if zlib.crc32(s) % 50 == 0]
    assert 1 <= len(unseen) < len(sentences) / 20


def test_text_is_normalised_as_the_tokenizer_does(write_documents):
    path = write_documents("text.txt", [["Ein schöner Bär, ﬁn"] * 9])
    lower, _ = learn_sentencepiece(open_sources([path]), 100)
    cased, _ = learn_sentencepiece(open_sources([path]), 100, lowercase=False)
    assert lower.lowercase and not cased.lowercase
    vocabulary = lower.vocabulary
    assert vocabulary.is_lowercase and not cased.vocabulary.is_lowercase
    assert not any({*"öäﬁ"} & {*token} for token in vocabulary.tokens)
    ids = lower.tokenizer()(["Bär schön"]).values.numpy()
    assert vocabulary.unk_id not in ids


def test_a_size_too_small_for_the_letters_is_an_error(corpus_file):
    with pytest.raises(ValueError, match="vocab_size=20"):
        learn_sentencepiece(open_sources([corpus_file]), 20)


def test_no_text_is_an_error_that_says_so(tmp_path):
    (tmp_path / "a.txt").write_text("\n\n")
    with pytest.raises(ValueError, match="Received: no word in 1 file"):
        learn_sentencepiece(open_sources([str(tmp_path / "a.txt")]), 100)


@pytest.mark.parametrize(
    ("changes", "received"),
    [
        ({"vocab_size": 13}, "vocab_size=13"),
        ({"vocab_size": 10**9}, "vocab_size=1000000000"),
    ],
)
def test_numbers_out_of_reach_are_errors(corpus_file, changes, received):
    with pytest.raises(ValueError, match=received):
        learn_sentencepiece(
            open_sources([corpus_file]), **{"vocab_size": 100, **changes}
        )


def test_a_missing_package_is_named(corpus_file, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(ModuleNotFoundError, match=r"keras-bert-tf\[vocabulary"):
        learn_sentencepiece(open_sources([corpus_file]), 100)


def test_the_measure_is_known_on_a_tiny_text(spiece_file):
    vocabulary = SentencePieceVocabulary.from_file(spiece_file)
    tokenizer = SentencePieceTokenizer(vocabulary)
    unknown, pieces = measure_tokenizer(tokenizer, ["the 日", b"the"])
    # ▁the ▁ <unk> ▁the: each begins a word, as ALBERT's program decides.
    assert unknown == pytest.approx(1 / 4)
    assert pieces == pytest.approx(1.0)
    assert str(measure_tokenizer(tokenizer, [])) == "(nan, nan)"
