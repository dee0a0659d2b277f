"""Questions as rows of a model, each window of their contexts a row."""

import dataclasses
import itertools

import numpy as np

from keras_bert.data.batches.packed_rows import PackedRows
from keras_bert.tasks.answers.answer_spans import decode_answers
from keras_bert.tasks.fine_tuning.examples import arrays
from keras_bert.tasks.fine_tuning.examples import ragged
from keras_bert.tasks.fine_tuning.examples import unpadded_rows

# So many texts are tokenized, and so many rows packed, together.
_AT_ONCE = 2048


@dataclasses.dataclass(frozen=True)
class QuestionRows:
    """Tokenized questions.

    Args:
        questions: list of `SquadQuestion`.
        windows: list of `AnswerWindows`, one for each question.
        token_spans: list of pairs of int arrays `(num_tokens,)`: the first
            byte of each token of the context, and the byte behind each.
        rows: `PackedRows`, the windows of all questions in order.
    """

    questions: list
    windows: list
    token_spans: list
    rows: PackedRows

    def slices(self):
        """Lists the slice of the rows of each question."""
        counts = (len(windows.starts) for windows in self.windows)
        edges = itertools.accumulate(counts, initial=0)
        return [slice(*bounds) for bounds in itertools.pairwise(edges)]

    def part(self, indices):
        """Some of the questions, by their indices, as `QuestionRows`."""
        slices = self.slices()
        rows = np.concatenate([np.r_[slices[index]] for index in indices])
        return QuestionRows(
            [self.questions[index] for index in indices],
            [self.windows[index] for index in indices],
            [self.token_spans[index] for index in indices],
            self.rows.part(rows),
        )


def question_rows(preprocess, sizes, questions):
    """Tokenizes questions, perhaps none, and cuts their contexts into windows.

    Args:
        preprocess: `Preprocessor`.
        sizes: `WindowSizes`.
        questions: list of `SquadQuestion`.
    """
    tokenizer = preprocess.tokenizer
    asked = _tokenized(lambda x: (tokenizer(x),), questions, "question")
    contexts = _tokenized(tokenizer.tokenize_with_offsets, questions, "context")
    windows, token_spans, pairs = [], [], []
    for question in questions:
        (question_ids,) = asked[question.question]
        ids, *spans = contexts[question.context]
        cut = sizes.windows(len(question_ids), len(ids))
        windows.append(cut)
        token_spans.append(spans)
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
    return QuestionRows(questions, windows, token_spans, rows)


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


def question_logits(forward, asked):
    """Runs a model over questions.

    Args:
        forward: `Forward` of a model that gives `logits`, float32
            `(batch_size, seq_length, 2)`.
        asked: `QuestionRows`.

    Returns:
        A list with a float32 array `(2, num_windows, width)` for each
        question, as wide as the longest of its windows: the logits of each
        token as the first one of the answer and as the last. Padding has
        minus infinity.
    """
    logits = [None] * len(asked.rows)
    for indices, outputs in forward(asked.rows):
        for index, row in zip(indices, outputs["logits"], strict=True):
            logits[index] = row[: asked.rows.lengths[index]]
    return [_padded(logits[rows]) for rows in asked.slices()]


def row_answers(asked, logits, n_best_size=20, max_answer_length=30):
    """Answers questions.

    Args:
        asked: `QuestionRows`.
        logits: list, as returned by `question_logits`.
        n_best_size, max_answer_length: int, as `decode_answers` takes them.

    Returns:
        A dict from the ids of the questions to `Answers`.
    """
    return {
        question.id: decode_answers(
            question.context,
            *token_spans,
            windows,
            *both,
            n_best_size=n_best_size,
            max_answer_length=max_answer_length,
        )
        for question, windows, token_spans, both in zip(
            asked.questions,
            asked.windows,
            asked.token_spans,
            logits,
            strict=True,
        )
    }


def _padded(logits):
    """The rows of one question, as float32 `(2, num_rows, seq_length)`."""
    width = max(map(len, logits))
    rows = np.full((len(logits), width, 2), -np.inf, np.float32)
    for row, values in zip(rows, logits, strict=True):
        row[: len(values)] = values
    return np.moveaxis(rows, -1, 0)
