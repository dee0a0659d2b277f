"""Questions as rows of a model, each window of their contexts a row."""

import itertools
import typing

import numpy as np

from keras_bert.data.labelled.squad import SquadQuestion
from keras_bert.tasks.answers.answer_spans import decode_answers
from keras_bert.tasks.answers.answer_windows import AnswerWindows
from keras_bert.tasks.fine_tuning.encoded import Encoded
from keras_bert.tasks.fine_tuning.encoded import arrays
from keras_bert.tasks.fine_tuning.encoded import ragged
from keras_bert.tasks.fine_tuning.encoded import unpadded_rows

# So many texts are tokenized, and so many rows packed, together.
_AT_ONCE = 2048


class WindowedQuestion(typing.NamedTuple):
    """A tokenized question.

    Args:
        question: `SquadQuestion`.
        windows: `AnswerWindows`, each a row.
        token_spans: pair of int arrays `(num_tokens,)`: the first byte of each
            token of the context, and the byte behind each.
    """

    question: SquadQuestion
    windows: AnswerWindows
    token_spans: tuple


def question_rows(preprocess, sizes, questions):
    """Tokenizes questions, perhaps none, and cuts their contexts into windows.

    Args:
        preprocess: `Preprocessor`.
        sizes: `WindowSizes`.
        questions: list of `SquadQuestion`.

    Returns:
        `Encoded`, each window a row; its origin is `WindowedQuestion`s.
    """
    tokenizer = preprocess.tokenizer
    asked = _tokenized(lambda x: (tokenizer(x),), questions, "question")
    contexts = _tokenized(tokenizer.tokenize_with_offsets, questions, "context")
    origin, pairs = [], []
    for question in questions:
        (question_ids,) = asked[question.question]
        ids, *spans = contexts[question.context]
        cut = sizes.windows(len(question_ids), len(ids))
        origin.append(WindowedQuestion(question, cut, spans))
        kept = question_ids[: cut.question_length]
        pairs += [
            (kept, ids[start : start + length])
            for start, length in zip(cut.starts, cut.lengths, strict=True)
        ]
    chunks = (
        arrays(preprocess.pack(*(ragged([p[n] for p in some]) for n in (0, 1))))
        for some in [*_batches(pairs)] or [[]]
    )
    rows = unpadded_rows(preprocess, chunks)
    counts = [len(asked.windows.starts) for asked in origin]
    return Encoded(rows, np.array(counts, int), origin=origin)


def _tokenized(tokenize, questions, name):
    """Tokenizes each text once: a dict from texts to a tokenizer's values."""
    tokens = {}
    texts = dict.fromkeys(getattr(question, name) for question in questions)
    for some in _batches(texts):
        parts = [
            np.split(x.flat_values.numpy(), x.row_splits.numpy()[1:-1])
            for x in tokenize([text.encode("utf-8") for text in some])
        ]
        tokens.update(zip(some, zip(*parts, strict=True), strict=True))
    return tokens


def _batches(items):
    items = iter(items)
    while batch := [*itertools.islice(items, _AT_ONCE)]:
        yield batch


def by_questions(encoded, logits):
    """Gathers the logits of the windows of each question.

    Args:
        encoded: `Encoded`, as returned by `question_rows`.
        logits: list with a float32 array `(num_tokens, 2)` for each row.

    Returns:
        A list with a float32 array `(2, num_windows, width)` for each
        question, as wide as the longest of its windows: the logits of each
        token as the first one of the answer and as the last. Padding has
        minus infinity.
    """
    return [
        _padded(logits[start : start + count])
        for start, count in zip(encoded.starts, encoded.counts, strict=True)
    ]


def row_answers(encoded, logits, n_best_size=20, max_answer_length=30):
    """Answers questions.

    Args:
        encoded: `Encoded`, as returned by `question_rows`.
        logits: list, as returned by `by_questions`.
        n_best_size, max_answer_length: int, as `decode_answers` takes them.

    Returns:
        A dict from the ids of the questions to `Answers`.
    """
    return {
        asked.question.id: decode_answers(
            asked.question.context,
            *asked.token_spans,
            asked.windows,
            *both,
            n_best_size=n_best_size,
            max_answer_length=max_answer_length,
        )
        for asked, both in zip(encoded.origin, logits, strict=True)
    }


def questions_of(encoded):
    """Lists the `SquadQuestion`s that `question_rows` was given."""
    return [asked.question for asked in encoded.origin]


def _padded(logits):
    """The rows of one question, as float32 `(2, num_rows, seq_length)`."""
    width = max(map(len, logits))
    rows = np.full((len(logits), width, 2), -np.inf, np.float32)
    for row, values in zip(rows, logits, strict=True):
        row[: len(values)] = values
    return np.moveaxis(rows, -1, 0)
