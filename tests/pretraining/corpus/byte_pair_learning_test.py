import pytest

from keras_bert.pretraining import learn_byte_pair
from keras_bert.pretraining import measure_tokenizer
from keras_bert.pretraining import open_sources

pytest.importorskip("tokenizers")


@pytest.fixture
def corpus_file(make_documents, write_documents):
    return write_documents("text.txt", make_documents(1, 150))


@pytest.fixture
def learned(corpus_file):
    return learn_byte_pair(open_sources([corpus_file]), vocab_size=330)


def test_it_has_the_size_and_the_special_ids_of_the_published(learned):
    tokens = learned[0].vocabulary.tokens
    assert len(tokens) == 330
    assert tokens[:4] == ("<s>", "<pad>", "</s>", "<unk>")
    assert tokens[-1] == "<mask>"


def test_the_same_text_gives_the_same(learned, corpus_file):
    again, unseen = learn_byte_pair(open_sources([corpus_file]), 330)
    assert again.vocabulary.tokens == learned[0].vocabulary.tokens
    assert again.merges == learned[0].merges
    assert unseen == learned[1]


def test_case_is_kept_and_rare_pairs_are_left_out(write_documents):
    path = write_documents("text.txt", [["The Dog"] * 5 + ["zz yy"]])
    settings, _ = learn_byte_pair(open_sources([path]), 400)
    assert "ĠDog" in settings.vocabulary
    assert "zz" not in settings.vocabulary
    settings, _ = learn_byte_pair(open_sources([path]), 400, min_frequency=1)
    assert "zz" in settings.vocabulary


def test_its_measure_is_known_on_a_tiny_text(write_documents):
    path = write_documents("text.txt", [["dog dog"] * 5])
    settings, _ = learn_byte_pair(open_sources([path]), 400)
    tokenizer = settings.make()
    # dog Ġdog; c a t: 5 tokens for 3 words.
    assert measure_tokenizer(tokenizer, ["dog dog", "", "cat"]) == (0.0, 5 / 3)


@pytest.mark.parametrize("vocab_size", [-1, 260, 10**9])
def test_a_size_out_of_reach_is_an_error(vocab_size):
    with pytest.raises(ValueError, match=f"Received: vocab_size={vocab_size}"):
        learn_byte_pair([], vocab_size)
