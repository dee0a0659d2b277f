"""Answers to a file of any size.

They are computed for hundreds or thousands of rows at once. A run that was
killed goes on after the last of these pieces, so that its output is that of an
unkilled run.
"""

import itertools
import json

from absl import logging

from keras_bert import artifacts
from keras_bert.programs.prediction.progress import Progress


def answer_file(
    asked, output_file, make_task, settings, overwrite=False, inputs=()
):
    """Answers each row of a file with a line of JSON, in order.

    A line holds the place of the row, such as `line`, the number of the line
    where it begins, and `prediction`, what the task gives for it. Until all
    are there, they are in the directory `OUTPUT_FILE.unfinished`.

    Args:
        asked: `Asked`. It is read once before any answer, so that a
            row at fault is told at once.
        output_file: str, new.
        make_task: function that gives a task that `asked` is for.
        settings: dict for JSON, what else the answers depend on.
        overwrite: bool, replace what an earlier run has written.
        inputs: list of str, files and directories that are read besides.

    Raises:
        ValueError: the output may not be written, a run with other settings
            was killed, or a row is at fault.
    """
    artifacts.check_output_files(
        [output_file], [asked.path, *inputs], overwrite
    )
    num_rows = sum(1 for _ in asked.rows())
    about = {
        "input": artifacts.sha256(asked.path),
        "columns": asked.columns,
        "rows_at_once": asked.rows_at_once,
        **settings,
    }
    with artifacts.Unfinished(f"{output_file}.unfinished") as unfinished:
        unfinished.begin(about, overwrite=overwrite)
        pieces = [
            unfinished.place / f"{first:012d}.jsonl"
            for first in range(0, num_rows, asked.rows_at_once)
        ]
        _answer(make_task(), asked, num_rows, pieces)
        with (
            artifacts.recorded_file(output_file, {"rows": num_rows}) as name,
            open(name, "wb") as file,
        ):
            for piece in pieces:
                file.write(piece.read_bytes())
        unfinished.discard()


def _answer(task, asked, num_rows, pieces):
    """Writes the pieces that are not there yet."""
    num_done = sum(piece.exists() for piece in pieces)
    first = min(num_done * asked.rows_at_once, num_rows)
    if first:
        logging.info("Going on after %d rows.", first)
    progress = Progress(num_rows, first)
    rows = itertools.islice(asked.rows(), first, None)
    for piece in pieces[num_done:]:
        some = [*itertools.islice(rows, asked.rows_at_once)]
        artifacts.write_whole(piece, "".join(_answers(asked, task, some)))
        progress.add(len(some))


def _answers(asked, task, piece):
    """The lines of the output for some rows."""
    places, rows = zip(*piece, strict=True)
    answers = asked.answers(task, [*rows])
    for place, answer in zip(places, answers, strict=True):
        values = {asked.place: place, "prediction": answer}
        yield json.dumps(values, ensure_ascii=False) + "\n"
