"""Answers to a file of texts of any size.

They are computed for some thousands of texts at once. A run that was killed
goes on after the last of these pieces, so that its output is that of an
unkilled run.
"""

import itertools
import json
import pathlib

from absl import logging

from keras_bert import artifacts
from keras_bert.tasks.prediction.progress import Progress

ROWS_AT_ONCE = 4096


def answer_file(
    text_file, output_file, make_task, settings, overwrite=False, inputs=()
):
    """Answers each row of a file with a line of JSON, in order.

    A line holds `line`, the number of the line where the row begins, and
    `prediction`, what `predict` gives for it. Until all are there, they are in
    the directory `OUTPUT_FILE.unfinished`.

    Args:
        text_file: `TextFile`. It is read once before any answer, so that a
            row at fault is told at once.
        output_file: str, new.
        make_task: function that gives an object with `predict`, from a list of
            str, or of pairs of str, to a list of what JSON can hold.
        settings: dict for JSON, what else the answers depend on.
        overwrite: bool, replace what an earlier run has written.
        inputs: list of str, files and directories that are read besides.

    Raises:
        ValueError: the output may not be written, a run with other settings
            was killed, or a row is at fault.
    """
    artifacts.check_output_files(
        [output_file], [text_file.path, *inputs], overwrite
    )
    num_rows = sum(1 for _ in text_file.rows())
    about = {
        "input": artifacts.sha256(text_file.path),
        "columns": text_file.columns,
        "rows_at_once": ROWS_AT_ONCE,
        **settings,
    }
    with artifacts.Unfinished(f"{output_file}.unfinished") as unfinished:
        unfinished.begin(about, overwrite=overwrite)
        pieces = [
            unfinished.place / f"{first:012d}.jsonl"
            for first in range(0, num_rows, ROWS_AT_ONCE)
        ]
        _answer(make_task(), text_file, num_rows, pieces)
        with (
            artifacts.recorded_file(output_file, {"rows": num_rows}) as name,
            open(name, "wb") as file,
        ):
            for piece in pieces:
                file.write(piece.read_bytes())
        unfinished.discard()


def _answer(task, text_file, num_rows, pieces):
    """Writes the pieces that are not there yet."""
    num_done = sum(piece.exists() for piece in pieces)
    first = min(num_done * ROWS_AT_ONCE, num_rows)
    if first:
        logging.info("Going on after %d rows.", first)
    progress = Progress(num_rows, first)
    rows = itertools.islice(text_file.rows(), first, None)
    for piece in pieces[num_done:]:
        some = [*itertools.islice(rows, ROWS_AT_ONCE)]
        with artifacts.whole_file(piece) as name:
            text = "".join(_answers(task, some))
            pathlib.Path(name).write_text(text, encoding="utf-8")
        progress.add(len(some))


def _answers(task, piece):
    """The lines of the output for some rows."""
    numbers, rows = zip(*piece)
    texts = [tuple(row) if len(row) > 1 else row[0] for row in rows]
    for number, answer in zip(numbers, task.predict(texts), strict=True):
        values = {"line": number, "prediction": answer}
        yield json.dumps(values, ensure_ascii=False) + "\n"


def check_columns(task, num_columns):
    """Raises ValueError unless a task answers texts, or pairs, of a file.

    Args:
        task: `FineTunedTask`.
        num_columns: int, 1 for texts, 2 for pairs.
    """
    name = type(task).__name__
    if not {*task.text_inputs} <= {"text", "text_pair"}:
        raise ValueError(
            "The model must answer texts or pairs of texts. Received: a "
            f"{name}, which takes {' and '.join(task.text_inputs)}."
        )
    is_pair = task.settings.get("is_pair")
    if is_pair is not None and is_pair != (num_columns == 2):
        wanted = "pairs: name both columns" if is_pair else "single texts"
        raise ValueError(
            f"The {name} was trained on {wanted}. Received: {num_columns} "
            "column(s) of text."
        )
