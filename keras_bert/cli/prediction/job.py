"""Prediction for the rows of a file of any size.

Predictions are computed and stored in chunks of hundreds or thousands of rows.
A killed run resumes after the last stored chunk and has the same output.
"""

import itertools
import json
import time

from absl import logging

from keras_bert.files.atomic import write_whole
from keras_bert.files.manifest import sha256
from keras_bert.files.outputs import check_files
from keras_bert.files.outputs import new_file
from keras_bert.files.resumable import resumable_directory


def answer_file(
    input_file, output_file, make_task, settings, overwrite=False, inputs=()
):
    """Predict each row of a file and write the results as JSON lines.

    A line contains the location of the row (such as `line`, its first line
    number) and `prediction`, the output of the task. The work directory is
    `OUTPUT_FILE.unfinished`.

    Args:
        input_file: `InputFile`. It is read once before any prediction, so that
            an invalid row is reported early.
        output_file: str, a new file.
        make_task: function that returns a task that `input_file` accepts.
        settings: JSON-serializable dict, other settings that affect the
            predictions.
        overwrite: bool, whether to replace the output of an earlier run.
        inputs: list of str, other files and directories that are read.

    Raises:
        ValueError: the output exists, an interrupted run had different
            settings, or a row is invalid.
    """
    check_files([output_file], [input_file.path, *inputs], overwrite)
    num_rows = sum(1 for _ in input_file.rows())
    about = {
        "input": sha256(input_file.path),
        "columns": input_file.columns,
        "rows_at_once": input_file.rows_at_once,
        **settings,
    }
    unfinished = f"{output_file}.unfinished"
    context = {"rows": num_rows}
    with resumable_directory(unfinished, about, overwrite=overwrite) as work:
        chunks = [
            work / f"{first:012d}.jsonl"
            for first in range(0, num_rows, input_file.rows_at_once)
        ]
        _answer(make_task(), input_file, num_rows, chunks)
        with (
            new_file(output_file, context, overwrite=overwrite) as name,
            open(name, "wb") as file,
        ):
            for chunk in chunks:
                file.write(chunk.read_bytes())


def _answer(task, input_file, num_rows, chunks):
    """Write the chunks that do not exist yet."""
    num_chunks = sum(chunk.exists() for chunk in chunks)
    done = first = min(num_chunks * input_file.rows_at_once, num_rows)
    if first:
        logging.info("Continuing after %d rows.", first)
    start = time.monotonic()
    rows = itertools.islice(input_file.rows(), first, None)
    for chunk in chunks[num_chunks:]:
        some = [*itertools.islice(rows, input_file.rows_at_once)]
        write_whole(chunk, "".join(_answers(input_file, task, some)))
        done += len(some)
        log_progress(done, num_rows, start, first)


def _answers(input_file, task, chunk):
    """Yield the output lines of a chunk of rows."""
    locations, rows = zip(*chunk, strict=True)
    answers = input_file.answers(task, [*rows])
    for location, answer in zip(locations, answers, strict=True):
        values = {input_file.place: location, "prediction": answer}
        yield json.dumps(values, ensure_ascii=False) + "\n"


def log_progress(done, total, start, earlier=0):
    """Log the progress of a long computation, at most every ten seconds.

    Args:
        done: int, number of finished rows.
        total: int, number of rows.
        start: float, `time.monotonic()` at the start of this run.
        earlier: int, number of rows that an interrupted run has finished.
    """
    rate = (done - earlier) / max(time.monotonic() - start, 1e-6)
    logging.log_every_n_seconds(
        logging.INFO,
        "%d of %d, %.0f a second, %.0f s left.",
        10,
        done,
        total,
        rate,
        (total - done) / rate,
    )
