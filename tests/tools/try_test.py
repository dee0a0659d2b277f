"""`try`, `fill_mask` and `embed` with the included tiny model."""

import json

import numpy as np

import keras_bert
from keras_bert.tasks import FillMask
from keras_bert.tasks import TextEmbedder

_TEXTS = ["Opens the file.", "", "The gradient of a loss."]
_MASKED = "The function returns a [MASK] of strings."


def test_the_model_is_small_and_says_so():
    files = {path.name: path for path in keras_bert.TINY_MODEL.iterdir()}
    assert {*files} == {
        "README.md",
        "manifest.json",
        "model.safetensors",
        "model_config.json",
        "tokenizer_config.json",
        "vocab.txt",
    }
    assert sum(path.stat().st_size for path in files.values()) < 3e6
    card = files["README.md"].read_text(encoding="utf-8")
    assert "It has no world knowledge and little knowledge of" in card.replace(
        "\n", " "
    )
    assert "tools/tiny_model/make_tiny_model.py" in card


def test_try_answers_at_once(run, tmp_path):
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
    expected = fill_mask(_MASKED)
    code, stdout, stderr = run("fill_mask", f"--text={_MASKED}", "--top_k=2")
    assert code == 0, stderr
    assert _rounded(json.loads(stdout)) == _rounded(expected[0])
    (tmp_path / "texts.csv").write_text(f"n,said\n1,{_MASKED}\n2,[MASK]\n")
    code, _, stderr = run(
        "fill_mask",
        f"--input_file={tmp_path / 'texts.csv'}",
        "--text_column=said",
        f"--output_file={tmp_path / 'filled.jsonl'}",
        "--top_k=2",
    )
    assert code == 0, stderr
    lines = (tmp_path / "filled.jsonl").read_text().splitlines()
    first, second = map(json.loads, lines)
    assert (first["line"], second["line"]) == (2, 3)
    assert [*map(_rounded, first["prediction"])] == [*map(_rounded, expected)]


def _rounded(filling):
    return [(x["token"], round(x["probability"], 3)) for x in filling]


def test_vectors_are_those_of_the_library(run, tmp_path, monkeypatch):
    embedder = TextEmbedder.from_pretrained(keras_bert.TINY_MODEL)
    (tmp_path / "texts.txt").write_text("".join(f"{x}\n" for x in _TEXTS))
    code, _, stderr = run(
        "embed",
        f"--input_file={tmp_path / 'texts.txt'}",
        f"--output_file={tmp_path / 'vectors.npy'}",
        "--precision=float32",
    )
    assert code == 0, stderr
    found = np.load(tmp_path / "vectors.npy")
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, embedder.embed(_TEXTS), atol=1e-5)
