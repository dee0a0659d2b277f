"""Embeddings for the texts in a file of any size."""

import itertools
import time

import numpy as np

from keras_bert.cli.prediction.job import log_progress
from keras_bert.files.outputs import new_file


def embed_file(
    input_file,
    output_file,
    make_embedder,
    prompt=None,
    overwrite=False,
    inputs=(),
):
    """Write the embeddings of all texts in a file to a .npy file, in order.

    Args:
        input_file: `TextInputs` with one column. It is read once before any
            embedding, so that an invalid row is reported early.
        output_file: str, a new file with the ending ".npy".
        make_embedder: function that returns a `TextEmbedder`.
        prompt: str, see `TextEmbedder.embed`.
        overwrite: bool, whether to replace the output of an earlier run.
        inputs: list of str, other files and directories that are read.

    Returns:
        The shape of the array, `(num_texts, dim)`.

    Raises:
        ValueError: the output exists or is not a ".npy" file, or a row is
            invalid.
    """
    if not str(output_file).endswith(".npy"):
        raise ValueError(
            "`output_file` must be a .npy file. Received: "
            f"{str(output_file)!r}."
        )
    context, inputs = {}, [input_file.path, *inputs]
    with (
        new_file(output_file, context, inputs, overwrite) as name,
        open(name, "wb") as file,
    ):
        num_rows = sum(1 for _ in input_file.rows())
        embedder = make_embedder()
        context["shape"] = shape = (num_rows, embedder.dim)
        start, done = time.monotonic(), 0
        texts = (text for _, text in input_file.rows())
        header = {"descr": "<f4", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        while some := [*itertools.islice(texts, input_file.rows_at_once)]:
            file.write(embedder.embed(some, prompt).astype("<f4").tobytes())
            done += len(some)
            log_progress(done, num_rows, start)
    return shape
