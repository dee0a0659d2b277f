"""Clients of other projects get the outputs of the tasks."""

import json

import numpy as np
import pytest

from keras_bert import tasks
from tests import tiny
from tests.serve.environment import found_by

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
    found = found_by("tests/serve/clients.py", tmp_path, _CLIENTS)
    assert len(found["embeddings"]) == 5 and len(found["scores"]) == 3
    for embeddings in found["embeddings"].values():
        expected = embedder.embed(_TEXTS)
        np.testing.assert_allclose(embeddings, expected, atol=1e-6)
    for scores in found["scores"].values():
        expected = ranker.predict([("a bird", text) for text in _TEXTS])
        np.testing.assert_allclose(scores, expected, atol=1e-6)
