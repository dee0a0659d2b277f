"""Answers to a file of texts of any size.

They are computed for some thousands of texts at once and appended to a file
beside the output, `OUTPUT.partial`. A run that was killed goes on after the
last of these pieces, so that its output is that of an unkilled run.
"""

import itertools
import json
import os
import pathlib

from absl import logging

from keras_bert.artifacts import check_output_files
from keras_bert.artifacts import find_differences
from keras_bert.artifacts import manifest_beside
from keras_bert.artifacts import named_when_full
from keras_bert.artifacts import sha256
from keras_bert.artifacts import write_json
from keras_bert.artifacts import write_manifest
from keras_bert.tasks.prediction.progress import Progress

ROWS_AT_ONCE = 4096


class PredictionJob:
    """Answers each row of a file with a line of JSON, in order.

    A line holds `line`, the number of the line where the row begins, and
    `prediction`, what `predict` gives for it.

    Args:
        text_file: `TextFile`. It is read once before any answer, so that a
            row at fault is told at once.
        output_file: str, new; or that of a run that was killed.
        settings: dict for JSON, what else the answers depend on.
        overwrite: bool, replace what an earlier run has written.
        inputs: list of str, files and directories that are read besides.

    Raises:
        ValueError: the output may not be written, a run with other settings
            was killed, or a row is at fault.
    """

    def __init__(
        self, text_file, output_file, settings, overwrite=False, inputs=()
    ):
        check_output_files([output_file], [text_file.path, *inputs], overwrite)
        self.text_file = text_file
        self.output_file = output_file
        self._partial = pathlib.Path(f"{output_file}.partial")
        self._record = pathlib.Path(f"{output_file}.partial.json")
        self._num_rows = sum(1 for _ in text_file.rows())
        self._settings = {
            "input": sha256(text_file.path),
            "columns": text_file.columns,
            "rows_at_once": ROWS_AT_ONCE,
            **settings,
        }
        self._check_partial(overwrite)

    def run(self, task):
        """Answers what is not answered yet.

        Args:
            task: object with `predict`, from a list of str, or of pairs of
                str, to a list of what JSON can hold.
        """
        num_done = self._cut_partial()
        if not num_done:
            write_json(self._record, self._settings)
            self._partial.touch()
        progress = Progress(self._num_rows, num_done)
        rows = itertools.islice(self.text_file.rows(), num_done, None)
        while piece := list(itertools.islice(rows, ROWS_AT_ONCE)):
            self._append(_answers(task, piece))
            progress.add(len(piece))
        output = pathlib.Path(self.output_file)
        write_manifest(
            manifest_beside(output),
            {output.name: self._partial},
            {"rows": self._num_rows},
        )
        os.replace(self._partial, output)
        self._record.unlink()

    def _check_partial(self, overwrite):
        """Refuses to go on with another run; removes it if asked."""
        if not self._partial.exists():
            return
        try:
            before = dict(json.loads(self._record.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            raise ValueError(
                f"{self._partial} exists, and nothing tells that it is of a "
                "run that was killed. Move it away."
            ) from None
        changed = find_differences(before, self._settings)
        if changed and not overwrite:
            raise ValueError(
                f"{self._partial} is of a run that was killed and that had "
                f"other settings: {'; '.join(changed)}. Pass overwrite=True to "
                "begin anew, or choose another name."
            )
        if changed:
            self._partial.unlink()

    def _cut_partial(self):
        """Cuts what was begun after its last whole piece; counts its rows."""
        if not self._partial.exists():
            return 0
        num_rows, size, position = 0, 0, 0
        with open(self._partial, "rb+") as file:
            for number, line in enumerate(file, 1):
                position += len(line)
                is_end = number % ROWS_AT_ONCE == 0 or number == self._num_rows
                if is_end and line.endswith(b"\n"):
                    num_rows, size = number, position
            file.truncate(size)
        if num_rows:
            logging.info("Going on after %d rows.", num_rows)
        return num_rows

    def _append(self, lines):
        with named_when_full(self._partial), open(self._partial, "ab") as file:
            file.write("".join(lines).encode())


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
