import pytest

from keras_bert.demo.serving_report import saved_model_text


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
