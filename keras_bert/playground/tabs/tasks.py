"""Tab that shows the predictions of the fine-tuned task, or filled masks."""

import collections

from keras_bert.playground.default_texts import CONTEXT
from keras_bert.playground.default_texts import NAMES
from keras_bert.playground.default_texts import QUESTION
from keras_bert.playground.markup import element
from keras_bert.playground.markup import joined
from keras_bert.playground.markup import note
from keras_bert.playground.markup import piece
from keras_bert.playground.markup import ranking
from keras_bert.playground.markup import shade
from keras_bert.playground.pieces import split_into_pieces
from keras_bert.playground.tab import LinesField
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField
from keras_bert.tasks.multiple_choice import MultipleChoice
from keras_bert.tasks.occlusion import occlusion
from keras_bert.tasks.outputs.answer_spans import n_best
from keras_bert.tasks.outputs.spans import row_answers
from keras_bert.tasks.question_answerer import QuestionAnswerer
from keras_bert.tasks.text_classifier import TextClassifier
from keras_bert.tasks.text_regressor import TextRegressor
from keras_bert.tasks.token_classifier import TokenClassifier

_NUM_ANSWERS = 6
_NUM_COLORS = 8  # Number of colors in the style sheet.
# Effect on the score that is shown with full color in every text.
_FULL_COLOR = 2


# `rankings` contains pairs (heading, list of pairs (text, probability));
# `spans` are dicts of `start`, `end` and `label` to mark in `text`; `shares`
# contains pairs (piece, effect on the score).
Answer = collections.namedtuple(
    "Answer",
    "headline rankings text spans shares note",
    defaults=((), "", (), (), ""),
)


def answer_picture(answer):
    """Render an `Answer` as `Html`."""
    parts = [
        note(answer.note),
        element("p", element("b", answer.headline)),
        element("div", *_marked(answer.text, answer.spans), class_="prose"),
        *(ranking(heading, pairs) for heading, pairs in answer.rankings),
    ]
    if answer.shares:
        shares = [_share(*pair) for pair in answer.shares]
        parts += [
            element("h3", "Effect of each piece"),
            element("div", *shares, class_="text"),
            note(
                "Blue pieces support the prediction, orange pieces oppose it. "
                "The number is the decrease of the logit or score when the "
                f"piece is masked; full color is {_FULL_COLOR} or more."
            ),
        ]
    return joined(*parts)


def _marked(text, spans):
    labels, end = sorted({span["label"] for span in spans}), 0
    for span in spans:
        yield text[end : span["start"]]
        end = span["end"]
        color = f"color{labels.index(span['label']) % _NUM_COLORS}"
        name = element("small", f" {span['label']}")
        yield element("mark", text[span["start"] : end], name, class_=color)
    yield text[end:]


def _share(token, share):
    style = shade(0.8 * max(-1, min(share / _FULL_COLOR, 1)))
    number = element("small", f"{round(share, 2) + 0.0:+.2f}")
    return element("span", piece(token, style=style), number, class_="share")


def _label(model, text, pair=""):
    task, texts, index = model.task, [(text, pair) if pair else text], 0
    answer, rankings = task.predict(texts)[0], []
    if isinstance(task, TextRegressor):
        headline = f"Score: {answer:.3f}"
    else:
        several = answer if isinstance(answer, list) else [answer]
        labels = ", ".join(one["label"] for one in several)
        headline = f"Label: {labels or 'none'}"
        row = task.probabilities(texts)[0]
        index = int(row.argmax())
        pairs = zip(task.labels, row.tolist(), strict=True)
        rankings = [("Label", sorted(pairs, key=lambda pair: -pair[1]))]
    shares = occlusion(task, text, pair or None)[:, index].tolist()
    pieces = split_into_pieces(model, task.preprocess, text, pair)
    message = pieces.note
    if message and task.settings["windows"]:
        message = (
            "The prediction is for the whole text, which is read in windows. "
            f"The first {len(pieces.tokens)} pieces are shown."
        )
    shares = [*zip(pieces.tokens, shares, strict=True)]
    return Answer(headline, rankings, shares=shares, note=message)


def _label_fields(model):
    fields = [TextField("text", "Text", "A delight from beginning to end.")]
    is_pair = model.task.is_pair
    if is_pair is not False and not model.task.settings["windows"]:
        value = "I enjoyed all of it."
        fields.append(
            TextField("pair", "Second text", value, is_optional=not is_pair)
        )
    return fields


