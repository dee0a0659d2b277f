"""Training of WordPiece, byte-level BPE and SentencePiece vocabularies."""

import sys
import zlib

import pytest

from keras_bert.pretraining import learn_byte_pair
from keras_bert.pretraining import learn_sentencepiece
from keras_bert.pretraining import learn_vocabulary
from keras_bert.pretraining import learn_wordpiece
from keras_bert.pretraining import measure_tokenizer
from keras_bert.pretraining import measure_vocabulary
from keras_bert.pretraining import open_sources
from keras_bert.pretraining.corpus.json_lines import BadLines
from keras_bert.text import SentencePieceTokenizer
from keras_bert.text import SentencePieceVocabulary
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS


@pytest.fixture
def open_text(write_documents):
    """Return a function that writes documents and returns their sources."""
    return lambda documents: open_sources([write_documents("a.txt", documents)])


@pytest.fixture
def sources(open_text, make_documents):
    return open_text(make_documents(1, 150))


_UNUSED = [f"[unused{index}]" for index in range(99)]


@pytest.mark.parametrize(
    ("learn", "size", "head", "last"),
    [
        (
            learn_wordpiece,
            150,
            ("[PAD]", *_UNUSED, "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
            None,
        ),
        (learn_byte_pair, 330, ("<s>", "<pad>", "</s>", "<unk>"), "<mask>"),
        (
            learn_sentencepiece,
            80,
            (
                *("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"),
                *("(", ")", '"', "-", ".", "–", "£", "€"),
            ),
            None,
        ),
    ],
)
def test_special_tokens_get_their_published_ids(
    sources, learn, size, head, last
):
    settings, unseen = learn(sources, size)
    tokens = settings.vocabulary.tokens
    assert tokens[: len(head)] == head
    assert last in (None, tokens[-1])
    assert len(tokens) == size or learn is learn_sentencepiece
    assert len(tokens) <= size
    again, unseen_again = learn(sources, size)
    assert again.vocabulary.tokens == tokens
    assert unseen_again == unseen


def test_every_fiftieth_sentence_is_held_out(open_text, make_documents):
    chosen = next(
        word
        for word in (f"zzz{number}" for number in range(10_000))
        if zlib.crc32(word.encode()) % 50 == 0
    )
    documents = [*make_documents(1, 150), [chosen] * 5]
    sentences = [x.encode() for document in documents for x in document]
    vocabulary, unseen = learn_vocabulary(open_text(documents), 170)
    assert unseen == [s for s in sentences if zlib.crc32(s) % 50 == 0]
    assert 5 < len(unseen) < len(sentences) / 20
    assert not any("z" in token for token in vocabulary.tokens)


def test_case_is_learned_as_asked(open_text):
    sources = open_text([["Ein schöner Bär, ﬁn"] * 9])
    lower, _ = learn_vocabulary(sources, 200)
    cased, _ = learn_vocabulary(sources, 200, lowercase=False)
    assert "bar" in lower and "Bär" not in lower
    assert "Bär" in cased and "bar" not in cased
    assert lower.is_lowercase and not cased.is_lowercase
    lower, _ = learn_sentencepiece(sources, 100)
    cased, _ = learn_sentencepiece(sources, 100, lowercase=False)
    assert lower.lowercase and not cased.lowercase
    assert lower.vocabulary.is_lowercase and not cased.vocabulary.is_lowercase
    # The text is normalized like the input of the tokenizer.
    assert not any({*"öäﬁ"} & {*token} for token in lower.vocabulary.tokens)
    ids = lower.make()(["Bär schön"]).values.numpy()
    assert lower.vocabulary.unk_id not in ids
    settings, _ = learn_byte_pair(sources, 400)
    assert "Ein" in settings.vocabulary


def test_rare_pieces_are_left_out(open_text):
    sources = open_text([["dog zz"] * 5 + ["dog"] * 5])
    for learn in (learn_wordpiece, learn_byte_pair):
        settings, _ = learn(sources, 400, min_frequency=6)
        assert "dog" in settings.vocabulary and "zz" not in settings.vocabulary
        settings, _ = learn(sources, 400, min_frequency=5)
        assert "zz" in {x.strip("Ġ") for x in settings.vocabulary.tokens}


def test_the_measure_is_known_on_a_tiny_text(open_text, spiece_file):
    vocabulary = Vocabulary([*SPECIAL_TOKENS, "dog", "##s", "cat"])
    # dog ##s dog [UNK] [UNK] cat ##s: 7 pieces for 5 words.
    texts = [b"Dogs dog", b"zebra .", "cats"]
    assert measure_vocabulary(vocabulary, texts) == (2 / 7, 7 / 5)
    assert measure_vocabulary(vocabulary, ["Dog"], lowercase=False)[0] == 1.0
    settings, _ = learn_byte_pair(open_text([["dog dog"] * 5]), 400)
    # dog Ġdog; c a t: 5 tokens for 3 words.
    texts = ["dog dog", "", "cat"]
    assert measure_tokenizer(settings.make(), texts) == (0.0, 5 / 3)
    vocabulary = SentencePieceVocabulary.from_file(spiece_file)
    tokenizer = SentencePieceTokenizer(vocabulary)
    # ▁the ▁ <unk> ▁the: each begins a word by ALBERT's rule.
    assert measure_tokenizer(tokenizer, ["the 日", b"the"]) == (1 / 4, 1.0)
    for texts in ([], [b""]):
        assert str(measure_tokenizer(tokenizer, texts)) == "(nan, nan)"


def test_bad_lines_are_skipped_and_counted_once(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a dog"}\n{"txt": "zebra"}\n{"text": "a dog"}\n')
    bad_lines = BadLines()
    vocabulary, _ = learn_vocabulary(
        open_sources([str(path)]), 100, compact_ids=True, bad_lines=bad_lines
    )
    assert bad_lines.count == 1
    assert vocabulary.tokens[:5] == SPECIAL_TOKENS
    assert "dog" in vocabulary and not any("z" in t for t in vocabulary.tokens)
    assert not any("{" in t or "text" in t for t in vocabulary.tokens)


@pytest.mark.parametrize(
    ("learn", "changes", "message"),
    [
        (learn_vocabulary, {"vocab_size": 10**9}, "vocab_size=1000000000"),
        (learn_vocabulary, {"vocab_size": 104}, "vocab_size=104"),
        (learn_vocabulary, {"min_frequency": 0}, "min_frequency=0"),
        (learn_vocabulary, {"sources": ["a dog"]}, "returned.*sources=.'a dog"),
        (learn_byte_pair, {"vocab_size": 260}, "vocab_size=260"),
        (learn_byte_pair, {"min_frequency": 0}, "min_frequency=0"),
        (learn_sentencepiece, {"vocab_size": 13}, "vocab_size=13"),
        (learn_sentencepiece, {"vocab_size": 20}, "vocab_size=20"),
    ],
)
def test_an_argument_out_of_range_is_an_error(sources, learn, changes, message):
    arguments = {"sources": sources, "vocab_size": 300, **changes}
    with pytest.raises(ValueError, match=message):
        learn(**arguments)


@pytest.mark.parametrize(
    "learn", [learn_vocabulary, learn_byte_pair, learn_sentencepiece]
)
def test_no_text_is_an_error_that_says_so(open_text, learn):
    with pytest.raises(ValueError, match="without words"):
        learn(open_text([[], []]), 1000)


def test_a_missing_package_is_named(sources, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(ModuleNotFoundError, match=r"keras-bert-tf\[vocabulary"):
        learn_sentencepiece(sources, 100)
