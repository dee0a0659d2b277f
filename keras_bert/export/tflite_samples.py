"""Texts that TFLite files are tried on."""

import numpy as np

from keras_bert import features
from keras_bert.data.labelled.rows import read_lines

_TEXTS = (
    "A fine film, and a moving one.",
    "It is far too long, and nothing happens.",
    "The quick brown fox jumps over the lazy dog.",
    "Ada Lovelace wrote to Charles Babbage from London in 1843.",
    "Who wrote the first program?",
    "The train to Leipzig leaves at 9:47 from platform 12.",
    "Please send the invoice to the new address by Friday.",
    "I cannot log in: the page says that my password has expired.",
    "She didn't like the soup; he ate it all the same.",
    "Le caf\u00e9 est ferm\u00e9 \u00e0 cause de la neige.",
    "\u4eca\u5929\u5929\u6c14\u5f88\u597d\u3002",
    "Thanks \U0001f600 see you at 8!",
    "e = mc^2, says the T-shirt.",
    "no",
    "",
    "The committee met again in the spring, and after much debate it found "
    "that neither of the two plans could be paid for. " * 4,
)


def sample_columns(task, texts=None):
    """Arranges texts in the columns that a task takes.

    Args:
        task: a `Task`.
        texts: list of what the task's `predict` takes, a str or a tuple for
            each: a pair of str, or a str and a list of str; by default
            built-in sentences.

    Returns:
        A list with a string array for each of the task's `text_inputs`, a row
        for each text.
    """
    rows = _built_in(task) if texts is None else [*texts]
    if not rows:
        raise ValueError(
            "There must be texts to try the file on. Received: none."
        )
    return [
        _column(task, name, values)
        for name, values in zip(
            task.text_inputs, _columns(task, rows), strict=True
        )
    ]


def id_samples(task, columns):
    """Computes what a task's model takes of each text, without padding.

    Returns:
        A list with a dict for each text of the `sample_columns`, or for each
        window where long texts are read in windows, of int32 arrays with one
        row.
    """
    inputs = {k: x.numpy() for k, x in task.preprocess(*columns).items()}
    mask = inputs[features.INPUT_MASK.name]
    lengths = [np.nonzero(row)[-1].max() + 1 for row in mask]
    return [
        {
            name: inputs[name][index : index + 1, ..., :length]
            for name in task.inputs
        }
        for index, length in enumerate(lengths)
    ]


def _built_in(task):
    mask = task.preprocess.tokenizer.vocabulary.roles.get("mask", "a")
    # Fill-mask has something to fill; to others it is a word.
    texts = [f"{text} {mask}" if text else text for text in _TEXTS]
    if len(task.text_inputs) == 1:
        return texts
    pairs = [*zip(_TEXTS, [*_TEXTS[1:], _TEXTS[0]], strict=True)]
    if task.text_shapes:
        return [(text, [text, second]) for text, second in pairs]
    return pairs


def _columns(task, rows):
    if len(task.text_inputs) == 1:
        return [rows]
    is_right = all(
        isinstance(row, tuple | list) and len(row) == len(task.text_inputs)
        for row in rows
    )
    if not is_right:
        raise ValueError(
            f"Each text must be a tuple of {', '.join(task.text_inputs)}. "
            f"Received: {rows[0]!r}."
        )
    return [*zip(*rows, strict=True)]


def _column(task, name, values):
    rank = len(task.text_shapes.get(name, (None,)))
    array = np.array(_encoded(values, name), dtype=object)
    if array.ndim != rank:
        raise ValueError(
            f"`{name}` must have {rank} dimension(s), str in all places. "
            f"Received: {values[0]!r}, in an array of shape {array.shape}."
        )
    return array


def _encoded(value, name):
    if isinstance(value, str):
        return value.encode("utf-8")
    if isinstance(value, bytes):
        return value
    if isinstance(value, tuple | list):
        return [_encoded(item, name) for item in value]
    raise ValueError(f"`{name}` must be made of str. Received: {value!r}.")


def read_texts(task, path):
    """Reads the texts of a file, for `sample_columns`; None for no file.

    It is a UTF-8 file with a text in each line, with tabs between the strings
    of a task that takes several, and between the choices of a question.

    Raises:
        ValueError: the file is no UTF-8, or a line has too few strings.
    """
    if path is None:
        return None
    texts = (line.rstrip("\r\n") for line in read_lines(path))
    lines = [(number, line) for number, line in enumerate(texts, 1) if line]
    if len(task.text_inputs) == 1:
        return [line for _, line in lines]
    return [
        _cells(task, line, f"{path}, line {number}") for number, line in lines
    ]


def _cells(task, line, where):
    first, *others = line.split("\t")
    if task.text_shapes and len(others) > 1:
        return first, others
    if not task.text_shapes and len(others) == 1:
        return first, *others
    wanted = "a text and two choices or more" if task.text_shapes else "two"
    raise ValueError(
        f"{where}, must hold {wanted}, with tabs between them. "
        f"Received: {1 + len(others)}."
    )