def _answer_question(model, question, context):
    task = model.task
    encoded = task._encode([(question, context)])
    logits = task._logits(encoded)
    (chosen,) = task.outputs.decode(encoded, logits)
    (answers,) = row_answers(encoded, logits, _NUM_ANSWERS).values()
    spans, message = answers.spans, ""
    if task.null_threshold is not None:
        spans = [*spans, answers.null]
        message = (
            'The prediction is "no answer" if it scores higher than the best '
            f"answer by more than {task.null_threshold:.2f}."
        )
    best = [(answer.text or "no answer", x) for answer, x in n_best(spans)]
    is_answered = chosen["start"] < chosen["end"]
    return Answer(
        chosen["answer"] if is_answered else "No answer",
        [("Answer", best)],
        context,
        [{**chosen, "label": ""}] if is_answered else [],
        note=message,
    )


def _tag(model, text):
    (entities,) = model.task.predict([text])
    names = [label.partition("-")[2] or label for label in model.task.labels]
    labels = ", ".join(sorted({*names} - {"O"}))
    headline = f"{len(entities)} entities found. Labels: {labels}"
    return Answer(headline, text=text, spans=entities)


def _choose(model, context, choices):
    shares = model.task.probabilities([(context, choices)])[0].tolist()
    best = choices[shares.index(max(shares))]
    pairs = [*zip(choices, shares, strict=True)]
    return Answer(best, [("Choice", pairs)])


def fill(model, text):
    """Fill the masks of a text.

    Returns:
        A list for each mask with (piece, probability) pairs, most probable
        first.
    """
    mask = model.vocabulary.roles["mask"]
    if mask not in text:
        raise ValueError(f"Put {mask} into the text.")
    try:
        fillings = model.fill_mask(text)
    except ValueError:
        raise ValueError(
            f"Put {mask} nearer to the start: the model reads only the first "
            f"{model.pretrained.sequence_length()} pieces of a text."
        ) from None
    return [
        [(item["token"], item["probability"]) for item in filling]
        for filling in fillings
    ]


def fill_fields(model):
    """Return the field of a text with a mask."""
    mask = model.vocabulary.roles["mask"]
    value = f"The function returns a {mask} of strings."
    return [TextField("text", f"Text with {mask}", value)]


def can_fill(model):
    """Return True if a model can fill masks."""
    return model.has("masked_lm_head") and "mask" in model.vocabulary.roles


def _fill(model, text):
    fillings = fill(model, text)
    best = ", ".join(filling[0][0] for filling in fillings)
    numbered = enumerate(fillings, 1)
    return Answer(best, [(f"Mask {number}", x) for number, x in numbered])


# Map task classes to their fields and prediction functions.
_TASKS = {
    TextClassifier: (_label_fields, _label),
    TextRegressor: (_label_fields, _label),
    QuestionAnswerer: (
        lambda model: [
            TextField("question", "Question", QUESTION),
            TextField("context", "Context", CONTEXT, 8),
        ],
        _answer_question,
    ),
    TokenClassifier: (
        lambda model: [TextField("text", "Text", NAMES, 4)],
        _tag,
    ),
    MultipleChoice: (
        lambda model: [
            TextField("context", "Context", "The sun"),
            LinesField(
                "choices",
                "Choices, one per line",
                "rises.\nbarks.",
                4,
                min_lines=2,
                max_lines=10,
            ),
        ],
        _choose,
    ),
}


def _task_of(model):
    """Return the functions for fields and predictions of a model, or None."""
    if model.task is None:
        return (fill_fields, _fill) if can_fill(model) else None
    known = [
        x
        for task_class, x in _TASKS.items()
        if isinstance(model.task, task_class)
    ]
    return known[0] if known else None


TAB = Tab(
    name="task",
    title="Task",
    description="The prediction of the fine-tuned model: labels with the "
    "effect of each piece, the answer to a question, tagged words or a choice. "
    "A pre-trained model fills masks.",
    fields=lambda model: _task_of(model)[0](model),
    answer=lambda model, **values: _task_of(model)[1](model, **values),
    picture=answer_picture,
    missing_part=lambda model: (
        "" if _task_of(model) else "a fine-tuned task or a masked-LM head"
    ),
)
