"""Replicas of Ray Serve answer like the task while one is killed."""

import numpy as np
import pytest

from keras_bert import tasks
from tests import tiny
from tests.serve.environment import found_by

pytestmark = pytest.mark.environments


def test_replicas_answer_like_the_task_while_one_is_killed(tmp_path):
    embedder = tasks.TextEmbedder(tiny.make_bert(), normalize=True)
    embedder.export_onnx(tmp_path / "embedder")
    packages = ["ray[serve]>=2.60,<3"]
    found = found_by("tests/serve/ray_cluster.py", tmp_path, packages)
    expected = embedder.embed(["the dog", "a cat sees", "meat"])
    np.testing.assert_allclose(found["embeddings"], expected, atol=1e-6)
    assert found["num_answers"] == 3000
    assert found["num_different"] == 0
    assert found["is_replaced_under_load"]
