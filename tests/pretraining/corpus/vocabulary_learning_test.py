import math
import zlib

import pytest

from keras_bert.pretraining import learn_byte_pair
from keras_bert.pretraining.corpus.json_lines import BadLines
from keras_bert.pretraining.corpus.sentencepiece_learning import (
    learn_sentencepiece,
)
from keras_bert.pretraining.corpus.sources import open_sources
from keras_bert.pretraining.corpus.vocabulary_learning import learn_vocabulary
from keras_bert.pretraining.corpus.vocabulary_learning import measure_vocabulary
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

pytest.importorskip("tokenizers")


@pytest.fixture
def corpus_file(make_documents, write_documents):
    return write_documents("text.txt", make_documents(1, 150))


def test_special_tokens_get_their_published_ids(corpus_file):
    vocabulary, _ = learn_vocabulary(
        open_sources([corpus_file]), vocab_size=150
    )
    ids = [vocabulary.id_of(token) for token in SPECIAL_TOKENS]
    assert ids == [0, 100, 101, 102, 103]
    unused = [f"[unused{index}]" for index in range(99)]
    assert list(vocabulary.tokens[1:100]) == unused


@pytest.mark.parametrize("vocab_size", [60, 75, 90])
def test_the_vocabulary_has_the_size_that_is_asked_for(corpus_file, vocab_size):
    vocabulary, _ = learn_vocabulary(
        open_sources([corpus_file]), vocab_size=vocab_size, compact_ids=True
    )
    assert len(vocabulary) == vocab_size


def test_every_fiftieth_sentence_is_held_out(corpus_file, make_documents):
    sentences = [
        sentence.encode()
        for document in make_documents(1, 150)
        for sentence in document
    ]
    _, unseen = learn_vocabulary(open_sources([corpus_file]), vocab_size=170)
    assert unseen == [s for s in sentences if zlib.crc32(s) % 50 == 0]
    assert 1 <= len(unseen) < len(sentences) / 20


def test_nothing_is_learned_from_what_is_held_out(write_documents):
    chosen = next(
        word
        for word in (f"zzz{number}" for number in range(10_000))
        if zlib.crc32(word.encode()) % 50 == 0
    )
    path = write_documents("text.txt", [["a dog"] * 5 + [chosen] * 5])
    vocabulary, unseen = learn_vocabulary(
        open_sources([path]), vocab_size=100, compact_ids=True
    )
    assert unseen == [chosen.encode()] * 5
    assert not any("z" in token for token in vocabulary.tokens)


def test_lower_case_is_learned_by_default_and_case_on_demand(write_documents):
    path = write_documents("text.txt", [["Ein schöner Bär"] * 5])
    lower, _ = learn_vocabulary(
        open_sources([path]), vocab_size=100, compact_ids=True
    )
    cased, _ = learn_vocabulary(
        open_sources([path]), vocab_size=100, lowercase=False, compact_ids=True
    )
    assert "bar" in lower and "Bär" not in lower
    assert "Bär" in cased and "bar" not in cased
    assert lower.is_lowercase and not cased.is_lowercase


def test_rare_pieces_are_left_out(write_documents):
    path = write_documents("text.txt", [["dog cat"] * 5 + ["dog"] * 5])
    vocabulary, _ = learn_vocabulary(
        open_sources([path]), vocab_size=100, min_frequency=6, compact_ids=True
    )
    assert "dog" in vocabulary and "cat" not in vocabulary


def test_the_measure_is_known_on_a_tiny_text():
    vocabulary = Vocabulary([*SPECIAL_TOKENS, "dog", "##s", "cat"])
    unknown, pieces = measure_vocabulary(
        vocabulary, [b"Dogs dog", b"zebra .", "cats"]
    )
    # dog ##s dog [UNK] [UNK] cat ##s: 7 pieces for 5 words.
    assert unknown == pytest.approx(2 / 7)
    assert pieces == pytest.approx(7 / 5)


def test_case_is_measured_as_it_was_learned():
    vocabulary = Vocabulary([*SPECIAL_TOKENS, "dog"])
    assert measure_vocabulary(vocabulary, ["Dog"]) == (0.0, 1.0)
    assert measure_vocabulary(vocabulary, ["Dog"], lowercase=False)[0] == 1.0


@pytest.mark.parametrize("sentences", [[], [b""]])
def test_no_text_has_no_measure(vocabulary, sentences):
    assert all(map(math.isnan, measure_vocabulary(vocabulary, sentences)))


@pytest.mark.parametrize(
    ("changes", "received"),
    [
        ({"vocab_size": 10**9}, "vocab_size=1000000000"),
        ({"vocab_size": -1}, "vocab_size=-1"),
        ({"vocab_size": 12, "compact_ids": True}, "vocab_size=12"),
        ({"vocab_size": 104}, "vocab_size=104"),
        ({"min_frequency": 0}, "min_frequency=0"),
        ({"min_frequency": 10**20}, f"min_frequency={10**20}"),
    ],
)
def test_a_number_out_of_reach_is_an_error(corpus_file, changes, received):
    with pytest.raises(ValueError, match=received):
        learn_vocabulary(
            open_sources([corpus_file]), **{"vocab_size": 300, **changes}
        )


@pytest.mark.parametrize(
    "learn", [learn_vocabulary, learn_byte_pair, learn_sentencepiece]
)
def test_no_text_is_an_error_that_says_so(tmp_path, learn):
    (tmp_path / "a.txt").write_text("\n\n")
    with pytest.raises(ValueError, match="without words"):
        learn(open_sources([str(tmp_path / "a.txt")]), 1000)


@pytest.mark.parametrize("sources", ["text.txt", ["a dog", "a cat"]])
def test_paths_and_texts_are_not_sources(sources):
    with pytest.raises(ValueError, match="`open_sources` returned.*sources="):
        learn_vocabulary(sources, 1000)


def test_bad_lines_are_skipped_and_counted_once(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a dog"}\n{"txt": "zebra"}\n{"text": "a dog"}\n')
    bad_lines = BadLines()
    vocabulary, _ = learn_vocabulary(
        open_sources([str(path)]), 100, compact_ids=True, bad_lines=bad_lines
    )
    assert bad_lines.count == 1
    assert "dog" in vocabulary and not any("z" in t for t in vocabulary.tokens)
    assert not any("{" in t or "text" in t for t in vocabulary.tokens)
