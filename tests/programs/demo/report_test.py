import pytest

from keras_bert.programs.demo.report import filled_text
from keras_bert.programs.demo.report import masked_sentences
from keras_bert.programs.demo.report import saved_model_text
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS


@pytest.fixture
def vocabulary():
    return Vocabulary([*SPECIAL_TOKENS, "small", "birds", "the"])


def test_the_middle_one_of_the_known_words_is_masked(vocabulary):
    documents = [[b"The small birds like the small red house.", b"Second."]]
    assert masked_sentences(documents, vocabulary) == [
        ("The small [MASK] like the small red house.", "birds")
    ]


@pytest.mark.parametrize(
    "sentence",
    [b"The small birds sleep here.", b"The old cat sees the new dog now."],
    ids=["short", "unknown"],
)
def test_without_a_sentence_there_is_only_the_mask(vocabulary, sentence):
    ((text, said),) = masked_sentences([[sentence]], vocabulary)
    assert text == "[MASK]"
    assert "no short sentence" in said


def test_sentences_are_of_all_parts_of_the_text(vocabulary):
    documents = [
        [f"It was {n} small words in a row.".encode()] for n in range(50)
    ]
    texts = [text for text, _ in masked_sentences(documents, vocabulary)]
    assert texts == [
        f"It was {n} [MASK] words in a row." for n in (0, 10, 20, 30, 40)
    ]


def test_answers_stand_beside_the_word_that_was_there():
    def fill_mask(text):
        return [[{"token": "cat", "probability": 0.5}] * 2]

    assert filled_text(fill_mask, [("A [MASK].", "dog")]).splitlines() == [
        "Filled in",
        "  A [MASK].",
        "      cat 0.50, cat 0.50   (was: dog)",
    ]


@pytest.fixture
def ask(tmp_path):
    """Has a program answer "cat" and "dog" for a model that says `word`."""
    program = tmp_path / "query.py"
    program.write_text('print(\'{"tokens": [[["cat", "dog"]]]}\')')
    directory = tmp_path / "model"
    directory.mkdir()
    (directory / "weights").write_bytes(b"0" * 1_500_000)

    def ask(word):
        return saved_model_text(
            directory, program, lambda text: [[{"token": word}]], ["[MASK]"]
        )

    return ask


def test_the_same_answers_are_told_with_the_size(ask):
    assert "model, 1.5 MB: a fresh process gives the same words" in ask("cat")


def test_another_answer_is_an_error(ask):
    with pytest.raises(
        ValueError, match=r"\['cat', 'dog'\] instead of \['bird'\] for"
    ):
        ask("bird")
