"""Tokenization of questions into model inputs and span targets."""

import itertools
import os
import typing

import numpy as np
from absl import logging

from keras_bert.messages import brief
from keras_bert.tasks.columns import as_list
from keras_bert.tasks.columns import encoded_texts
from keras_bert.tasks.columns import named_columns
from keras_bert.tasks.inputs.answer_windows import AnswerWindows
from keras_bert.tasks.inputs.answer_windows import WindowSizes
from keras_bert.tasks.inputs.answer_windows import answer_labels
from keras_bert.tasks.inputs.answer_windows import token_span
from keras_bert.tasks.inputs.inputs import Inputs
from keras_bert.tasks.inputs.question_preprocessor import QuestionPreprocessor
from keras_bert.tasks.readers.squad import SquadQuestion
from keras_bert.tasks.readers.squad import read_squad
from keras_bert.tasks.readers.squad import squad_questions
from keras_bert.tasks.training.encoded import Encoded
from keras_bert.tasks.training.encoded import ragged_rows
from keras_bert.tasks.training.encoded import token_targets
from keras_bert.tasks.training.encoded import tokenized

_NUM_NAMED = 5
_KEYS = (("question", "context"),)


def labelled_questions(questions):
    """Convert questions and their answers to `SquadQuestion`s.

    Args:
        questions: path of a SQuAD file (str), its parsed JSON (dict), or a
            list of `SquadQuestion`; or rows, or a table, with the keys of
            "squad" on the Hugging Face Hub.

    Returns:
        A list of `SquadQuestion`.

    Raises:
        ValueError: the list is empty or has the wrong format.
    """
    if isinstance(questions, str | os.PathLike):
        return read_squad(questions)
    named = named_columns(questions)
    if named is not None and "question" in named:
        columns = [as_list(named[name], name) for name in named]
        rows = zip(*columns, strict=True)
        questions = [dict(zip(named, row, strict=True)) for row in rows]
    if isinstance(questions, dict):
        return squad_questions(questions, "`questions`")
    questions = as_list(questions, "questions")
    if questions and all(isinstance(row, dict) for row in questions):
        return squad_questions(_parsed_json(questions), "`questions`")
    for index, question in enumerate(questions):
        if not isinstance(question, SquadQuestion):
            raise ValueError(
                "`questions` must be the path of a SQuAD file, its parsed "
                "JSON, a list of `SquadQuestion`, or rows with the keys "
                "`question`, `context` and `answers`. Received: "
                f"{brief(question)} at index {index}."
            )
    if not questions:
        raise ValueError("`questions` must not be empty. Received: [].")
    seen = set()
    for index, question in enumerate(questions):
        if question.id in seen:
            raise ValueError(
                "The `id` of each question must be unique. Received: "
                f"{brief(question.id)} again at index {index}."
            )
        seen.add(question.id)
    return questions


def _parsed_json(rows):
    """Convert rows to the contents of a SQuAD file."""
    paragraphs = []
    for index, row in enumerate(rows):
        answers = row.get("answers")
        if isinstance(answers, dict):  # Lists of texts and of starts.
            pairs = itertools.zip_longest(*answers.values())
            answers = [dict(zip(answers, pair, strict=True)) for pair in pairs]
        question = {"id": index, **row, "answers": answers}
        paragraphs.append({"context": row.get("context"), "qas": [question]})
    return {"data": [{"paragraphs": paragraphs}]}


def unlabelled_questions(pairs):
    """Create `SquadQuestion`s without answers, with indices as ids.

    Args:
        pairs: list of (question, context) pairs, or another container that
            `as_rows` accepts. The container may be empty.

    Raises:
        ValueError: an item is not a pair of texts. The message names its index.
    """
    columns = encoded_texts(pairs, _KEYS)
    return [
        SquadQuestion(str(index), *map(bytes.decode, pair), (), False, None)
        for index, pair in enumerate(zip(*columns, strict=True))
    ]


class Questions(Inputs):
    """Inputs for question answering, with contexts split into windows.

    Args:
        pretrained: `PretrainedModel`.
        template: `Template`.
        settings: dict with `seq_length`, `doc_stride` and `max_query_length`.
    """

    text_inputs = ("question", "context")
    is_per_token = True

    def __init__(self, pretrained, template, settings):
        names = "seq_length", "doc_stride", "max_query_length"
        sizes = [settings[name] for name in names]
        sizes += [template.num_special(is_pair=True), template.second_is_first]
        self.preprocess = QuestionPreprocessor(
            pretrained.tokenizer, template, WindowSizes(*sizes)
        )

    def read(self, pairs):
        return unlabelled_questions(pairs)

    def read_labelled(self, questions, labels):
        return labelled_questions(questions), labels

    def encode(self, questions, targets=None, weights=None):
        encoded = question_rows(self.preprocess, questions)
        return encoded if targets is None else with_spans(encoded)

    def join(self, encoded, logits):
        pairs = zip(encoded.starts, encoded.counts, strict=True)
        return [logits[start : start + count] for start, count in pairs]

    def distillation_targets(self, encoded, logits):
        windows = [*itertools.chain.from_iterable(logits)]
        return token_targets(encoded.rows, windows, -np.inf)


