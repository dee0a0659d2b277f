"""`try`, `fill_mask` and `embed` with the included tiny model."""

import json

import numpy as np
import pytest

import keras_bert
from keras_bert.tasks import FillMask
from keras_bert.tasks import TextEmbedder

_MASKED = "The function returns a [MASK] of strings."


def test_try_answers_at_once(run):
    code, stdout, stderr = run("try", f"--text={_MASKED}", "--text=A [MASK].")
    assert code == 0, stderr
    assert stdout.startswith("A tiny BERT of 1.4 million parameters.")
    lines = [line.split() for line in stdout.splitlines()]
    assert ["list"] == [x[0] for x in lines if x[1:] and x[0] == "list"]
    scores = [float(x[0]) for x in lines if x and x[0].startswith("0.")]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)


def test_masks_of_texts_are_printed_and_those_of_a_file_written(run, tmp_path):
    fill_mask = FillMask.from_pretrained(keras_bert.TINY_MODEL, top_k=2)
    expected = [*map(_rounded, fill_mask(_MASKED))]
    code, stdout, stderr = run("fill_mask", f"--text={_MASKED}", "--top_k=2")
    assert code == 0, stderr
    assert [_rounded(json.loads(stdout))] == expected
    (tmp_path / "texts.csv").write_text(f"n,said\n1,{_MASKED}\n2,[MASK]\n")
    flags = "--input_file=texts.csv --text_column=said --output_file=filled"
    code, _, stderr = run(
        "fill_mask", *flags.split(), "--top_k=2", folder=tmp_path
    )
    assert code == 0, stderr
    lines = (tmp_path / "filled").read_text().splitlines()
    first, second = map(json.loads, lines)
    assert (first["line"], second["line"]) == (2, 3)
    assert [*map(_rounded, first["prediction"])] == expected


def _rounded(filling):
    return [(x["token"], round(x["probability"], 3)) for x in filling]


def test_vectors_are_those_of_the_library(run, tmp_path):
    texts = ["Opens the file.", "", "The gradient of a loss."]
    (tmp_path / "texts.txt").write_text("".join(f"{x}\n" for x in texts))
    flags = "--input_file=texts.txt --output_file=a.npy --precision=float32"
    code, _, stderr = run("embed", *flags.split(), folder=tmp_path)
    assert code == 0, stderr
    found = np.load(tmp_path / "a.npy")
    assert found.dtype == np.float32
    embedder = TextEmbedder.from_pretrained(keras_bert.TINY_MODEL)
    assert found == pytest.approx(embedder.embed(texts), abs=1e-5)
