import hypothesis
import numpy as np
import pytest
from hypothesis import strategies

from keras_bert.tasks.inputs.answer_windows import token_span
from keras_bert.tasks.inputs.question_rows import check_spans
from keras_bert.tasks.inputs.question_rows import question_rows
from keras_bert.tasks.inputs.question_rows import with_spans
from keras_bert.tasks.readers.squad import squad_questions
from tests import tiny

# The first window has seven of these tokens, the second six.
_CONTEXT = "the dog eats the cat . the bird sees"


@pytest.fixture
def examples(preprocess):
    """Return a function from answers in the context above to `Encoded`.

    An answer is a pair of text and start; "" is an unanswerable question.
    """

    def examples(*answers, context=_CONTEXT):
        asked = {f"q{n}": ("", answer) for n, answer in enumerate(answers)}
        questions = squad_questions(tiny.squad((context, asked)), "here")
        rows = question_rows(preprocess, questions)
        encoded = with_spans(rows)
        check_spans(encoded)
        return encoded

    return examples


def test_targets_are_the_places_of_the_answer_in_each_window(examples):
    # [CLS] [SEP] the dog eats the cat . the [SEP]
    # [CLS] [SEP] the cat . the bird sees [SEP]
    long = "eats the cat . the bird"  # Neither window has the whole answer.
    answers = ("dog", 4), ("the cat", 13), ("bird", 27), (long, 8)
    made = examples(*answers, "")
    assert made.targets.dtype == np.int32
    assert made.targets.tolist() == [
        *([3, 3, 10], [0, 0, 9]),
        *([5, 6, 10], [2, 3, 9]),
        *([0, 0, 10], [6, 6, 9]),
        *([0, 0, 10], [0, 0, 9]),
        *([0, 0, 10], [0, 0, 9]),
    ]
    assert made.weights.tolist() == [1.0] * 10


def test_misplaced_answers_have_no_weight_and_are_counted(examples, caplog):
    made = examples(("dog", 0), ("cat", 17), ("bird", 4))
    assert made.weights.tolist() == [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    assert "2 of 3 questions are skipped" in caplog.text
    assert "`answer_start`: q0, q2." in caplog.text


def test_an_answer_without_a_token_is_left_out(examples, caplog):
    made = examples(("\x07", 6), ("dog", 2), context="a dog \x07")
    assert made.weights.tolist() == [0.0, 1.0]
    assert "1 of 2 questions are skipped" in caplog.text


def test_nothing_to_learn_from_is_an_error(examples):
    with pytest.raises(ValueError, match="1 without one, such as 'q0'"):
        examples(("dog", 0))


@hypothesis.settings(max_examples=100, deadline=None, derandomize=True)
@hypothesis.given(
    borders=strategies.lists(
        strategies.integers(0, 30), max_size=12, unique=True
    ).map(sorted),
    num_pieces=strategies.integers(1, 2),
    answer=strategies.tuples(
        strategies.integers(0, 29), strategies.integers(1, 9)
    ),
)
def test_a_token_is_taken_if_it_shares_a_byte(borders, num_pieces, answer):
    """Several pieces of one character have its offsets."""
    spans = zip(borders[::2], borders[1::2])
    tokens = [span for span in spans for _ in range(num_pieces)]
    span = (answer[0], sum(answer))
    inside = [
        index
        for index, token in enumerate(tokens)
        if {*range(*token)} & {*range(*span)}
    ]
    expected = (inside[0], inside[-1]) if inside else None
    starts = np.array([start for start, _ in tokens], np.int64)
    ends = np.array([end for _, end in tokens], np.int64)
    assert token_span(starts, ends, span) == expected