class WindowedQuestion(typing.NamedTuple):
    """Tokenized question and the windows of its context.

    Args:
        question: `SquadQuestion`.
        windows: `AnswerWindows`. Each window is one row of model inputs.
        token_spans: pair of int arrays `(num_tokens,)`, byte offsets of the
            start and the end of each context token.
    """

    question: SquadQuestion
    windows: AnswerWindows
    token_spans: tuple


def question_rows(preprocess, questions):
    """Tokenize questions and split their contexts into windows.

    Args:
        preprocess: `QuestionPreprocessor`.
        questions: list of `SquadQuestion`, possibly empty.

    Returns:
        `Encoded` with one row per window and a list of `WindowedQuestion` as
        `decode_context`.
    """
    tokenizer = preprocess.tokenizer
    ids_of = _distinct(tokenizer, [x.question for x in questions])
    contexts = _distinct(
        tokenizer.tokenize_with_offsets, [x.context for x in questions]
    )
    windowed, firsts, seconds = [], [], []
    for question in questions:
        (question_ids,) = ids_of[question.question]
        ids, *spans = contexts[question.context]
        cut = preprocess.sizes.windows(len(question_ids), len(ids))
        windowed.append(WindowedQuestion(question, cut, spans))
        firsts += [question_ids[: cut.question_length]] * len(cut.starts)
        seconds += [
            ids[start : start + length]
            for start, length in zip(cut.starts, cut.lengths, strict=True)
        ]
    rows = ragged_rows(preprocess, firsts, seconds)
    counts = [len(item.windows.starts) for item in windowed]
    return Encoded(rows, np.array(counts, int), decode_context=windowed)


def _distinct(tokenize, texts):
    """Tokenize each distinct text once and return a dict of outputs."""
    texts = [*dict.fromkeys(texts)]
    tokens = tokenized(tokenize, [text.encode("utf-8") for text in texts])
    return dict(zip(texts, tokens, strict=True))


def questions_of(encoded):
    """Return the `SquadQuestion`s that were passed to `question_rows`."""
    return [item.question for item in encoded.decode_context]


def padded(logits):
    """Stack the logits of several windows, padded with minus infinity.

    Args:
        logits: list with a float32 array `(num_tokens, 2)` for each window.

    Returns:
        float32 `(2, num_windows, width)`, the start and end logits.
    """
    width = max(map(len, logits))
    rows = np.full((len(logits), width, 2), -np.inf, np.float32)
    for row, values in zip(rows, logits, strict=True):
        row[: len(values)] = values
    return np.moveaxis(rows, -1, 0)


def with_spans(encoded):
    """Add the start and end positions of the answers as targets.

    The target is [CLS] if a window does not contain the whole answer. A
    question gets weight 0 if its answer is not at the given offset.

    Args:
        encoded: `Encoded`, as returned by `question_rows`.

    Returns:
        `Encoded` with the targets of `SpanCrossEntropy`.
    """
    context = encoded.decode_context
    questions = questions_of(encoded)
    spans = [
        q.answer_span and token_span(*token_spans, q.answer_span)
        for q, _, token_spans in context
    ]
    is_known = [
        question.is_impossible or span is not None
        for question, span in zip(questions, spans, strict=True)
    ]
    labels = [
        answer_labels(item.windows, span)
        for item, span in zip(context, spans, strict=True)
    ]
    columns = [*np.concatenate(labels, axis=1), encoded.rows.lengths]
    return Encoded(
        encoded.rows,
        encoded.counts,
        targets=np.stack(columns, axis=1).astype(np.int32),
        weights=np.repeat(is_known, encoded.counts).astype(np.float32),
        decode_context=context,
    )


def check_spans(encoded):
    """Warn about questions that are skipped in training.

    Args:
        encoded: `Encoded`, as returned by `with_spans`.

    Raises:
        ValueError: all questions are skipped.
    """
    pairs = zip(encoded.decode_context, encoded.starts, strict=True)
    skipped = [x.question.id for x, row in pairs if not encoded.weights[row]]
    if len(skipped) == len(encoded.decode_context):
        raise ValueError(
            "At least one question must have an answer at its `answer_start`. "
            f"Received: {len(skipped)} without one, such as {skipped[0]!r}."
        )
    if skipped:
        logging.warning(
            "%d of %d questions are skipped in training, because their "
            "answers are not at `answer_start`: %s.",
            len(skipped),
            len(encoded.decode_context),
            ", ".join(skipped[:_NUM_NAMED]),
        )
