"""Predictions for a file of any size.

They are computed and stored in pieces of hundreds or thousands of rows. A
killed run continues after the last stored piece, with the same output.
"""

import itertools
import json
import time

from absl import logging

from keras_bert import artifacts


def answer_file(
    asked, output_file, make_task, settings, overwrite=False, inputs=()
):
    """Write a line of JSON with the prediction for each row of a file.

    A line holds the place of the row, such as `line`, the number of its first
    line, and `prediction`, the task's answer. The work directory is
    `OUTPUT_FILE.unfinished`.

    Args:
        asked: `Asked`. It is read once before any prediction, so that a faulty
            row is reported early.
        output_file: str, a new file.
        make_task: function that returns a task that `asked` accepts.
        settings: dict for JSON, what else the predictions depend on.
        overwrite: bool, replace the output of an earlier run.
        inputs: list of str, further files and directories that are read.

    Raises:
        ValueError: the output may not be written, a run with other settings
            was killed, or a row is faulty.
    """
    artifacts.check_files([output_file], [asked.path, *inputs], overwrite)
    num_rows = sum(1 for _ in asked.rows())
    about = {
        "input": artifacts.sha256(asked.path),
        "columns": asked.columns,
        "rows_at_once": asked.rows_at_once,
        **settings,
    }
    unfinished = f"{output_file}.unfinished"
    context = {"rows": num_rows}
    with artifacts.resumable(unfinished, about, overwrite=overwrite) as work:
        pieces = [
            work / f"{first:012d}.jsonl"
            for first in range(0, num_rows, asked.rows_at_once)
        ]
        _answer(make_task(), asked, num_rows, pieces)
        with (
            artifacts.file(output_file, context, overwrite=overwrite) as name,
            open(name, "wb") as file,
        ):
            for piece in pieces:
                file.write(piece.read_bytes())


def _answer(task, asked, num_rows, pieces):
    """Write the pieces that do not exist yet."""
    num_pieces = sum(piece.exists() for piece in pieces)
    done = first = min(num_pieces * asked.rows_at_once, num_rows)
    if first:
        logging.info("Continuing after %d rows.", first)
    start = time.monotonic()
    rows = itertools.islice(asked.rows(), first, None)
    for piece in pieces[num_pieces:]:
        some = [*itertools.islice(rows, asked.rows_at_once)]
        artifacts.write_whole(piece, "".join(_answers(asked, task, some)))
        done += len(some)
        log_progress(done, num_rows, start, first)


def _answers(asked, task, piece):
    """Yield the lines of the output for some rows."""
    places, rows = zip(*piece, strict=True)
    answers = asked.answers(task, [*rows])
    for place, answer in zip(places, answers, strict=True):
        values = {asked.place: place, "prediction": answer}
        yield json.dumps(values, ensure_ascii=False) + "\n"


def log_progress(done, total, start, earlier=0):
    """Log the progress of a long computation, at most every ten seconds.

    Args:
        done: int, number of finished rows.
        total: int, number of rows.
        start: float, `time.monotonic()` at the start of this run.
        earlier: int, number of rows that an earlier run has finished.
    """
    rate = (done - earlier) / max(time.monotonic() - start, 1e-6)
    message = "%d of %d, %.0f a second, %.0f s left."
    values = done, total, rate, (total - done) / rate
    logging.log_every_n_seconds(logging.INFO, message, 10, *values)
