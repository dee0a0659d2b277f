"""Files of texts that TFLite files are tried on."""

import pathlib


def read_texts(task, path):
    """Texts of a file, as `sample_columns` wants them.

    Args:
        task: a `Task`.
        path: str, a UTF-8 file with a text in each line. Of a task that takes
            several strings, a tab stands between them, and between the
            choices of a question. None for no file.

    Returns:
        A list of str, or of tuples; None for no file.

    Raises:
        ValueError: the file is no UTF-8, or a line has too few strings.
    """
    if path is None:
        return None
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} must be UTF-8. Received: a byte that is none, at "
            f"{error.start}."
        ) from None
    lines = enumerate(text.split("\n"), 1)
    lines = [(number, line) for number, line in lines if line]
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
