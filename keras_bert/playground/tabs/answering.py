"""Where in a text the answer to a question stands."""

import dataclasses

from keras_bert.playground.default_texts import CONTEXT
from keras_bert.playground.default_texts import QUESTION
from keras_bert.playground.given import given_text
from keras_bert.playground.pictures.spans import answer_picture
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.tasks.answers.answer_spans import n_best
from keras_bert.tasks.question_answerer import QuestionAnswerer

_NUM_ANSWERS = 6


@dataclasses.dataclass(frozen=True)
class AnsweredQuestion:
    """A question with its best answers.

    Args:
        context: str.
        start: int, the first character of the answer in it.
        end: int, the one behind it; as `start` where there is no answer.
        best: list of pairs of an answer, "" for none, and its probability
            among them, the best first.
        note: str, when there is no answer, or "".
    """

    context: str
    start: int
    end: int
    best: list
    note: str


def answer_question(model, question, context):
    """Answers a question from a context.

    Args:
        model: `ShownModel` of a `QuestionAnswerer`.
        question: str.
        context: str.

    Returns:
        `AnsweredQuestion`

    Raises:
        ValueError: one is empty or too long.
    """
    question = given_text(question, "The question")
    context = given_text(context, "The context")
    task = model.task
    asked = task.asked([(question, context)])
    logits = task.logits(asked)
    (chosen,) = task.predictions(asked, logits)
    (answers,) = task.answers_of(asked, logits, _NUM_ANSWERS).values()
    spans = answers.spans
    if task.null_threshold is not None:
        spans = [*spans, answers.null]
    best = [(answer.text, share) for answer, share in n_best(spans)]
    return AnsweredQuestion(
        context, chosen["start"], chosen["end"], best, _note(task)
    )


def _note(task):
    if task.null_threshold is None:
        return ""
    return (
        "No answer is given where that scores better than the best one by "
        f"more than {task.null_threshold:.2f}."
    )


def _lacking(model):
    if isinstance(model.task, QuestionAnswerer):
        return ""
    return "a model that was fine-tuned to answer questions"


def _fields(model):
    return [
        TextField("question", "Question", QUESTION),
        TextField("context", "Context", CONTEXT, 8),
    ]


TAB = Tab(
    name="question_answering",
    title="Question answering",
    about="The stretch of the context that answers the question, and the "
    "next best ones.",
    fields=_fields,
    answer=answer_question,
    picture=answer_picture,
    lacking=_lacking,
)
