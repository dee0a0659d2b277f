"""Choices of how a text goes on, with their probabilities."""

from keras_bert.playground.markup import bar
from keras_bert.playground.markup import table
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.playground.tab import fine_tuned_to
from keras_bert.playground.valid_input import valid_lines
from keras_bert.playground.valid_input import valid_text
from keras_bert.tasks.multiple_choice import MultipleChoice

_MOST_CHOICES = 10


def choose(model, context, choices):
    """Pairs of a choice, a line each, and its probability, in order."""
    context = valid_text(context, "The context")
    lines = valid_lines(choices, "The choices", _MOST_CHOICES)
    if len(lines) < 2:
        raise ValueError("Write two choices or more, one a line.")
    row = model.task.probabilities([(context, lines)])[0]
    return [*zip(lines, row.tolist(), strict=True)]


def choice_picture(choices):
    """Pairs of a choice and its probability, as `Html`."""
    rows = [[choice, bar(share)] for choice, share in choices]
    return table(["Choice", "Probability"], rows)


TAB = Tab(
    name="multiple_choice",
    title="Multiple choice",
    about="How the fine-tuned model would have a text go on.",
    fields=lambda model: [
        TextField("context", "Context", "The sun"),
        TextField("choices", "Choices, one a line", "rises.\nbarks.", 4),
    ],
    answer=choose,
    picture=choice_picture,
    lacking=fine_tuned_to("choose", MultipleChoice),
)
