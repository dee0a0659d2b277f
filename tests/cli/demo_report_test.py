import pytest

from keras_bert.cli.demo_report import masked_sentences
from keras_bert.cli.demo_report import saved_model_text
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS


@pytest.fixture
def vocabulary():
    return Vocabulary([*SPECIAL_TOKENS, "small", "birds", "the"])


def test_each_known_word_is_masked_by_itself(vocabulary):
    documents = [[b"The small birds like the small red house.", b"Second."]]
    assert masked_sentences(documents, vocabulary) == [
        ("The [MASK] birds like the small red house.", "small"),
        ("The small [MASK] like the small red house.", "birds"),
        ("The small birds like the [MASK] red house.", "small"),
    ]


@pytest.fixture
def ask(tmp_path):
    """Replace the program by one that outputs "cat" and "dog"."""
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
    assert "model, 1.5 MB: same words in a new process" in ask("cat")


def test_another_answer_is_an_error(ask):
    with pytest.raises(
        ValueError, match=r"\['cat', 'dog'\] instead of \['bird'\] for"
    ):
        ask("bird")
