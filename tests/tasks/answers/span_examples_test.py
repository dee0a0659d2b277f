import hypothesis
import numpy as np
import pytest
from hypothesis import strategies

from keras_bert.tasks.answers.answer_windows import AnswerWindows
from keras_bert.tasks.answers.answer_windows import answer_labels
from keras_bert.tasks.answers.answer_windows import token_span
from keras_bert.tasks.answers.question_rows import check_spans
from keras_bert.tasks.answers.question_rows import question_rows
from keras_bert.tasks.answers.question_rows import with_spans
from keras_bert.tasks.labelled.squad import squad_questions
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
    made = examples(("dog", 4), ("the cat", 13), ("bird", 27), "")
    assert made.targets.tolist() == [
        *([3, 3, 10], [0, 0, 9]),
        *([5, 6, 10], [2, 3, 9]),
        *([0, 0, 10], [6, 6, 9]),
        *([0, 0, 10], [0, 0, 9]),
    ]
    assert made.weights.tolist() == [1.0] * 8


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


# Of the text "Zoë (1895-1943) sat.", whose ë has two bytes.
_STARTS = np.array([0, 5, 6, 10, 11, 15, 17, 20])
_ENDS = np.array([4, 6, 10, 11, 15, 16, 20, 21])


_NONE, _PAIRED = np.zeros(0, np.int64), np.array([0, 0, 3, 3])


@pytest.mark.parametrize(
    "starts, ends, answer, expected",
    [
        (_STARTS, _ENDS, (0, 4), (0, 0)),
        (_STARTS, _ENDS, (6, 15), (2, 4)),
        (_STARTS, _ENDS, (0, 21), (0, 7)),
        # An answer inside of tokens gets the whole tokens.
        (_STARTS, _ENDS, (1, 2), (0, 0)),
        (_STARTS, _ENDS, (8, 12), (2, 4)),
        # White space at its ends is not a token.
        (_STARTS, _ENDS, (4, 17), (1, 5)),
        (_STARTS, _ENDS, (4, 5), None),
        (_STARTS, _ENDS, (21, 23), None),
        (_NONE, _NONE, (0, 3), None),
        # Pieces of one character stay together.
        (_PAIRED, _PAIRED + 3, (0, 3), (0, 1)),
        (_PAIRED, _PAIRED + 3, (3, 6), (2, 3)),
    ],
)
def test_the_tokens_of_the_answer_are_taken(starts, ends, answer, expected):
    assert token_span(starts, ends, answer) == expected


@hypothesis.settings(max_examples=100, deadline=None, derandomize=True)
@hypothesis.given(
    borders=strategies.lists(
        strategies.integers(0, 30), max_size=12, unique=True
    ).map(sorted),
    answer=strategies.tuples(
        strategies.integers(0, 29), strategies.integers(1, 9)
    ),
)
def test_a_token_is_taken_if_it_shares_a_byte(borders, answer):
    tokens = [*zip(borders[::2], borders[1::2])]
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


@pytest.mark.parametrize(
    "span, firsts, lasts",
    [
        ((0, 2), [4, 0, 0, 0], [6, 0, 0, 0]),
        ((11, 11), [0, 0, 0, 6], [0, 0, 0, 6]),
        # Each window with the answer is trained to predict it.
        ((3, 4), [7, 4, 0, 0], [8, 5, 0, 0]),
        ((9, 10), [0, 0, 7, 4], [0, 0, 8, 5]),
        # A partial answer is not in the window.
        ((4, 7), [0, 5, 0, 0], [0, 8, 0, 0]),
        ((2, 5), [0, 0, 0, 0], [0, 0, 0, 0]),
        (None, [0, 0, 0, 0], [0, 0, 0, 0]),
    ],
)
def test_labels_are_positions_in_each_sequence(span, firsts, lasts):
    starts, lengths = np.array([0, 3, 6, 9]), np.array([5, 5, 5, 3])
    labels = answer_labels(AnswerWindows(2, 4, starts, lengths), span)
    assert labels.dtype == np.int32
    assert labels.tolist() == [firsts, lasts]
