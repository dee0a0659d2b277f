import pytest

from keras_bert.data.labelled.squad import squad_questions
from keras_bert.tasks.answers.question_rows import question_rows
from keras_bert.tasks.answers.span_examples import span_examples

# Seven of these tokens are in the first of two windows, six in the second.
_CONTEXT = "the dog eats the cat . the bird sees"


@pytest.fixture
def examples(preprocess):
    """A function from answers in the context above to `Examples`.

    An answer is a pair of text and character; None is an impossible question.
    """

    def examples(*answers, context=_CONTEXT):
        entries = [
            {
                "id": f"q{number}",
                "question": "",
                "answers": [
                    {"text": answer[0], "answer_start": answer[1]}
                    for answer in ([answer] if answer else [])
                ],
            }
            for number, answer in enumerate(answers)
        ]
        paragraph = {"context": context, "qas": entries}
        data = {"data": [{"paragraphs": [paragraph]}]}
        questions = squad_questions(data, "here")
        return span_examples(
            question_rows(preprocess, preprocess.sizes, questions)
        )

    return examples


def test_targets_are_the_places_of_the_answer_in_each_window(examples):
    # [CLS] [SEP] the dog eats the cat . the [SEP]
    # [CLS] [SEP] the cat . the bird sees [SEP]
    made = examples(("dog", 4), ("the cat", 13), ("bird", 27), None)
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
    assert "2 of 3 questions are left out" in caplog.text
    assert "The first: q0, q2." in caplog.text


def test_an_answer_without_a_token_is_left_out(examples, caplog):
    made = examples(("\x07", 6), ("dog", 2), context="a dog \x07")
    assert made.weights.tolist() == [0.0, 1.0]
    assert "1 of 2 questions are left out" in caplog.text


def test_nothing_to_learn_from_is_an_error(examples):
    with pytest.raises(ValueError, match="1 question.*The first: 'q0'"):
        examples(("dog", 0))
