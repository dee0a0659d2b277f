"""Vectors of a file of texts of any size."""

import itertools
import time

import numpy as np

from keras_bert import artifacts
from keras_bert.cli.prediction.job import log_progress


def embed_file(
    asked, output_file, make_embedder, prompt=None, overwrite=False, inputs=()
):
    """Writes the vector of each text of a file, in order, as a .npy.

    Args:
        asked: `AskedTexts` of one column. It is read once before any text is
            embedded, so that a row at fault is named at once.
        output_file: str, new, a ".npy".
        make_embedder: function that gives a `TextEmbedder`.
        prompt: str, as `TextEmbedder.embed` takes it.
        overwrite: bool, replace what an earlier run has written.
        inputs: list of str, files and directories that are read besides.

    Returns:
        The shape of the array, `(num_texts, dim)`.

    Raises:
        ValueError: the output may not be written or is no ".npy", or a row is
            at fault.
    """
    if not str(output_file).endswith(".npy"):
        raise ValueError(
            "The vectors must go to a .npy file. Received: "
            f"{str(output_file)!r}."
        )
    context, inputs = {}, [asked.path, *inputs]
    with (
        artifacts.file(output_file, context, inputs, overwrite) as name,
        open(name, "wb") as file,
    ):
        num_rows = sum(1 for _ in asked.rows())
        embedder = make_embedder()
        context["shape"] = shape = (num_rows, embedder.dim)
        start, done = time.monotonic(), 0
        texts = (text for _, text in asked.rows())
        header = {"descr": "<f4", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        while some := [*itertools.islice(texts, asked.rows_at_once)]:
            file.write(embedder.embed(some, prompt).astype("<f4").tobytes())
            done += len(some)
            log_progress(done, num_rows, start)
    return shape
