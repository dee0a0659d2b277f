"""Clients of other projects get the outputs of the tasks."""

import json
import subprocess
import sys

import numpy as np
import pytest

from keras_bert import tasks
from tests import tiny
from tests.processes import ROOT

pytestmark = pytest.mark.environments

_TEXTS = ["the dog", "a cat sees", "meat"]
_CLIENTS = [
    "cohere>=7.3,<8",
    "langchain-openai>=1.7,<2",
    "litellm>=1.110,<2",
    "llama-index-embeddings-openai>=0.7,<0.8",
    "openai>=3.57,<4",
]


def test_clients_get_the_outputs_of_the_tasks(tmp_path):
    bert = tiny.make_bert()
    embedder = tasks.TextEmbedder(bert, normalize=True)
    ranker = tasks.PairRanker(bert)
    tiny.widened(ranker.model)
    embedder.export_onnx(tmp_path / "embedder")
    ranker.export_onnx(tmp_path / "ranker")
    (tmp_path / "texts.json").write_text(json.dumps(_TEXTS))
    python = tmp_path / "venv/bin/python"
    package = ["--editable", f"{ROOT}[serve]"]
    for command in (
        [sys.executable, "-m", "venv", "venv"],
        [python, "-m", "pip", "install", "--quiet", *package, *_CLIENTS],
        [python, ROOT / "tests/serve/clients.py", tmp_path],
    ):
        result = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True
        )
        assert result.returncode == 0, result.stdout + result.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert len(found["embeddings"]) == 5 and len(found["scores"]) == 3
    for embeddings in found["embeddings"].values():
        expected = embedder.embed(_TEXTS)
        np.testing.assert_allclose(embeddings, expected, atol=1e-6)
    for scores in found["scores"].values():
        expected = ranker.predict([("a bird", text) for text in _TEXTS])
        np.testing.assert_allclose(scores, expected, atol=1e-6)
