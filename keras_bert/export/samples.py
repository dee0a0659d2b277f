"""Sample texts for calibration and comparison of TFLite files."""

import numpy as np

from keras_bert import features
from keras_bert.files.rows import read_lines
from keras_bert.messages import brief

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
    """Convert texts to the input columns of a task.

    Args:
        task: a `Task`.
        texts: list of examples in the format of the task's `predict`: a str,
            a pair of str, or a str and a list of str. Defaults to built-in
            sentences.

    Returns:
        A list with one array of bytes for each of the task's `text_inputs`. An
        array has one row for each text.
    """
    is_one_text = isinstance(texts, str | bytes)
    if texts is not None and (is_one_text or not np.iterable(texts)):
        raise ValueError(
            f"`texts` must be a list of examples. Received: "
            f"texts={brief(texts)}."
        )
    rows = [*texts] if texts is not None else _rows(task, _TEXTS)
    names = task.text_inputs
    if not rows:
        raise ValueError("`texts` must not be empty. Received: texts=[].")
    if len(names) == 1:
        rows = [(row,) for row in rows]
    if any(
        not isinstance(row, tuple | list) or len(row) != len(names)
        for row in rows
    ):
        raise ValueError(
            f"Each text must be a tuple of {', '.join(names)}. "
            f"Received: {brief(rows[0])}."
        )
    return [
        _column(name, values, len(task.text_shapes.get(name, (None,))))
        for name, values in zip(names, zip(*rows, strict=True), strict=True)
    ]


def long_columns(task, num_words):
    """Return the input columns of one text with at least `num_words` words."""
    text = " ".join(_with_masks(task, _TEXTS))
    text = " ".join([text] * (1 + num_words // len(text.split())))
    return sample_columns(task, _rows(task, [text]))


def _column(name, values, rank):
    array = np.array(values, dtype=object)
    if array.ndim != rank or any(
        not isinstance(text, str | bytes) for text in array.flat
    ):
        raise ValueError(
            f"`{name}` must contain str in {rank} dimension(s). "
            f"Received: {brief(values[0])}, in an array of shape {array.shape}."
        )
    data = [x.encode() if isinstance(x, str) else x for x in array.flat]
    return np.array(data, dtype=object).reshape(array.shape)


def id_samples(task, columns):
    """Return the model inputs of each text, without padding.

    Returns:
        A list with a dict of int32 arrays for each text, or for each window of
        a text. Each array has one row.
    """
    inputs = {k: x.numpy() for k, x in task.preprocess(*columns).items()}
    mask = inputs[features.INPUT_MASK.name]
    lengths = [np.nonzero(row)[-1].max(initial=0) + 1 for row in mask]
    return [
        {
            name: inputs[name][index : index + 1, ..., :length]
            for name in task.input_names
        }
        for index, length in enumerate(lengths)
    ]


def _rows(task, texts):
    """Return texts in the format of the task's `predict`."""
    if len(task.text_inputs) == 1:
        return _with_masks(task, texts)
    pairs = [*zip(texts, [*texts[1:], texts[0]], strict=True)]
    if task.text_shapes:
        return [(text, [text, second]) for text, second in pairs]
    return pairs


def _with_masks(task, texts):
    """Append a mask, which FillMask needs, to each text that is not empty."""
    mask = task.preprocess.tokenizer.vocabulary.roles.get("mask", "a")
    return [f"{text} {mask}" if text else text for text in texts]


def read_texts(task, path):
    """Read the texts in a file for `sample_columns`.

    The file is UTF-8 with one example per line. If the task has several inputs,
    tabs separate the strings of an example, and the choices of a question. If
    `path` is None, the result is None.

    Raises:
        ValueError: the file is not UTF-8, or a line has too few strings.
    """
    if path is None:
        return None
    texts = []
    for number, line in enumerate(read_lines(path), 1):
        line = line.rstrip("\r\n")
        first, *others = line.split("\t")
        if line and len(task.text_inputs) == 1:
            texts.append(line)
        elif task.text_shapes and len(others) > 1:
            texts.append((first, others))
        elif not task.text_shapes and len(others) == 1:
            texts.append((first, *others))
        elif line:
            raise ValueError(
                f"{path}, line {number}, must have "
                f"{'a text and choices' if task.text_shapes else 'two texts'}, "
                f"with tabs between them. Received: {1 + len(others)} "
                "column(s)."
            )
    return texts
