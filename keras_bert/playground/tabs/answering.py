"""Answers to a question, marked in their context."""

import dataclasses

from keras_bert.playground.default_texts import CONTEXT
from keras_bert.playground.default_texts import QUESTION
from keras_bert.playground.markup import bar
from keras_bert.playground.markup import element
from keras_bert.playground.markup import joined
from keras_bert.playground.markup import note
from keras_bert.playground.markup import table
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.playground.tab import fine_tuned_to
from keras_bert.playground.valid_input import valid_text
from keras_bert.tasks.answers.answer_spans import n_best
from keras_bert.tasks.question_answerer import QuestionAnswerer

_NUM_ANSWERS = 6


@dataclasses.dataclass(frozen=True)
class AnsweredQuestion:
    """A question with its best answers.

    Args:
        context: str.
        start: int, the first character of the answer in it.
        end: int, the one behind it; equal to `start` without an answer.
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
    """Answer a question from a context, as an `AnsweredQuestion`."""
    question = valid_text(question, "The question")
    context = valid_text(context, "The context")
    task = model.task
    asked = task.encode([(question, context)])
    logits = task.logits(asked)
    (chosen,) = task.decode(asked, logits)
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


def answer_picture(answered):
    """An `AnsweredQuestion` as `Html`."""
    context, start, end = answered.context, answered.start, answered.end
    marked = [context[:start], context[end:]]
    if start < end:
        marked.insert(1, element("mark", context[start:end], class_="answer"))
    rows = [
        [text or element("i", "no answer"), bar(share)]
        for text, share in answered.best
    ]
    return joined(
        [
            element("div", *marked, class_="prose"),
            element("h3", "Best answers"),
            table(["Answer", "Probability among these"], rows),
            note(answered.note),
        ]
    )


TAB = Tab(
    name="question_answering",
    title="Question answering",
    about="The stretch of the context that answers the question, and the "
    "next best ones.",
    fields=lambda model: [
        TextField("question", "Question", QUESTION),
        TextField("context", "Context", CONTEXT, 8),
    ],
    answer=answer_question,
    picture=answer_picture,
    lacking=fine_tuned_to("answer questions", QuestionAnswerer),
)
