import pytest
import tensorflow as tf

from keras_bert.programs.demo.report import best_known
from keras_bert.programs.demo.report import filled_text
from keras_bert.programs.demo.report import masked_sentences
from keras_bert.programs.demo.report import saved_model_text
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


class _Guesses:
    """Answers every text with one word."""

    def __call__(self, text):
        return [[{"token": "birds", "probability": 0.5}] * 2]

    def preprocess(self, texts):
        return texts

    def predict_ids(self, texts):
        return {"tokens": tf.fill([len(texts), 1, 1], "birds")}


def test_what_is_shown_is_known_best_of_what_is_frequent():
    words = [f"word{n}" for n in range(50)] + ["birds"]
    examples = [(f"{w} {n}", w) for w in words for n in range(3)]
    examples += [("seldom", "birds"), ("once", "house"), ("o", "word7")]
    share, best = best_known(_Guesses(), examples)
    assert share == 4 / len(examples)
    assert best[0] == ("birds 0", "birds", 4, 4)
    assert len(best) == 5
    assert all(right == 0 and count >= 3 for *_, right, count in best[1:])


def test_answers_stand_beside_the_word_that_was_there():
    text = filled_text(_Guesses(), 0.25, [("A [MASK].", "dog", 3, 4)])
    first, *lines = text.splitlines()
    assert "25 % of masks on held-out text are right" in first
    assert lines == [
        "  A [MASK].",
        "      birds 0.50, birds 0.50   (was: dog, right 3 times of 4)",
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
