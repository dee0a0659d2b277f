"""Reader for SQuAD files, versions 1.1 and 2.0."""

import dataclasses
import re

from absl import logging

from keras_bert.config import read_json_file
from keras_bert.files.rows import check_characters
from keras_bert.messages import brief
from keras_bert.summary import Summarized
from keras_bert.typing import Path

_TYPE_NAMES = {
    bool: "true or false",
    dict: "an object",
    int: "an integer",
    list: "a list",
    str: "a string",
}
# Some datasets write ids as numbers, booleans as 0 or 1, offsets as 15.0.
_CONVERSIONS = {
    ("id", int): str,
    ("is_impossible", int): lambda x: {0: False, 1: True}.get(x, x),
    ("answer_start", float): lambda x: int(x) if x.is_integer() else x,
}
_NUM_NAMED = 5


@dataclasses.dataclass(frozen=True, repr=False)
class SquadQuestion(Summarized):
    """Question with its context and reference answers.

    Args:
        id: str; numbers are converted to str.
        question: str.
        context: str.
        answers: tuple of pairs (text, start) as in the file; a start is a
            character offset in the context.
        is_impossible: bool, whether the context contains no answer.
        answer_span: pair of int, byte offsets of the training target in the
            UTF-8 context: the first answer that `find_answer` finds, or None.
    """

    id: str
    question: str
    context: str
    answers: tuple
    is_impossible: bool
    answer_span: tuple | None

    @property
    def is_trainable(self):
        """True if the question is impossible or has an answer span."""
        return self.is_impossible or self.answer_span is not None


def read_squad(path: Path, has_answers: bool = True) -> list[SquadQuestion]:
    """Read a SQuAD JSON file.

    A question is impossible if the file says so or lists no answers. A question
    without an answer at the given offset is returned, but not used in training;
    a warning reports the number of such questions.

    Args:
        path: path of the file.
        has_answers: whether to read the answers.

    Returns:
        A list of `SquadQuestion`.

    Raises:
        ValueError: the file is not valid JSON, a key is missing, a value has
            the wrong type, an id occurs twice, or there is no question.
    """
    questions = squad_questions(read_json_file(path), path, has_answers)
    skipped = [
        question.id for question in questions if not question.is_trainable
    ]
    if skipped and has_answers:
        logging.warning(
            "%s: %d question(s) have no answer at the given `answer_start`. "
            "They are skipped in training, but not in evaluation. The first: "
            "%s.",
            path,
            len(skipped),
            ", ".join(skipped[:_NUM_NAMED]),
        )
    return questions


def squad_questions(data_set, source, has_answers=True):
    """Return the questions of a parsed SQuAD file.

    Args:
        data_set: dict, parsed JSON of a SQuAD file.
        source: str, name of the data to show in error messages.
        has_answers: bool, whether to read the answers.

    Returns:
        A list of `SquadQuestion`.

    Raises:
        ValueError: see `read_squad`.
    """
    questions = {}
    for article, where in _items(data_set, "data", source, "article"):
        if isinstance(article, dict) and isinstance(article.get("title"), str):
            where += f" ({article['title']!r})"
        paragraphs = _items(article, "paragraphs", where, "paragraph")
        for paragraph, where in paragraphs:
            context = _field(paragraph, "context", str, where)
            for entry, where in _items(paragraph, "qas", where, "question"):
                question = _question(entry, context, where, has_answers)
                if question.id in questions:
                    raise ValueError(
                        f"{where}: the `id` of each question must be unique. "
                        f"Received: {brief(question.id)} again."
                    )
                questions[question.id] = question
    if not questions:
        raise ValueError(
            f"{source} must contain at least one question. Received: "
            f"{len(data_set['data'])} article(s) without any."
        )
    return [*questions.values()]


def has_impossible(questions):
    """Return True if any question is impossible, as in SQuAD 2.0."""
    return any(question.is_impossible for question in questions)


def _question(entry, context, where, has_answers):
    name = _field(entry, "id", str, where)
    where += f" ({name!r})"
    if not context.strip():
        raise ValueError(
            f"{where}: `context` must not be blank. Received: {brief(context)}."
        )
    question = _field(entry, "question", str, where)
    if not has_answers:
        return SquadQuestion(name, question, context, (), False, None)
    answers = tuple(
        (
            _field(answer, "text", str, where),
            _field(answer, "answer_start", int, where),
        )
        for answer, where in _items(entry, "answers", where, "answer")
    )
    is_said = "is_impossible" in entry
    if is_said and _field(entry, "is_impossible", bool, where) and answers:
        raise ValueError(
            f"{where}: an impossible question must have no answers. Received: "
            f"{len(answers)} answers, such as {brief(answers[0][0])}."
        )
    spans = (find_answer(context, *answer) for answer in answers)
    span = next(filter(None, spans), None)
    return SquadQuestion(name, question, context, answers, not answers, span)


def _items(value, key, where, noun):
    """Return the items of a list in an object with their locations."""
    for number, item in enumerate(_field(value, key, list, where), 1):
        yield item, f"{where}, {noun} {number}"


def _field(value, key, expected_type, where):
    """Return the value of a key, or raise ValueError for a wrong type."""
    if not isinstance(value, dict):
        raise ValueError(
            f"{where} must be an object. Received: {brief(value)}."
        )
    if key not in value:
        raise ValueError(
            f"{where} must have `{key}`, {_TYPE_NAMES[expected_type]}. "
            f"Received the keys: {brief([*value])}."
        )
    content = value[key]
    if (key, type(content)) in _CONVERSIONS:
        content = _CONVERSIONS[key, type(content)](content)
    if type(content) is not expected_type:
        raise ValueError(
            f"{where}: `{key}` must be {_TYPE_NAMES[expected_type]}. "
            f"Received: {brief(content)}."
        )
    if expected_type is str:
        check_characters(content, f"{where}: `{key}`")
    return content


def find_answer(context, text, start):
    """Find an answer at or near its offset, as in google-research/bert.

    If the answer is not exactly at `start`, the function searches the words
    that contain the `len(text)` characters from `start`. In this search, any
    white space matches any other white space.

    Args:
        context: str.
        text: str, the answer.
        start: int, character offset of the answer in the context.

    Returns:
        The (start, end) byte offsets in the UTF-8 context, or None if the
        context does not contain the answer.
    """
    end = start + len(text)
    if not text.strip() or not 0 <= start < end <= len(context):
        return None
    if context[start:end] != text:
        pattern = re.compile(r"\s+".join(map(re.escape, text.split())))
        match = pattern.search(context, *_word_bounds(context, start, end))
        if match is None:
            return None
        start, end = match.span()
    first = len(context[:start].encode())
    return first, first + len(context[start:end].encode())


def _word_bounds(context, start, end):
    """Extend a span of characters to whole words."""
    words = [word.span() for word in re.finditer(r"\S+", context)] or [(0, 0)]
    # White space belongs to the word before it.
    first = max(
        [0, *(n for n, (begin, _) in enumerate(words) if begin <= start)]
    )
    last = max([0, *(n for n, (begin, _) in enumerate(words) if begin < end)])
    return words[first][0], words[last][1]
