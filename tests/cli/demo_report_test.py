import pytest

from keras_bert.cli.demo_report import masked_sentences
from keras_bert.cli.demo_report import saved_model_text
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS


def test_each_known_word_is_masked_by_itself():
    vocabulary = Vocabulary([*SPECIAL_TOKENS, "small", "birds", "the"])
    documents = [[b"The small birds like the small red house.", b"Second."]]
    assert masked_sentences(documents, vocabulary) == [
        ("The [MASK] birds like the small red house.", "small"),
        ("The small [MASK] like the small red house.", "birds"),
        ("The small birds like the [MASK] red house.", "small"),
    ]


def test_another_answer_in_a_new_process_is_an_error(tmp_path):
    program = tmp_path / "query.py"
    program.write_text('print(\'{"tokens": [[["cat", "dog"]]]}\')')
    directory = tmp_path / "model"
    directory.mkdir()
    (directory / "weights").write_bytes(b"0" * 1_500_000)

    def ask(word):
        return saved_model_text(
            directory, program, lambda text: [[{"token": word}]], ["[MASK]"]
        )

    assert "model, 1.5 MB: same words in a new process" in ask("cat")
    message = r"\['cat', 'dog'\] instead of \['bird'\] for"
    with pytest.raises(ValueError, match=message):
        ask("bird")
