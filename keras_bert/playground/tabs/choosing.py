"""Which of several texts goes on from a context."""

from keras_bert.playground.given import given_lines
from keras_bert.playground.given import given_text
from keras_bert.playground.pictures.choosing import choice_picture
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.tasks.multiple_choice import MultipleChoice

_MOST_CHOICES = 10


def choose(model, context, choices):
    """Gives each choice its probability.

    Args:
        model: `ShownModel` of a `MultipleChoice`.
        context: str.
        choices: str, a choice a line.

    Returns:
        A list of pairs of a choice and its probability, in order.

    Raises:
        ValueError: the context is empty, or there is no choice.
    """
    context = given_text(context, "The context")
    lines = given_lines(choices, "The choices", _MOST_CHOICES)
    if len(lines) < 2:
        raise ValueError("Write two choices or more, one a line.")
    row = model.task.probabilities([(context, lines)])[0]
    return [*zip(lines, row.tolist())]


def _lacking(model):
    if isinstance(model.task, MultipleChoice):
        return ""
    return "a model that was fine-tuned to choose"


def _fields(model):
    return [
        TextField("context", "Context", "The sun"),
        TextField("choices", "Choices, one a line", "rises.\nbarks.", 4),
    ]


TAB = Tab(
    name="multiple_choice",
    title="Multiple choice",
    about="How the fine-tuned model would have a text go on.",
    fields=_fields,
    answer=choose,
    picture=choice_picture,
    lacking=_lacking,
)
